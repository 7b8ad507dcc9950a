import * as z from 'zod'
import { Count, Timestamp } from './words.ts'

/** One file of the tree, as the manifest names it. */
export const ManifestRow = z
  .object({
    path: z.string(),
    bytes: Count,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    timestamp: Timestamp,
  })
  .meta({ id: 'ManifestRow' })
export type ManifestRow = z.infer<typeof ManifestRow>
