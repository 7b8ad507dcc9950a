import * as z from 'zod'
import { Count, Timestamp } from './words.ts'

/** A path below the tree's root: nothing in it leads up, away or to a file that begins with a dot. */
const TreePath = z
  .string()
  .max(400)
  .regex(/^(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u)

/** One file of the tree, as the manifest names it. */
export const ManifestRow = z
  .object({
    path: TreePath,
    bytes: Count,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    timestamp: Timestamp,
  })
  .meta({ id: 'ManifestRow' })
export type ManifestRow = z.infer<typeof ManifestRow>
