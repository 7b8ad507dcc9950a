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
  members: {
    rowsDigest: z.string().describe('Digest of all rows: the same for equal data.'),
    previous: z.string().nullable().describe('SHA-256 of the manifest before this one: a chain back to the first.'),
    inputs: z.string().describe('SHA-256 of what the sources said to the run that wrote this.'),
    commit: z.string().nullable().describe('Commit of the program that wrote this, where that is known.'),
    count: Count,
    rows: z.array(ManifestRow),
  },
  health: () => ({ sourceStatus: 'ok', sourceError: null }),
  isUnchanged: ({ provenance: { before } }, _key, { digest }) => before?.rowsDigest === digest(),
  body: ({ provenance: { before, inputs, commit } }, _key, { rows, digest }) => ({
    rowsDigest: digest(),
    previous: before?.sha256 ?? null,
    inputs,
    commit,
    count: rows.length,
    rows,
  }),
})
