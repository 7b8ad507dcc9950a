import * as z from 'zod'
import { fileOf } from '../contract/endpoint-spec.ts'
import { ManifestPartRow, ManifestRow } from '../contract/manifest.ts'
import { textParameter } from '../contract/parameters.ts'
import { Count, STATE_VERSION, StateVersion } from '../contract/words.ts'
import { endpoint, oneDocument } from './endpoint.ts'

const part = textParameter(
  'A part of the manifest: the name of its folder.',
  z.string().regex(/^[a-z0-9_-]{1,64}$/),
  'a part that /manifest lists',
  'history',
)

export const manifestPart = endpoint('Operations', {
  name: 'manifest-part',
  path: '/manifest/:part',
  description: 'The files of a folder of the tree by path, each with its size, SHA-256 and time.',
  parameters: { part },
  covers: true,
  members: { part: z.string(), count: Count, rows: z.array(ManifestRow) },
  keys: (_world, { parts }) => [...parts().keys()].map((name) => ({ part: name })),
  body: (_world, { part: name }, { parts }) => ({ part: name, rows: parts().get(name) ?? [] }),
})

/**
 * The manifest omits itself and the documents that change with every run, of which the index has the digests. So a run
 * without changes does not rewrite it, and every document is covered.
 */
export const manifest = oneDocument('Operations', {
  name: 'manifest',
  path: '/manifest',
  description:
    'The parts of the manifest, which list every file of the tree. The index has the digest of this document.',
  covers: true,
  members: {
    stateVersion: StateVersion,
    rowsDigest: z.string().describe('Digest of all parts. Equal data has equal digests.'),
    count: Count,
    rows: z.array(ManifestPartRow),
  },
  body(_world, _key, { parts: files, row, digest }) {
    const parts = [...files()].flatMap(([name, { length }]) => {
      const own = row(fileOf(manifestPart, { part: name }))
      return own ? [{ ...own, part: name, files: length }] : []
    })
    return { stateVersion: STATE_VERSION, rowsDigest: digest(parts), rows: parts }
  },
})
