import * as z from 'zod'
import { ManifestRow } from '../contract/manifest.ts'
import { Count } from '../contract/words.ts'
import { endpoint } from './endpoint.ts'

/**
 * The manifest leaves out itself and the documents that change with every run; the index holds their digests, so that a
 * run without news rewrites no manifest and everything is covered all the same.
 */
export const manifest = endpoint({
  name: 'manifest',
  path: '/manifest',
  description:
    'Every document of the tree with its size and SHA-256; those of manifest and collector are in the index.',
  example: '/manifest',
  parameters: {},
  covers: true,
  members: { snapshotId: z.string(), count: Count, rows: z.array(ManifestRow) },
  health: () => ({ sourceStatus: 'ok', sourceError: null }),
  body: (_world, _key, { rows, digest }) => ({ snapshotId: digest(), count: rows.length, rows }),
})
