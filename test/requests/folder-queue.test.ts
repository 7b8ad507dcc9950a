import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { secretIn } from '../../src/requests/folder-queue.ts'
import { newFolder } from '../sample-tree.ts'
import { recordOf } from '../service/world.ts'

let folder: string
const reported: unknown[] = []
let clock: number
const open = () =>
  openFolderQueue(
    join(folder, 'queue'),
    (error) => reported.push(error),
    () => clock,
  )
beforeEach(() => {
  folder = newFolder()
  reported.length = 0
  clock = Date.now()
})

it('keeps every request of many added at once through several queues', async () => {
  const ids = Array.from({ length: 200 }, (_, index) => `request-${index}`)
  await Promise.all(ids.map((id) => open().add(recordOf(id))))
  expect((await open().list()).map(({ request_id }) => request_id)).toEqual(ids.toSorted())
  expect(readdirSync(join(folder, 'queue'))).toHaveLength(200)
})

it('skips files that are no requests', async () => {
  await open().add(recordOf('request-1'))
  mkdirSync(join(folder, 'queue', 'a-folder.json'))
  writeFileSync(join(folder, 'queue', 'README.md'), '')
  expect(await open().list()).toHaveLength(1)
  expect(reported).toEqual([])
})

it('keeps one file of many changes made at once', async () => {
  await open().add(recordOf('request-1'))
  const change = (number: number) => open().update('request-1', (before) => ({ ...before, reason: String(number) }))
  await Promise.all(Array.from({ length: 12 }, (_, number) => change(number)))
  expect(readdirSync(join(folder, 'queue'))).toEqual(['request-1.json'])
  expect(await open().add(recordOf('request-1'))).toEqual(await open().get('request-1'))
})

it('gives every process the same secret', async () => {
  const secrets = await Promise.all([secretIn(folder), secretIn(folder), secretIn(folder)])
  expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set([...secrets, await secretIn(folder)]).size).toBe(1)
})

it('deletes drafts of killed processes, and no draft that is being written', async () => {
  await open().add(recordOf('request-1'))
  writeFileSync(join(folder, 'queue', 'request-2.left.draft'), '{"contact_email":"me@naive.example"}')
  await secretIn(join(folder, 'queue'))
  await open().list()
  expect(readdirSync(join(folder, 'queue'))).toHaveLength(3)
  clock += 11 * 60_000
  await open().list()
  expect(readdirSync(join(folder, 'queue')).toSorted()).toEqual(['.secret', 'request-1.json'])
})

it('reads the folder again when its time of change does', async () => {
  const [path, queue] = [join(folder, 'queue'), open()]
  await queue.add(recordOf('request-1'))
  const longAgo = new Date(clock - 60_000)
  utimesSync(path, longAgo, longAgo)
  expect(await queue.list()).toHaveLength(1)
  await open().add(recordOf('request-2'))
  // A change that the time does not show is not seen; no file system makes one.
  utimesSync(path, longAgo, longAgo)
  expect(await queue.list()).toHaveLength(1)
  utimesSync(path, longAgo, new Date(clock - 50_000))
  expect(await queue.list()).toHaveLength(2)
})

it('sees at once what others add while the folder is young', async () => {
  const queue = open()
  for (let number = 1; number <= 20; number++) {
    await open().add(recordOf(`request-${number}`))
    expect(await queue.list()).toHaveLength(number)
  }
})
