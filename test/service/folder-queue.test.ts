import { readdirSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { folderQueue } from '../../src/service/folder-queue.ts'
import type { RequestRecord } from '../../src/service/queue.ts'
import { newFolder } from '../sample-tree.ts'
import { AT } from './world.ts'

let folder: string
const reported: unknown[] = []
const open = () => folderQueue(join(folder, 'queue'), randomUUID, (error) => reported.push(error))
const record = (id: string, name = 'A'): RequestRecord => ({
  request_id: id,
  status: 'pending',
  submitted_at: AT,
  updated_at: AT,
  fingerprint: id,
  body_digest: name,
  sender: 's',
  body: { request_type: 'new', name, symbol: 'A', website: 'https://a.example' },
  ignored: [],
  reason_code: null,
  reason: null,
})

beforeEach(() => {
  folder = newFolder()
  reported.length = 0
})

it('has nothing in it before the first request', async () => expect(await open().list()).toEqual([]))

it('keeps every request of many added at once through several queues', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => `request-${index}`)
  await Promise.all(ids.map((id) => open().add(record(id))))
  expect((await open().list()).map(({ request_id }) => request_id)).toEqual(ids.toSorted())
  expect(readdirSync(join(folder, 'queue'))).toHaveLength(200)
})

it('keeps the first of two with one name', async () => {
  const [a, b] = await Promise.all([open().add(record('same-name', 'A')), open().add(record('same-name', 'B'))])
  expect(a).toEqual(b)
  expect(await open().list()).toEqual([a])
})

it('sets a damaged file aside, names it, and goes on', async () => {
  await open().add(record('request-1'))
  writeFileSync(join(folder, 'queue', 'request-2.json'), '{"request_id":')
  expect(await open().list()).toHaveLength(1)
  expect(String(reported[0])).toContain('request-2.json')
  expect(readdirSync(join(folder, 'queue'))).toContain('request-2.json.damaged')
})
