import * as z from 'zod'
import { Count, Sha256, Timestamp } from './words.ts'

/** A path relative to the tree's root. It cannot leave the tree or name a dot file. */
const TreePath = z
  .string()
  .max(400)
  .regex(/^(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u)

export const ManifestRow = z
  .object({
    path: TreePath.describe('Relative to the root of the tree.'),
    bytes: Count,
    sha256: Sha256,
    timestamp: Timestamp.describe('When the file last changed.'),
  })
  .meta({ id: 'ManifestRow', description: 'One file of the tree.' })
export type ManifestRow = z.infer<typeof ManifestRow>
