import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { NO_REQUESTS as PUBLIC } from '../../src/core/contract/listing-request.ts'
import { QueueError, requestsOfRun } from '../../src/requests/queue.ts'
import { memoryQueue, recordOf } from '../service/world.ts'
import { NOON, NO_REQUESTS, newFolder, sampleRun } from '../sample-tree.ts'
import { deepIt } from '../scale.ts'

const root = newFolder()
const published = (): unknown => JSON.parse(readFileSync(join(root, 'api/mkt/listing-requests.json'), 'utf8'))
const queue = memoryQueue()

const old = { ...recordOf('request-1'), status: 'rejected', updated_at: '2026-10-01T00:00:00Z' } as const

beforeAll(async () => {
  await queue.add(old)
  await sampleRun(root, { requests: requestsOfRun(queue), history: NO_REQUESTS })
})

it('publishes the state of the queue, and deletes its old contacts', async () => {
  expect(published()).toMatchObject({ counts: { rejected: 1, pending: 0 }, rows: [{ status: 'rejected' }] })
  expect(await queue.get('request-1')).toEqual({ ...old, sender: '' })
})

deepIt('keeps the last public state without a readable queue', async () => {
  const before = published()
  await sampleRun(root, { now: NOON + 60_000 })
  expect(published()).toEqual(before)
  const away = { ...memoryQueue(), list: () => Promise.reject(new QueueError('away')) }
  const { requests } = await sampleRun(root, { now: NOON + 120_000, requests: requestsOfRun(away) })
  expect(requests).toMatchObject({ error: 'away', deleted: 0 })
  expect(published()).toEqual(before)
})

it('changes nothing in the queue before the publication is committed', async () => {
  const waiting = memoryQueue()
  await waiting.add(old)
  const run = await requestsOfRun(waiting)(NOON, PUBLIC)
  expect(await waiting.get('request-1')).toEqual(old)
  expect(await run.applyChanges()).toEqual({ contacts: 1, deleted: 0, error: null })
  expect(await waiting.get('request-1')).toMatchObject({ sender: '' })
})
