import { expect, it } from 'vitest'
import * as z from 'zod'
import { folderRegistry } from '../../scripts/registry-file.ts'
import { QueueError, type RequestRecord } from '../../src/requests/queue.ts'
import { entriesIn } from '../../src/registry/asset-files.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { type ApprovalEdge, approve } from '../../src/requests/approve.ts'
import { ReviewError, decide } from '../../src/requests/decisions.ts'
import { hintsOf } from '../../src/requests/hints.ts'
import { publishedSlugs } from '../../src/requests/published-slugs.ts'
import { newFolder } from '../sample-tree.ts'
import { AT, memoryQueue, recordOf } from '../service/world.ts'

const NOW = Date.parse(AT)
const WISH = { isVerified: false }
const LUNA = {
  asset: {
    slug: 'terra',
    symbol: 'LUNA',
    name: 'Terra',
    first_listed: '2021-08-12T00:00:00Z',
    replaced_by: null,
    contracts: [],
  },
}
const TREE: Readonly<Record<string, string>> = {
  'api/mkt/markets.json': JSON.stringify({ rows: [] }),
  'api/mkt/assets/terra.json': JSON.stringify(LUNA),
  'api/mkt/assets/torn.json': '{"asset":',
}

const requestOf = (id: string, name: string, given: Partial<RequestRecord['body']> = {}): RequestRecord => {
  const record = recordOf(id, name)
  return { ...record, body: { ...record.body, symbol: name.toUpperCase().slice(0, 5), ...given } }
}

/** A queue with these requests, an empty registry, and a reviewer who says yes. */
async function roomOf(...records: readonly RequestRecord[]) {
  const folder = newFolder()
  const entries = () => entriesIn(folder)
  const queue = memoryQueue()
  for (const record of records) await queue.add(record)
  const shown: string[] = []
  const published = publishedSlugs((file) => TREE[file] ?? null)
  if (!published) throw new Error('the tree above is one')
  const edge: ApprovalEdge = {
    queue,
    registry: folderRegistry({ folder, entries }),
    published,
    now: NOW,
    show: (text) => void shown.push(text),
    confirm: async () => true,
  }
  const slugs = () =>
    z
      .array(z.object({ slug: z.string() }))
      .parse(entries())
      .map(({ slug }) => slug)
  return { edge, queue, shown, slugs }
}

it('keeps the approvals of two reviewers who are asked at once', async () => {
  const { edge, queue, slugs } = await roomOf(requestOf('request-1', 'Ash'), requestOf('request-2', 'Birch'))
  const second = { ...edge }
  const first = {
    ...edge,
    // The other reviewer is asked, and says yes, while this one reads.
    confirm: async () => {
      await approve('request-2', WISH, second)
      return true
    },
  }
  expect(await approve('request-1', WISH, first)).toMatchObject({ status: 'approved', listing: 'ash' })
  expect(slugs()).toEqual(['ash', 'birch'])
  expect([...queue.records.values()].map(({ status, listing }) => [status, listing])).toEqual([
    ['approved', 'ash'],
    ['approved', 'birch'],
  ])
})

it('asks again if the decision would write something other than was shown', async () => {
  const { edge, shown, slugs } = await roomOf(
    requestOf('request-1', 'Ash'),
    requestOf('request-2', 'Ash', { symbol: 'ASH2' }),
  )
  let asked = 0
  const confirm = async () => {
    if (asked++ === 0) await approve('request-2', WISH, edge)
    return true
  }
  expect(await approve('request-1', WISH, { ...edge, confirm })).toMatchObject({ listing: 'ash-2' })
  expect(asked).toBe(2)
  expect(shown.join('\n')).toContain('Another reviewer changed')
  expect(slugs()).toEqual(['ash-2', 'ash'])
})

it('lists nothing that another reviewer rejected meanwhile', async () => {
  const { edge, queue, slugs } = await roomOf(requestOf('request-1', 'Ash'))
  const reject = () => queue.update('request-1', (record) => decide(record, { status: 'rejected', code: 'spam' }, NOW))
  const confirm = async () => (await reject()) !== null
  await expect(approve('request-1', WISH, { ...edge, confirm })).rejects.toThrow(ReviewError)
  expect(slugs()).toEqual([])
  // The very moment between the entry and the decision.
  const late = await roomOf(requestOf('request-1', 'Ash'))
  const queueOfLate = { ...late.queue, update: async () => null }
  await expect(approve('request-1', WISH, { ...late.edge, queue: queueOfLate })).rejects.toThrow(/no longer exists/)
  expect(late.slugs()).toEqual([])
})

it('continues after a queue did not answer', async () => {
  const { edge, queue, slugs } = await roomOf(requestOf('request-1', 'Ash'))
  const away = { ...queue, update: () => Promise.reject(new QueueError('no answer')) }
  await expect(approve('request-1', WISH, { ...edge, queue: away })).rejects.toThrow(QueueError)
  expect(await approve('request-1', WISH, edge)).toMatchObject({ status: 'approved', listing: 'ash' })
  expect(slugs()).toEqual(['ash'])
})

it('writes nothing without a yes', async () => {
  const { edge, queue, slugs } = await roomOf(requestOf('request-1', 'Ash'))
  expect(await approve('request-1', WISH, { ...edge, confirm: async () => false })).toBeNull()
  expect([slugs(), queue.records.get('request-1')?.status]).toEqual([[], 'pending'])
})

it('shows an approval whose entry got lost, and makes it again', async () => {
  const lost = { ...requestOf('request-1', 'Ash'), status: 'approved' as const, listing: 'ash' }
  const { edge, slugs } = await roomOf(lost)
  const registry = openRegistry({ assets: [] })
  expect(hintsOf(lost, [], registry)).toEqual([expect.stringMatching(/approved as ash.*Approve it again/)])
  const after = await approve('request-1', WISH, edge)
  expect(after).toEqual(lost)
  expect(slugs()).toEqual(['ash'])
  await expect(approve('request-1', WISH, edge)).rejects.toThrow(/already approved/)
})

it('keeps the slug of a delisted asset from every other', async () => {
  const { edge, slugs } = await roomOf(
    requestOf('request-1', 'New', { slug: 'terra' }),
    requestOf('request-2', 'Terra'),
  )
  await expect(approve('request-1', WISH, edge)).rejects.toThrow(
    /terra belonged to Terra \(LUNA\), first listed 2021-08-12/,
  )
  await expect(approve('request-2', { ...WISH, slug: 'terra' }, edge)).rejects.toThrow(/--relist terra/)
  expect(slugs()).toEqual([])
  expect(await approve('request-1', { ...WISH, slug: 'terra-new' }, edge)).toMatchObject({ listing: 'terra-new' })
})

it('names the delisted asset that had the slug, and assigns another', async () => {
  const { edge, shown } = await roomOf(requestOf('request-1', 'Terra', { symbol: 'TRA' }))
  expect(await approve('request-1', WISH, edge)).toMatchObject({ listing: 'tra' })
  expect(shown.join('\n')).toContain('terra belonged to Terra (LUNA)')
})

it('never gives a slug whose document cannot be read', async () => {
  const { edge } = await roomOf(requestOf('request-1', 'Torn', { slug: 'torn' }))
  await expect(approve('request-1', WISH, edge)).rejects.toThrow(/cannot be read/)
})

it('gives a delisted asset its slug back where the reviewer says so, and records it', async () => {
  const { edge, slugs } = await roomOf(requestOf('request-1', 'Terra', { slug: 'terra' }))
  const after = await approve('request-1', { ...WISH, relist: 'terra' }, edge)
  expect(after).toMatchObject({ listing: 'terra', reason_code: 'relisted' })
  expect(after?.changes.at(-1)).toMatchObject({ reason_code: 'relisted' })
  expect(slugs()).toEqual(['terra'])
  expect(edge.registry.entries()).toMatchObject([{ slug: 'terra', relisted: true }])
  await expect(approve('request-1', { ...WISH, relist: 'no-such' }, edge)).rejects.toThrow(ReviewError)
})

it('shows a reviewer whose slug a request asks for', () => {
  const published = publishedSlugs((file) => TREE[file] ?? null)
  const hints = hintsOf(
    requestOf('request-1', 'New', { slug: 'terra' }),
    [],
    openRegistry({ assets: [] }),
    published?.formerOwner,
  )
  expect(hints).toEqual([expect.stringMatching(/requests a used slug: terra belonged to Terra/)])
})

it('knows a tree by its list of listings', () => expect(publishedSlugs(() => null)).toBeNull())
