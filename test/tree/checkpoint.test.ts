import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { lastState } from '../../src/tree/restore-newest.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { Tree } from '../../src/tree/tree.ts'
import { partsOf } from '../../src/tree/checkpoint.ts'
import { writeCheckpoint } from '../../src/tree/write-checkpoint.ts'
import { NOON, newFolder, leanRun } from '../sample-tree.ts'
import { checkpointOf, pointerIn } from './state-folder.ts'

const COUNT = 12
const published = newFolder()
const OPTIONS = { timeoutMs: 120_000, attempts: 1, pause: async () => {} }
const from = (...folders: readonly string[]) => folders.map((folder) => placeAt(folder, OPTIONS))
const partsIn = (root: string) => readdirSync(join(root, 'state')).filter((name) => name !== 'latest.json')

beforeAll(async () => {
  await leanRun(published, { count: COUNT, checkpoint: true })
})

describe('the checkpoint', () => {
  it('restores the tree to the byte, limit variants among it', async () => {
    const root = newFolder()
    const restored = await lastState(new Tree(root), from(checkpointOf(published)), NOON + 3_600_000)
    expect(restored).toMatchObject({ kind: 'checkpoint', ageMs: 3_600_000, damaged: [], resumed: 0, passedOver: [] })
    expect(restored?.cut).toBeGreaterThan(0)
    const documents = filesBelow(published, '').filter((file) => !file.startsWith('state/'))
    expect(filesBelow(root, '').toSorted()).toEqual(documents.toSorted())
    for (const file of documents)
      expect(readFileSync(join(root, file), 'utf8'), file).toBe(readFileSync(join(published, file), 'utf8'))
  })

  it('is extended as if the tree had always been there', async () => {
    const [straight, restored] = [newFolder(), newFolder()]
    await lastState(new Tree(straight), from(published), NOON)
    const run = { count: COUNT + 1, now: NOON + 1_800_000 }
    await leanRun(straight, run)
    await leanRun(restored, { ...run, from: from(checkpointOf(published)) })
    for (const file of filesBelow(straight, ''))
      expect(readFileSync(join(restored, file), 'utf8'), file).toBe(readFileSync(join(straight, file), 'utf8'))
  })

  it('has equal bytes for equal trees', async () => {
    const before = pointerIn(published)
    expect(writeCheckpoint(new Tree(published))).toEqual(before)
    const other = newFolder()
    await leanRun(other, { count: COUNT, checkpoint: true })
    expect(pointerIn(other)).toEqual(before)
  })

  it('is replaced by that of the next publication, and nothing else is left beside it', async () => {
    const root = newFolder()
    await leanRun(root, { count: 2, checkpoint: true })
    const before = pointerIn(root)
    writeFileSync(join(root, 'state/.part.new'), 'cut off')
    await leanRun(root, { count: 2, now: NOON + 1_800_000, checkpoint: true })
    const after = pointerIn(root)
    expect(after.generatedAt).not.toBe(before.generatedAt)
    expect(partsIn(root).toSorted()).toEqual(
      partsOf(after)
        .map(({ file }) => file)
        .toSorted(),
    )
  })

  it('is opened by unzip, documents and groups of them', () => {
    const [part] = pointerIn(published).parts
    const unzip = (option: string, ...names: readonly string[]) =>
      execFileSync('unzip', [option, join(published, 'state', part?.file ?? ''), ...names], { encoding: 'utf8' })
    expect(unzip('-t')).toContain('No errors detected')
    expect(unzip('-p', 'api/mkt.json')).toBe(readFileSync(join(published, 'api/mkt.json'), 'utf8'))
  })

  it('of a version before ZIP files is refused with a sentence, and a tree beside it is gone on from', async () => {
    const root = newFolder()
    mkdirSync(join(root, 'state'))
    const pointer = {
      generatedAt: '2026-11-20T12:00:00Z',
      snapshotId: 'x',
      bytes: 1,
      parts: [{ file: `${'0'.repeat(64)}.part`, bytes: 1 }],
    }
    writeFileSync(join(root, 'state/latest.json'), JSON.stringify(pointer))
    const run = { count: COUNT, now: NOON + 60_000 }
    await expect(leanRun(root, run)).rejects.toThrow(
      'state/latest.json is damaged, or of a version that this program no longer',
    )
    expect(await leanRun(root, { ...run, from: from(published) })).toMatchObject({ outcome: 'published', events: [] })
  })

  it('in the folder of the tree is used without --from', async () => {
    const root = checkpointOf(published)
    const report = await leanRun(root, { count: COUNT, now: NOON + 60_000 })
    expect(report.restored).toMatchObject({ place: root, kind: 'checkpoint' })
    expect(report.events).toEqual([])
  })
})

describe('a folder without a tree', () => {
  it('starts fresh if there is no trace of a publication', async () => {
    expect(await lastState(new Tree(newFolder()), [], NOON)).toBeNull()
  })

  it('is refused where a restore was cut off and no place is named', async () => {
    const root = newFolder()
    mkdirSync(join(root, '.incoming'))
    await expect(leanRun(root, { count: 2 })).rejects.toThrow(/an interrupted restore.*--from.*--fresh/s)
  })

  it('is refused where its own archive is damaged, and replaced with --fresh', async () => {
    const root = checkpointOf(published)
    for (const name of partsIn(root)) rmSync(join(root, 'state', name))
    await expect(leanRun(root, { count: 2 })).rejects.toMatchObject({ reason: 'nothing_restored' })
    expect(existsSync(join(root, 'api'))).toBe(false)
    expect(await leanRun(root, { count: 2, fresh: true })).toMatchObject({ outcome: 'published', restored: null })
  })
})
