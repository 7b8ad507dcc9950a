import { specs } from '../../src/core/endpoints/table.ts'
import { editionsOf } from '../../src/service/disk.ts'
import { folderReader } from '../../src/core/tree/reader.ts'
import type { Context, Intake } from '../../src/service/context.ts'
import type { NodeContext } from '../../src/service/node.ts'
import type { Queue, RequestRecord } from '../../src/requests/queue.ts'
import { deliver } from '../../src/service/http.ts'
import { serviceApp } from '../../src/service/service.ts'
import { print } from '../../src/core/contract/text.ts'
import { renameFile } from '../../src/core/contract/paths.ts'

const SOMEONE = 'someone'

export const AT = '2026-11-20T12:00:00Z'

const envelope = { ok: true, product: 'Quotetree', endpoint: 'x', timestamp: AT, sourceStatus: 'ok', sourceError: null }
export const list = (count: number) =>
  print({ ...envelope, count, total: 9, rows: Array.from({ length: count }, (_, row) => ({ row })) })

/** A small tree by hand: nine assets, of which one was renamed. */
export const tree: Readonly<Record<string, string>> = {
  'api/mkt.json': print({ ...envelope, version: 'v1', generatedAt: AT, staleAfter: '2026-11-20T13:30:00Z' }),
  'api/mkt/assets.json': list(9),
  'api/mkt/assets/limit=3.json': list(3),
  'api/mkt/assets/bitcoin.json': print({ ...envelope, asset: { slug: 'bitcoin', replaced_by: null } }),
  'api/mkt/assets/bitcoin/markets.json': list(2),
  'api/mkt/assets/old-coin.json': print({ ...envelope, asset: { slug: 'old-coin', replaced_by: 'bitcoin' } }),
  [renameFile('old-coin').slice(1)]: '{"slug":"old-coin","replaced_by":"bitcoin"}\n',
  'api/mkt/history/bitcoin/days=7.json': list(4),
  'api/mkt/history/bitcoin/days=30.json': list(5),
  'api/mkt/symbols.json': print({ ...envelope, count: 1, rows: [{ key: 'BTC', slug: 'bitcoin' }] }),
  'api/mkt/contracts.json': print({
    ...envelope,
    count: 1,
    rows: [{ chain: 'ethereum', name: 'Ethereum', chain_id: 1, aliases: ['eth'], contract_count: 3 }],
  }),
  'api/mkt/contracts/ethereum.json': print({
    ...envelope,
    chain: 'ethereum',
    count: 3,
    rows: [
      { address: '0xaa', slug: 'bitcoin' },
      { address: 'ibc/27', slug: 'atom' },
      { address: 'ibc/27', slug: 'osmo' },
    ],
  }),
  'api/mkt/listing-requests.json': print({ ...envelope, counts: {}, count: 0, rows: [] }),
}

export const recordOf = (id: string, name = 'A'): RequestRecord => ({
  request_id: id,
  status: 'pending',
  submitted_at: AT,
  updated_at: AT,
  sender: 's',
  body: { request_type: 'new', name, symbol: 'A', website: 'https://a.example' },
  duplicate_of: null,
  reason: null,
})

export function memoryQueue(): Queue & { readonly records: Map<string, RequestRecord> } {
  const records = new Map<string, RequestRecord>()
  return {
    records,
    async add(record) {
      const known = records.get(record.request_id)
      if (!known) records.set(record.request_id, record)
      return known ?? record
    },
    get: async (id) => records.get(id) ?? null,
    list: async () => [...records.values()],
    async update(id, change) {
      const record = records.get(id)
      if (!record) return null
      const changed = change(record)
      if (changed) records.set(id, changed)
      else records.delete(id)
      return changed
    },
  }
}

export const intakeOf = (given: Partial<Intake> = {}): Intake => ({
  queue: memoryQueue(),
  secret: 'secret',
  ...given,
})

export const contextOf = (given: Partial<Context> = {}): Context => ({
  specs,
  read: async (file) => tree[file] ?? null,
  intake: intakeOf(),
  product: 'Quotetree',
  now: () => Date.parse(AT),
  report: (error) => {
    throw error
  },
  ...given,
})

export const onDisk = (root: string, now: () => number, given: Partial<NodeContext> = {}): NodeContext => ({
  ...contextOf(),
  root,
  read: folderReader(root),
  edition: editionsOf(root, now),
  proxies: 0,
  connections: 1000,
  ...given,
})

/** Returns the function that sends a request to one service. */
export function serving(context: Context = contextOf()) {
  const app = serviceApp<{ Bindings: { readonly sender: string } }>(({ req, env }) => ({
    ...context,
    sender: () => env.sender,
    deliver: (reply) => deliver(req.raw, reply),
  }))
  return async (path: string, init: RequestInit = {}, sender = SOMEONE): Promise<Response> =>
    app.request(path, init, { sender })
}

export const ask = async (
  path: string,
  init: RequestInit = {},
  context: Context = contextOf(),
  sender = SOMEONE,
): Promise<Response> => serving(context)(path, init, sender)
