import * as z from 'zod'
import { Count, Timestamp } from './words.ts'

/** A path below the tree's root: nothing in it leads up, away or to a file that begins with a dot. */
const TreePath = z
  .string()
  .max(400)
  .regex(/^(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u)

export const ManifestRow = z
  .object({
    path: TreePath.describe('Below the root of the tree.'),
    bytes: Count,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    timestamp: Timestamp.describe('The run that last changed it.'),
  })
  .meta({ id: 'ManifestRow', description: 'One file of the tree.' })
export type ManifestRow = z.infer<typeof ManifestRow>
