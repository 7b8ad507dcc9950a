import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { NO_REQUESTS as PUBLIC } from '../../src/contract/listing-request.ts'
import { QueueError } from '../../src/requests/queue.ts'
import { requestsOfRun } from '../../src/run/listing-requests.ts'
import { memoryQueue, recordOf } from '../service/world.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun } from '../sample-tree.ts'
import { deepIt } from '../scale.ts'

const root = newFolder()
const published = (): unknown => JSON.parse(readFileSync(join(root, 'api/mkt/listing-requests.json'), 'utf8'))
const queue = memoryQueue()

beforeAll(async () => {
  await queue.add({ ...recordOf('request-1'), status: 'approved', listing: 'bitcoin' })
  await sampleRun(root, { queue, history: NO_REQUESTS })
})

it('publishes the state of the queue, and lists in it what the feed has', async () => {
  expect(published()).toMatchObject({ counts: { listed: 1, approved: 0 }, rows: [{ status: 'listed' }] })
  expect(await queue.get('request-1')).toMatchObject({ status: 'listed' })
})

deepIt('keeps the last public state without a readable queue', async () => {
  const before = published()
  await sampleRun(root, { now: NOON + 60_000 })
  expect(published()).toEqual(before)
  const away = { ...memoryQueue(), list: () => Promise.reject(new QueueError('away')) }
  const { requests } = await sampleRun(root, { now: NOON + 120_000, queue: away })
  expect(requests).toMatchObject({ error: 'away', listed: 0 })
  expect(published()).toEqual(before)
})

it('changes nothing in the queue before the publication is committed', async () => {
  const waiting = memoryQueue()
  await waiting.add({ ...recordOf('request-1'), status: 'approved', listing: 'bitcoin' })
  const run = await requestsOfRun(waiting, new Set(['bitcoin']), NOON, PUBLIC)
  expect(run.published.counts.listed).toBe(1)
  expect(await waiting.get('request-1')).toMatchObject({ status: 'approved' })
  expect(await run.applyChanges()).toMatchObject({ listed: 1 })
  expect(await waiting.get('request-1')).toMatchObject({ status: 'listed' })
})
