import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { answerSchemaOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { print } from '../contract/text.ts'
import { endpoint } from './endpoint.ts'
import { HEALTHY } from '../contract/envelope.ts'

const { snapshotId, generatedAt, nextBuildAt, staleAfter } = IndexMembers
const MEMBERS = { snapshotId, generatedAt, nextBuildAt, staleAfter } as const

/** What the index says of the snapshot, in one packet. It is published after the index. */
export const head = endpoint({
  name: 'head',
  group: 'Operations',
  path: '/head',
  description: 'Id and times of the snapshot, in less than 300 bytes: for clients that poll for a new one.',
  example: '/head',
  parameters: {},
  members: MEMBERS,
  stamped: true,
  covers: true,
  health: () => HEALTHY,
  body: (world, _key, written) => ({
    snapshotId: written.digest(),
    generatedAt: world.at,
    nextBuildAt: world.nextBuildAt,
    staleAfter: world.freshness.staleAfter,
  }),
})

const Index = z.object({ product: z.string(), timestamp: z.string(), ...MEMBERS })

/**
 * Returns the document that belongs to an index: for a tree of a version without one, and an index that is written again.
 * Null if the text is no index.
 */
export function headOf(index: string | null): string | null {
  const read = readJson(index, Index)
  if (read === null) return null
  const { product, timestamp, ...members } = read
  const envelope = { ok: true, product, endpoint: head.name, timestamp, ...HEALTHY }
  return print(answerSchemaOf(head).parse({ ...envelope, ...members }))
}
