import { cpSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PROOFS } from '../../src/contract/archived-proof.ts'
import { addSnapshot } from '../../src/delivery/add-snapshot.ts'
import type { ArchiveStore } from '../../src/delivery/archive-store.ts'
import { folderStore } from '../../src/delivery/folder-archive.ts'
import { openPast, restorePast } from '../../src/delivery/read-archive.ts'
import { RETENTION, keptTimes, trustedNewest } from '../../src/delivery/retention.ts'
import { type ArchivableSnapshot, snapshotDocuments } from '../../src/delivery/snapshot-documents.ts'
import { archiveDayFile, archiveDayIn } from '../../src/contract/archive.ts'
import { print } from '../../src/contract/text.ts'
import { LAYOUT } from '../../src/tree/layout.ts'
import { Tree } from '../../src/tree/tree.ts'
import { NOON, copyLeanTree, newFolder } from '../sample-tree.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SECOND = NOON + HOUR / 2

const storeIn = (root: string): ArchiveStore => folderStore(root, () => NOON)
const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

/** A snapshot with one document, `index`, that tells its time. */
const snapshotAt = (at: number, name = 'a'): ArchivableSnapshot => {
  const text = print({ ok: true, time: iso(at), name })
  return {
    head: {
      generatedAt: iso(at),
      staleAfter: iso(at + HOUR),
      nextBuildAt: iso(at + HOUR / 2),
      snapshotId: name,
      limits: [],
    },
    documents: [{ path: 'index', text }],
  }
}
const add = (archive: string, at: number, name?: string) =>
  addSnapshot(storeIn(archive), snapshotAt(at, name), RETENTION)
const filesIn = (archive: string) =>
  readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.zip'))
const dayIn = (archive: string, day: string) => {
  const list = archiveDayIn(JSON.parse(readFileSync(join(archive, archiveDayFile(day)), 'utf8')), day)
  if (!list) throw new Error(`${day} is damaged`)
  return list
}
/** The time that the document tells which an archive has for another. */
const toldAt = async (archive: string, at: number): Promise<unknown> => {
  const text = await (await openPast(storeIn(archive), at)).read('index')
  return text === null ? null : JSON.parse(text).time
}

/** The documents of a tree that an archive keeps. */
const textsIn = (root: string): Map<string, string> => {
  const tree = new Tree(root)
  const isKept = (file: string) =>
    file.startsWith('api/mkt') &&
    file.endsWith('.json') &&
    !/\/(history|candles|closes|daily|rates\/years|manifest)[/.]/.test(file)
  return new Map(
    [LAYOUT.index, LAYOUT.collector, LAYOUT.head, ...tree.files.filter(isKept)].map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  )
}

describe('an archive in a folder', () => {
  it('gives back every document of a snapshot, `limit` variants too, as it was published', async () => {
    const [archive, root] = [newFolder(), newFolder()]
    await copyLeanTree(root)
    const published = textsIn(root)
    const addTree = async () => addSnapshot(storeIn(archive), snapshotDocuments(new Tree(root)), RETENTION)
    await addTree()
    const past = await openPast(storeIn(archive), SECOND)
    const found = new Map<string, string>()
    for await (const [path, text] of past.documents()) found.set(path, text)
    expect(found.delete(PROOFS)).toBe(true)
    expect(found).toEqual(published)
    for (const [path, text] of published) expect(await past.read(path), path).toBe(text)
    for (const path of [
      'api/mkt/history/bitcoin/days=7.json',
      'api/mkt/manifest.json',
      'api/mkt/assets/limit=999.json',
    ])
      expect(await past.read(path)).toBe(null)

    const out = join(newFolder(), 'restored')
    expect((await restorePast(past, out)).files).toBe(published.size + 1)
    for (const [path, text] of published) expect(readFileSync(join(out, path), 'utf8')).toBe(text)
    await expect(restorePast(past, out)).rejects.toThrow('is not empty')

    writeFileSync(join(root, 'api/mkt/rates.json'), '{}\n')
    await expect(addTree).rejects.toThrow('api/mkt/rates.json is missing or differs from the manifest')
  })

  it('answers with the newest snapshot until a time, over midnight too', async () => {
    const archive = newFolder()
    const times = [NOON, NOON + 11 * HOUR, NOON + 12 * HOUR, NOON + 13 * HOUR]
    for (const at of times) await add(archive, at)
    for (const at of times) {
      expect(await toldAt(archive, at)).toBe(iso(at))
      expect(await toldAt(archive, at + HOUR - 1)).toBe(iso(at))
    }
    expect(await toldAt(archive, NOON + 30 * HOUR)).toBe(iso(NOON + 13 * HOUR))
    await expect(openPast(storeIn(archive), NOON - 1)).rejects.toThrow('there is no snapshot until')
    expect(dayIn(archive, '2026-11-20').snapshots.map(({ time }) => time)).toEqual(times.slice(0, 3).map(iso))
    expect(dayIn(archive, '2026-11-21').previous?.time).toBe(iso(NOON + 12 * HOUR))
  })

  it('is told apart from a place that takes a file and shows nothing', async () => {
    const portal: ArchiveStore = {
      name: 'a portal',
      list: async () => new Map(),
      read: async () => null,
      put: async () => {},
      remove: async () => {},
      alone: (work) => work(),
    }
    await expect(addSnapshot(portal, snapshotAt(NOON), RETENTION)).rejects.toThrow('does not show it')
  })

  it('is not begun in a folder with other files', async () => {
    const archive = newFolder()
    writeFileSync(join(archive, 'notes.txt'), 'mine')
    await expect(add(archive, NOON)).rejects.toThrow(`${archive} holds notes.txt, and no archive.`)
    expect(readdirSync(archive)).toEqual(['notes.txt'])
  })

  it('adds a snapshot once', async () => {
    const archive = newFolder()
    const { wasThere, snapshot } = await add(archive, NOON)
    const again = await add(archive, NOON)
    expect([wasThere, again.wasThere, again.snapshot]).toEqual([false, true, snapshot])
    expect(filesIn(archive)).toEqual([snapshot.file])
  })

  it('marks the time without snapshots after a failed run, and says so to who asks for it', async () => {
    const archive = newFolder()
    const late = NOON + 2 * DAY
    await add(archive, NOON)
    await add(archive, late)
    await add(archive, late + HOUR / 2)
    const gap = { from: iso(NOON), to: iso(late) }
    for (const day of ['2026-11-20', '2026-11-21', '2026-11-22']) expect(dayIn(archive, day).gaps).toEqual([gap])
    const inGap = await openPast(storeIn(archive), NOON + DAY)
    expect([inGap.gap, inGap.snapshot.time]).toEqual([gap, gap.from])
    expect((await openPast(storeIn(archive), late)).gap).toBe(null)
  })
})

describe('packs of an earlier version', () => {
  const folder = 'archive-2026-11'
  const withPack = (): string => {
    const archive = newFolder()
    cpSync(new URL(`../fixtures/containers/${folder}`, import.meta.url), join(archive, folder), { recursive: true })
    return archive
  }

  it('are not read, and the message says what reads them', async () => {
    await expect(toldAt(withPack(), NOON)).rejects.toThrow(
      /\.pack: it is a pack, which snapshots were before they were ZIP files\. The version that wrote it reads it/,
    )
  })

  it('stay listed when a snapshot is added', async () => {
    const archive = withPack()
    expect(await add(archive, SECOND)).toMatchObject({ removed: [], foreign: [] })
    expect(dayIn(archive, '2026-11-20').snapshots.map(({ time }) => time)).toEqual([NOON, SECOND].map(iso))
  })
})

describe('bad files in an archive', () => {
  const day = archiveDayFile('2026-11-20')

  it.each([
    ['was killed before the list was written', (file: string) => rmSync(file)],
    [
      'was overtaken by another, which did not know its file',
      (file: string) =>
        writeFileSync(file, JSON.stringify({ format: 2, day: '2026-11-20', previous: null, snapshots: [], gaps: [] })),
    ],
    ['left a damaged list', (file: string) => truncateSync(file, 20)],
  ])('finds the file of a writer that %s', async (_, harm) => {
    const archive = newFolder()
    const { snapshot } = await add(archive, NOON)
    harm(join(archive, day))
    await add(archive, SECOND)
    expect(dayIn(archive, '2026-11-20').snapshots.map(({ time }) => time)).toEqual([NOON, SECOND].map(iso))
    expect(dayIn(archive, '2026-11-20').snapshots[0]).toEqual(snapshot)
    expect(await toldAt(archive, NOON)).toBe(iso(NOON))
  })

  it('never lists nor deletes a foreign file with the name of a snapshot, and refuses one in the place of its own', async () => {
    const archive = newFolder()
    const { snapshot } = await add(archive, NOON)
    const foreign = 'archive-2026-11/2026-11-20T11-00-00Z-0123456789abcdef.zip'
    writeFileSync(join(archive, foreign), 'not a snapshot '.repeat(30))
    const own = readFileSync(join(archive, snapshot.file))
    writeFileSync(join(archive, snapshot.file), Buffer.alloc(own.length, 'x'))
    await expect(add(archive, NOON)).rejects.toThrow('is not this snapshot')
    await expect(toldAt(archive, NOON)).rejects.toThrow('SHA-256')
    writeFileSync(join(archive, snapshot.file), own)
    expect((await add(archive, NOON)).foreign).toEqual([foreign])
    expect(readFileSync(join(archive, foreign), 'utf8')).toContain('not a snapshot')
    expect(dayIn(archive, '2026-11-20').snapshots).toEqual([snapshot])
  })

  it('refuses a listed file that was cut off, and lists it no more', async () => {
    const archive = newFolder()
    const { snapshot } = await add(archive, NOON)
    truncateSync(join(archive, snapshot.file), snapshot.bytes - 100)
    await expect(toldAt(archive, NOON)).rejects.toThrow('SHA-256')
    expect((await add(archive, SECOND)).foreign).toEqual([snapshot.file])
    await expect(toldAt(archive, NOON)).rejects.toThrow('there is no snapshot until')
  })

  it('takes no list for a digest, however deep', async () => {
    const archive = newFolder()
    const { snapshot } = await add(archive, NOON)
    const list = (sha256: unknown) => ({
      ...dayIn(archive, '2026-11-20'),
      snapshots: [{ ...snapshot, end: { ...snapshot.end, sha256 } }],
    })
    const levels = 20_000
    for (const digest of [[snapshot.end.sha256], JSON.parse('['.repeat(levels) + ']'.repeat(levels))])
      expect(archiveDayIn(list(digest), '2026-11-20')).toBeNull()
    expect(archiveDayIn(list(snapshot.end.sha256), '2026-11-20')).not.toBeNull()
  })

  it('keeps the first of two snapshots of one time', async () => {
    const archive = newFolder()
    const { snapshot } = await add(archive, NOON)
    await expect(add(archive, NOON, 'b')).rejects.toThrow(`has another snapshot of ${iso(NOON)}`)
    expect(filesIn(archive)).toEqual([snapshot.file])
  })

  it('lets two writers add at once, without a lock, and loses neither file', async () => {
    const archive = newFolder()
    const open: ArchiveStore = { ...storeIn(archive), alone: (work) => work() }
    await Promise.all([NOON, SECOND].map((at) => addSnapshot(open, snapshotAt(at), RETENTION)))
    await addSnapshot(open, snapshotAt(SECOND + HOUR / 2), RETENTION)
    expect(dayIn(archive, '2026-11-20').snapshots).toHaveLength(3)
    for (const at of [NOON, SECOND]) expect(await toldAt(archive, at)).toBe(iso(at))
  })

  it('fails at once while another process writes to the folder', async () => {
    const archive = newFolder()
    await storeIn(archive).alone(async () => {
      await expect(add(archive, NOON)).rejects.toThrow('is being changed by')
    })
  })

  it('keeps what it has when the clock goes back', async () => {
    const archive = newFolder()
    await add(archive, NOON)
    for (const at of [NOON - HOUR, NOON - 400 * DAY]) {
      expect((await add(archive, at)).removed).toEqual([])
      expect(await toldAt(archive, at)).toBe(iso(at))
      expect(await toldAt(archive, NOON)).toBe(iso(NOON))
    }
    expect((await add(archive, NOON + HOUR / 2)).removed).toEqual([])
    expect(await toldAt(archive, NOON - 1)).toBe(iso(NOON - HOUR))
  })
})

describe('a clock that jumps forward', () => {
  const real = Array.from({ length: 6 }, (_, at) => NOON + at * (HOUR / 2))

  it.each([3, 30, 70, 400])('by %i days thins nothing', async (days) => {
    const archive = newFolder()
    for (const at of real.slice(0, 5)) await add(archive, at)
    const ahead = NOON + days * DAY
    for (const at of [ahead, ahead + HOUR / 2, ahead + 3 * DAY]) expect((await add(archive, at)).removed).toEqual([])
    for (const at of real.slice(0, 5)) expect(await toldAt(archive, at)).toBe(iso(at))
    // The clock is right again.
    expect((await add(archive, real[5] ?? 0)).removed).toEqual([])
    for (const at of real) expect(await toldAt(archive, at)).toBe(iso(at))
  })

  it('was right if snapshots of two days follow: thinning goes on', async () => {
    const archive = newFolder()
    for (const at of real) await add(archive, at)
    const again = NOON + 30 * DAY
    const removed: string[] = []
    for (let hours = 0; hours <= 70; hours += 5) removed.push(...(await add(archive, again + hours * HOUR)).removed)
    // Of NOON to NOON + 2.5 hours the full hours stay, and the last of the day.
    expect(removed).toHaveLength(2)
  })

  it('by 47 hours, in two runs, thins nothing', async () => {
    const archive = newFolder()
    const half = Array.from({ length: 12 }, (_, at) => NOON + at * (HOUR / 2))
    for (const at of [...half, NOON + 52 * HOUR, NOON + 52.5 * HOUR])
      expect((await add(archive, at)).removed).toEqual([])
  })

  it('however often, is not what ages count from', () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }),
        fc.array(fc.integer({ min: 49, max: 4000 }), { maxLength: 4 }),
        (waits, jumps) => {
          let at = NOON
          const before = [at, ...waits.map((hours) => (at += hours * HOUR))]
          const after = jumps.map((hours) => (at += hours * HOUR))
          expect(trustedNewest([...after, ...before])).toBe(before.at(-1))
        },
      ),
    ))
})

describe('what is kept', () => {
  const runs = fc
    .array(fc.record({ wait: fc.integer({ min: 1, max: 4000 }) }), { minLength: 1, maxLength: 200 })
    .map((waits) => {
      let at = NOON
      return waits.map(({ wait }) => (at += wait * 60_000))
    })
  const newestUntil = (times: Iterable<number>, at: number) =>
    Math.max(-Infinity, ...[...times].filter((time) => time <= at))

  it('is, on the hour for 60 days and at every midnight for ever, what was current then', () =>
    fc.assert(
      fc.property(runs, (times) => {
        const kept = keptTimes(times, RETENTION)
        const newest = Math.max(...times)
        expect(kept.has(newest)).toBe(true)
        for (let at = Math.ceil(NOON / DAY) * DAY; at <= newest; at += DAY)
          expect(newestUntil(kept, at)).toBe(newestUntil(times, at))
        for (let at = Math.ceil((newest - 59 * DAY) / HOUR) * HOUR; at <= newest; at += 7 * HOUR)
          expect(newestUntil(kept, at)).toBe(newestUntil(times, at))
      }),
      { numRuns: 40 },
    ))

  it('follows from all snapshots as from those that an earlier thinning left', () =>
    fc.assert(
      fc.property(runs, fc.nat(199), (times, split) => {
        const before = times.slice(0, split + 1)
        const thinned = [...keptTimes(before, RETENTION), ...times.slice(split + 1)]
        expect(keptTimes(thinned, RETENTION)).toEqual(keptTimes(times, RETENTION))
      }),
    ))

  it('is two days of half hours, 60 days of hours and every day', () => {
    const times = Array.from({ length: 48 * 100 }, (_, at) => NOON + at * (HOUR / 2))
    const kept = keptTimes(times, RETENTION)
    expect(kept.size).toBeGreaterThanOrEqual(2 * 48 + 58 * 24 + 40)
    expect(kept.size).toBeLessThanOrEqual(2 * 48 + 58 * 24 + 40 + 4)
  })
})
