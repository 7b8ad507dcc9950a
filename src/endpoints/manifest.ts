import * as z from 'zod'
import { HEALTHY } from '../contract/envelope.ts'
import { PARTS } from '../contract/manifest-parts.ts'
import { ManifestRow } from '../contract/manifest.ts'
import type { Parameter } from '../contract/parameters.ts'
import { Count, STATE_VERSION, StateVersion } from '../contract/words.ts'
import { endpoint } from './endpoint.ts'

const part = {
  description: 'The first seven bits of the SHA-256 of the path of a file.',
  schema: z.string().regex(/^[0-7][0-9a-f]$/),
  type: 'string',
  allowed: 'two hexadecimal digits, 00 to 7f',
} as const satisfies Parameter<string>

/** The manifest is in parts, so that readers fetch what changed, and the proof of one file takes one of them. */
export const manifestPart = endpoint({
  name: 'manifest-part',
  group: 'Operations',
  path: '/manifest/:part',
  description: 'The files of the tree whose paths have a SHA-256 that begins so, each with its size and SHA-256.',
  example: '/manifest/00',
  parameters: { part },
  covers: true,
  members: { part: z.string(), count: Count, rows: z.array(ManifestRow) },
  keys: () => PARTS.map((part) => ({ part })),
  health: () => HEALTHY,
  body: (_world, { part }, { rowsOfPart }) => {
    const rows = rowsOfPart(part)
    return { part, count: rows.length, rows }
  },
})

/**
 * The manifest omits itself and the documents that change with every run. The index holds their digests. So a run
 * without changes does not rewrite the manifest, and every document is still covered.
 */
export const manifest = endpoint({
  name: 'manifest',
  group: 'Operations',
  path: '/manifest',
  description:
    'The parts of the manifest, which list every file of the tree. The index has the digests of manifest and collector.',
  parameters: {},
  covers: true,
  members: {
    stateVersion: StateVersion,
    rowsDigest: z.string().describe('Digest of all rows. Equal data has equal digests.'),
    previous: z.string().nullable().describe('SHA-256 of the previous manifest; null: this is the first.'),
    inputs: z.string().describe('SHA-256 of the source data of the run that wrote this.'),
    commit: z.string().nullable().describe('Commit of the program that wrote this; null: unknown.'),
    count: Count,
    rows: z.array(ManifestRow).describe('The parts, which list all other files. Version 1 listed the files here.'),
  },
  health: () => HEALTHY,
  isUnchanged: ({ provenance: { before } }, _key, { digest }) => before?.rowsDigest === digest(),
  body: ({ provenance: { before, inputs, commit } }, _key, { parts, digest }) => ({
    stateVersion: STATE_VERSION,
    rowsDigest: digest(),
    previous: before?.sha256 ?? null,
    inputs,
    commit,
    count: parts.length,
    rows: parts,
  }),
})
