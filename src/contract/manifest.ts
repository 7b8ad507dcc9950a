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

export const ManifestPartRow = ManifestRow.extend({
  from: z.string().describe('The first path that it may list: a file is in the last part that begins before it.'),
}).meta({ id: 'ManifestPartRow', description: 'A part of the manifest, or a section of parts.' })

export type ManifestPartRow = z.infer<typeof ManifestPartRow>

/** A row of any list of the manifest. */
export type ListedRow = ManifestRow & { readonly from?: string | undefined }
