import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { printDay } from '../../src/delivery/archive-days.ts'
import { ArchiveError } from '../../src/delivery/archive-store.ts'
import { siteArchive } from '../../src/client/archive.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { type PastSnapshot, openPast, restorePast } from '../../src/delivery/read-archive.ts'
import { createClient } from '../../src/client/client.ts'
import { SnapshotFileError } from '../../src/client/errors.ts'
import { archiveDayFile } from '../../src/contract/archive.ts'
import { type Host, hostOf } from '../client/hosts.ts'
import { NOON, newFolder } from '../sample-tree.ts'
import { DISK_BOMBS, HOSTILE_FILES, type HostileFile } from './hostile-files.ts'

const DAY = '2026-11-20'

/** Returns a folder with an archive whose only snapshot file this is. */
function archiveWith({ listed, bytes }: HostileFile): string {
  const root = newFolder()
  const put = (file: string, body: string | Uint8Array) => {
    mkdirSync(dirname(join(root, 'archive', file)), { recursive: true })
    writeFileSync(join(root, 'archive', file), body)
  }
  put(listed.file, bytes)
  put(archiveDayFile(DAY), printDay({ format: 2, day: DAY, previous: null, snapshots: [listed], gaps: [] }))
  return root
}

const openIn = (root: string): Promise<PastSnapshot> =>
  openPast(
    folderStore(join(root, 'archive'), () => NOON),
    NOON,
  )

describe.each(Object.entries(HOSTILE_FILES))('a snapshot file with %s', (_, make) => {
  it('is refused by name, and leaves nothing behind', async () => {
    const file = make()
    const root = archiveWith(file)
    const out = join(root, 'out')
    const read = async () => (await openIn(root)).read(file.path)
    const restore = async () => restorePast(await openIn(root), out)
    for (const use of [read, restore]) {
      const error = await use().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(SnapshotFileError)
      expect(String(error)).toContain(file.listed.file)
    }
    expect(readdirSync(root)).toEqual(['archive'])
  })
})

describe.each(Object.entries(DISK_BOMBS))('a snapshot file with %s', (_, make) => {
  it('is not restored', async () => {
    const file = make()
    const root = archiveWith(file)
    const restored = restorePast(await openIn(root), join(root, 'out'))
    await expect(restored).rejects.toThrow(ArchiveError)
    await expect(restored).rejects.toThrow(file.listed.file)
    expect(existsSync(join(root, 'out'))).toBe(false)
  })
})

describe('a hostile host of an archive', () => {
  const hosts: Host[] = []
  const internal: { host?: Host } = {}
  beforeAll(async () => {
    internal.host = await hostOf((_, response) => response.end('secret'))
    hosts.push(internal.host)
  })
  afterAll(() => Promise.all(hosts.map((host) => host.close())))

  const clientAt = ({ url }: Host) =>
    createClient({ mirrors: 'https://none.example', archives: [`${url}/archive`] }).at(NOON)

  it('cannot make a client read without end', async () => {
    const make = HOSTILE_FILES['more bytes than there are']
    if (!make) throw new Error('there is no such file')
    const root = archiveWith(make())
    const host = await hostOf((request, response) => {
      const path = request.url ?? ''
      if (!path.endsWith('.zip')) return response.end(readFileSync(join(root, path)))
      const chunk = Buffer.alloc(2 ** 20)
      const more = (): void => void response.write(chunk, (error) => (error ? undefined : more()))
      return more()
    })
    hosts.push(host)
    await expect(clientAt(host).assets()).rejects.toThrow('a snapshot file at most')
  })

  it('cannot lead a reader into its own network', async () => {
    const host = await hostOf((_, response) =>
      response.writeHead(302, { location: `${internal.host?.url}/admin` }).end(),
    )
    hosts.push(host)
    const site = siteArchive(`${host.url}/archive`, fetch, 10_000)
    await expect(openPast(site, NOON)).rejects.toThrow('redirects to')
    await expect(clientAt(host).assets()).rejects.toThrow('redirects to')
    expect(internal.host?.log).toEqual([])
  })

  it('may send a reader to another path of its own', async () => {
    const host = await hostOf((request, response) => {
      const isMoved = request.url?.startsWith('/moved') === true
      response.writeHead(isMoved ? 404 : 302, { location: '/moved' }).end()
    })
    hosts.push(host)
    await expect(openPast(siteArchive(`${host.url}/archive`, fetch, 10_000), NOON)).rejects.toThrow(
      'there is no snapshot',
    )
  })
})
