import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addSnapshot } from '../../src/delivery/add-snapshot.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { openPast } from '../../src/delivery/read-archive.ts'
import { RETENTION } from '../../src/delivery/retention.ts'
import { siteArchive } from '../../src/client/archive.ts'
import { print } from '../../src/contract/text.ts'
import { type Host, hostOf, ownHost } from '../client/hosts.ts'
import { NOON, newFolder } from '../sample-tree.ts'

const root = newFolder()
const text = print({ ok: true, rates: [1, 2] })
const hosts: { own?: Awaited<ReturnType<typeof ownHost>>; plain?: Host; gone?: Host } = {}

beforeAll(async () => {
  const time = '2026-11-20T12:00:00Z'
  const head = {
    generatedAt: time,
    staleAfter: '2026-11-20T13:00:00Z',
    nextBuildAt: '2026-11-20T12:30:00Z',
    snapshotId: 'a',
    limits: [],
  }
  const documents = [{ path: 'api/mkt/rates.json', text }]
  await addSnapshot(
    folderStore(join(root, 'archive'), () => NOON),
    { head, documents },
    RETENTION,
  )
  hosts.own = await ownHost(root, NOON)
  hosts.plain = await hostOf((request, response) => response.end(readFileSync(join(root, request.url ?? ''))))
  hosts.gone = await hostOf((_, response) => response.writeHead(404).end())
})
afterAll(() => Promise.all(Object.values(hosts).map((host) => host.close())))

const at = async (url = '', time = NOON) =>
  (await openPast(siteArchive(`${url}/archive/`, fetch, 10_000), time)).read('api/mkt/rates.json')

it('reads an archive on a host with ranges', async () => {
  expect(await at(hosts.own?.url)).toBe(text)
})

it('reads a file once from a host that ignores ranges', async () => {
  expect(await at(hosts.plain?.url)).toBe(text)
  expect(hosts.plain?.log.filter((line) => line.endsWith('.zip'))).toHaveLength(1)
})

it('says what a host does not have', async () => {
  await expect(at(hosts.gone?.url)).rejects.toThrow('there is no snapshot until')
  await expect(at(hosts.own?.url, NOON - 1)).rejects.toThrow('there is no snapshot until')
})
