import * as z from 'zod'
import { ManifestRow } from '../contract/manifest.ts'
import { Count, STATE_VERSION, StateVersion } from '../contract/words.ts'
import { endpoint } from './endpoint.ts'
import { HEALTHY } from '../contract/envelope.ts'

/**
 * The manifest omits itself and the documents that change with every run. The index holds their digests. So a run
 * without changes does not rewrite the manifest, and every document is still covered.
 */
export const manifest = endpoint({
  name: 'manifest',
  group: 'Operations',
  path: '/manifest',
  description:
    'Every document of the tree with its size and SHA-256. The index has the digests of manifest and collector.',
  example: '/manifest',
  parameters: {},
  covers: true,
  members: {
    stateVersion: StateVersion,
    rowsDigest: z.string().describe('Digest of all rows. Equal data has equal digests.'),
    previous: z.string().nullable().describe('SHA-256 of the previous manifest; null: this is the first.'),
    inputs: z.string().describe('SHA-256 of the source data of the run that wrote this.'),
    commit: z.string().nullable().describe('Commit of the program that wrote this; null: unknown.'),
    count: Count,
    rows: z.array(ManifestRow),
  },
  health: () => HEALTHY,
  isUnchanged: ({ provenance: { before } }, _key, { digest }) => before?.rowsDigest === digest(),
  body: ({ provenance: { before, inputs, commit } }, _key, { rows, digest }) => ({
    stateVersion: STATE_VERSION,
    rowsDigest: digest(),
    previous: before?.sha256 ?? null,
    inputs,
    commit,
    count: rows.length,
    rows,
  }),
})
