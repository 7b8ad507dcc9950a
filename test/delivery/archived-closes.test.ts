import { readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addCloses, archivedCloses } from '../../src/delivery/archived-closes.ts'
import { type ArchiveStore, siteArchive } from '../../src/delivery/archive-store.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { closesFile } from '../../src/contract/closes.ts'
import { ownHost } from '../client/hosts.ts'
import { NOON, newFolder } from '../sample-tree.ts'
import { daysUntil, publishCloses } from '../tree/closes-tree.ts'

const storeIn = (root: string): ArchiveStore => folderStore(root, () => NOON)
const DAYS = daysUntil('2026-11-20', 60)
const PAST = DAYS.filter((day) => day < '2026-11-13')

describe('closes in an archive', () => {
  it('are those that no run changes any more, once, and stay when the days have left the tree', async () => {
    const [root, archive] = [newFolder(), newFolder()]
    const tree = publishCloses(root, DAYS)
    const texts = new Map(DAYS.map((day) => [day, readFileSync(join(root, closesFile(day)), 'utf8')]))
    const store = storeIn(archive)
    expect(await addCloses(store, tree)).toEqual(PAST)
    expect(await addCloses(store, tree)).toEqual([])
    const fewer = publishCloses(root, daysUntil('2026-11-21', 10))
    expect(fewer.read(closesFile('2026-10-01'))).toBe(null)
    expect(await addCloses(store, fewer)).toEqual(['2026-11-13'])
    for (const day of [...PAST, '2026-11-13']) expect(await archivedCloses(store, day)).toBe(texts.get(day))
    expect(await archivedCloses(store, '2026-11-14')).toBe(null)
    expect(await archivedCloses(store, '2020-01-01')).toBe(null)
  })

  it('follow after a writer was killed anywhere, and whatever became of a list', async () => {
    const tree = publishCloses(newFolder(), DAYS)
    for (const puts of [0, 1, 8, 9, 30, 40]) {
      const archive = newFolder()
      const store = storeIn(archive)
      let left = puts
      const killed: ArchiveStore = {
        ...store,
        put: (file, bytes) => (left-- > 0 ? store.put(file, bytes) : Promise.reject(new Error('killed'))),
      }
      await expect(addCloses(killed, tree)).rejects.toThrow('killed')
      await addCloses(store, tree)
      for (const day of PAST) expect(await archivedCloses(store, day)).toBe(tree.read(closesFile(day)))
      truncateSync(join(archive, 'archive-2026-11/closes.json'), 30)
      expect(await addCloses(store, tree)).toEqual(PAST.filter((day) => day >= '2026-11-01'))
    }
  })

  it('are never handed out damaged', async () => {
    const archive = newFolder()
    await addCloses(storeIn(archive), publishCloses(newFolder(), DAYS))
    const folder = join(archive, 'archive-2026-10')
    const [first = '', second = ''] = readdirSync(folder).filter((name) => name.endsWith('.zip'))
    writeFileSync(join(folder, first), readFileSync(join(folder, second)))
    rmSync(join(folder, second))
    for (const name of [first, second])
      await expect(archivedCloses(storeIn(archive), name.slice(7, 17))).rejects.toThrow('SHA-256')
  })

  it('are read from any host of files', async () => {
    const archive = newFolder()
    const tree = publishCloses(newFolder(), DAYS)
    await addCloses(storeIn(archive), tree)
    const host = await ownHost(archive, NOON)
    try {
      const site = siteArchive(host.url, fetch, 10_000)
      expect(await archivedCloses(site, '2026-10-05')).toBe(tree.read(closesFile('2026-10-05')))
    } finally {
      await host.close()
    }
  })
})
