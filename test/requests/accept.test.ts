import { expect, it } from 'vitest'
import * as z from 'zod'
import { ListingRequestBody } from '../../src/core/contract/listing-request.ts'
import { entriesOfFolder } from '../../src/core/registry/asset-files.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { type AcceptanceEdge, accept, proposedEntry } from '../../src/requests/accept.ts'
import { ReviewError, decide, QueueError, type RequestRecord } from '../../src/requests/queue.ts'
import { newFolder } from '../sample-tree.ts'
import { AT, memoryQueue, recordOf, tree } from '../service/world.ts'

const NOW = Date.parse(AT)
const TREE: Readonly<Record<string, string>> = {
  ...tree,
  'api/mkt/assets/terra.json': '{"asset":{"symbol":"LUNA","name":"Terra","listing_status":"delisted"}}',
  'api/mkt/assets/torn.json': '{"asset":',
}
const read = (file: string) => TREE[file] ?? null

const requestOf = (id: string, name: string, given: object = {}): RequestRecord => ({
  ...recordOf(id, name),
  body: ListingRequestBody.parse({ name, symbol: name.toUpperCase(), website: 'https://a.example', ...given }),
})

/** A queue with these requests, an empty registry, and a reviewer who says yes. */
async function roomOf(...records: readonly RequestRecord[]) {
  const folder = newFolder()
  const entries = () => entriesOfFolder(folder)
  const queue = memoryQueue()
  for (const record of records) await queue.add(record)
  const shown: string[] = []
  const edge: AcceptanceEdge = {
    queue,
    folder,
    entries,
    read,
    now: NOW,
    confirm: async (text) => shown.push(text) > 0,
  }
  const slugs = () =>
    z
      .array(z.object({ slug: z.string() }))
      .parse(entries())
      .map(({ slug }) => slug)
  return { edge, queue, shown, slugs }
}

it('shows the file, writes it, and then the decision', async () => {
  const ash = requestOf('request-1', 'Ash', { contracts: [{ chain: 'moon', address: '0x1' }] })
  const { edge, queue, shown, slugs } = await roomOf(ash)
  const update: typeof queue.update = (id, change) => {
    expect(slugs()).toEqual(['ash'])
    return queue.update(id, change)
  }
  expect(await accept(ash, { ...edge, queue: { ...queue, update } })).toMatchObject({
    status: 'accepted',
    reason: 'It will be listed as ash.',
  })
  expect(shown.join('\n')).toMatch(/\+\+\+ .*ash\.json.*"slug": "ash".*Left out: .*\(moon\)/s)
  await expect(accept(queue.records.get('request-1') ?? ash, edge)).rejects.toThrow(/accepted, which is final/)
})

it('writes nothing without a yes', async () => {
  const ash = requestOf('request-1', 'Ash')
  const { edge, queue, slugs } = await roomOf(ash)
  expect(await accept(ash, { ...edge, confirm: async () => false })).toBeNull()
  expect([slugs(), queue.records.get('request-1')?.status]).toEqual([[], 'pending'])
})

it('lists nothing that another reviewer rejected meanwhile', async () => {
  const ash = requestOf('request-1', 'Ash')
  const { edge, queue, slugs } = await roomOf(ash)
  const confirm = async () =>
    (await queue.update('request-1', (record) => decide(record, 'rejected', 'Spam.', NOW))) !== null
  await expect(accept(ash, { ...edge, confirm })).rejects.toThrow(ReviewError)
  expect([slugs(), queue.records.get('request-1')?.status]).toEqual([[], 'rejected'])
})

it('continues after a queue did not answer', async () => {
  const ash = requestOf('request-1', 'Ash')
  const { edge, queue, slugs } = await roomOf(ash)
  const away = { ...queue, update: () => Promise.reject(new QueueError('no answer')) }
  await expect(accept(ash, { ...edge, queue: away })).rejects.toThrow(QueueError)
  expect(await accept(ash, edge)).toMatchObject({ status: 'accepted' })
  expect(slugs()).toEqual(['ash'])
})

it('never overwrites the file of another reviewer', async () => {
  const [one, other] = [requestOf('request-1', 'Ash'), requestOf('request-2', 'Ash', { symbol: 'ASH2' })]
  const { edge, queue, slugs } = await roomOf(one, other)
  const confirm = async () => (await accept(other, edge)) !== null
  await expect(accept(one, { ...edge, confirm })).rejects.toThrow(/ash\.json is there already/)
  expect(slugs()).toEqual(['ash'])
  expect(queue.records.get('request-1')?.status).toBe('pending')
})

it('refuses a contract that a listing has, and names the listing', async () => {
  const ash = requestOf('request-1', 'Ash', { contracts: [{ chain: 'eth', address: '0xAA' }] })
  const { edge } = await roomOf(ash)
  await expect(accept(ash, edge)).rejects.toThrow(/bitcoin has this contract already/)
})

const registry = openRegistry()
const entryOf = (given: object) =>
  proposedEntry(requestOf('request-1', 'Grove Coin', { symbol: 'GROVE', ...given }).body, registry, read)

it('takes over what was read, and claims no market', () => {
  const address = '0xAbCdEf0123456789aBcDeF0123456789abcdef01'
  const entry = entryOf({
    contracts: [{ chain: 'bsc', address }],
    contact_email: 'me@grove.example',
    note: 'between us',
    source_code_url: 'https://code.example/grove',
  })
  expect(entry).toMatchObject({
    slug: 'grove-coin',
    verification_status: 'unverified',
    exchange_symbols: {},
    contracts: [{ chain: 'binance-smart-chain', address: address.toLowerCase(), decimals: null }],
    links: { website: 'https://a.example', source_code: 'https://code.example/grove', twitter: null },
  })
  expect(JSON.stringify(entry)).not.toMatch(/me@grove|between us/)
})

it.each([
  ['my-grove', 'my-grove'],
  ['bitcoin', 'grove-coin'],
  ['old-coin', 'grove-coin'],
  ['terra', 'grove-coin'],
  ['torn', 'grove-coin'],
])('lists a request for the slug %s as %s: a used one is never given again', (slug, listed) =>
  expect(entryOf({ slug }).slug).toBe(listed),
)
