import * as z from 'zod'
import { HEALTHY } from '../contract/envelope.ts'
import { type ManifestList, partFile } from '../contract/manifest-parts.ts'
import { ManifestPartRow, ManifestRow } from '../contract/manifest.ts'
import { textParameter } from '../contract/parameters.ts'
import { Count, STATE_VERSION, StateVersion } from '../contract/words.ts'
import { type Written, endpoint } from './endpoint.ts'

const part = textParameter(
  'A part of the manifest, by its number, or a section of parts.',
  z.string().regex(/^s?(?:0|[1-9]\d{0,4})$/),
  'a number, of a section with an s before it',
)

const rowsOf = (lists: readonly ManifestList<ManifestRow>[], { covering }: Written): readonly ManifestPartRow[] =>
  lists.map(({ name, from }) => ({ ...covering(partFile(name)), from }))

/** The manifest is in parts, so that readers fetch what changed, and the proof of one file takes one of them. */
export const manifestPart = endpoint({
  name: 'manifest-part',
  group: 'Operations',
  path: '/manifest/:part',
  description:
    'A range of the files of the tree by path, each with its size and SHA-256. A section, `/manifest/s0`, lists parts instead.',
  example: '/manifest/0',
  parameters: { part },
  covers: true,
  members: { part: z.string(), count: Count, rows: z.array(z.union([ManifestPartRow, ManifestRow])) },
  keys: (_world, written) => (written?.lists() ?? []).map(({ name }) => ({ part: name })),
  health: () => HEALTHY,
  body(_world, { part }, written) {
    const list = written.lists().find(({ name }) => name === part)
    const rows = list ? [...list.files, ...rowsOf(list.parts, written)] : []
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
    rows: z
      .array(ManifestPartRow)
      .describe('The parts, or the sections of more than sixteen parts. Version 1 listed the files here.'),
  },
  health: () => HEALTHY,
  isUnchanged: ({ provenance: { before } }, _key, { digest }) => before?.rowsDigest === digest(),
  body({ provenance: { before, inputs, commit } }, _key, written) {
    const rows = rowsOf(written.topLists(), written)
    return {
      stateVersion: STATE_VERSION,
      rowsDigest: written.digest(),
      previous: before?.sha256 ?? null,
      inputs,
      commit,
      count: rows.length,
      rows,
    }
  },
})
