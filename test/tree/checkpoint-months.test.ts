import { readFileSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { closesFile } from '../../src/contract/closes.ts'
import { placeAt } from '../../src/tree/remote.ts'
import { restoreNewest } from '../../src/tree/restore-newest.ts'
import { Tree } from '../../src/tree/tree.ts'
import { writeCheckpoint } from '../../src/tree/write-checkpoint.ts'
import { newFolder } from '../sample-tree.ts'
import { checkpointOf, pointerIn } from './state-folder.ts'
import { daysUntil, publishCloses } from './closes-tree.ts'

const monthPart = (root: string, month: string): string => {
  const [part] = pointerIn(root).months.find((one) => one.month === month)?.parts ?? []
  return join(root, 'state', part?.file ?? '')
}
const restored = async (from: string) => {
  const tree = new Tree(newFolder())
  const place = placeAt(from, { timeoutMs: 120_000, attempts: 1, pause: async () => {} })
  return { tree, ...(await restoreNewest(tree, [place], Date.parse('2026-11-21'))) }
}

describe('the closes of past months in the checkpoint', () => {
  const days = daysUntil('2026-11-20', 100)
  let root = ''
  beforeEach(async () => {
    root = newFolder()
    writeCheckpoint(publishCloses(root, days))
  })

  it('are streams of their own, a month that may still be filled is not', async () => {
    expect(pointerIn(root).months.map(({ month }) => month)).toEqual(['2026-08', '2026-09', '2026-10'])
    const early = newFolder()
    writeCheckpoint(publishCloses(early, daysUntil('2026-11-08', 60)))
    expect(pointerIn(early).months.map(({ month }) => month)).toEqual(['2026-09'])
  })

  it('are restored to the byte on a machine that begins with the archive alone', async () => {
    const { tree, kind, damaged } = await restored(checkpointOf(root))
    expect([kind, damaged]).toEqual(['checkpoint', []])
    const before = new Tree(root)
    expect(tree.files.toSorted()).toEqual(before.files.toSorted())
    for (const file of before.files) expect(tree.read(file), file).toBe(readFileSync(join(root, file), 'utf8'))
  })

  it('are neither read nor written again by the next run', async () => {
    const file = monthPart(root, '2026-09')
    const [name, { ino, mtimeMs }] = [file, statSync(file)]
    const read: string[] = []
    const tree = publishCloses(root, [...days, '2026-11-21'])
    const whole = tree.read.bind(tree)
    tree.read = (path) => {
      read.push(path)
      return whole(path)
    }
    writeCheckpoint(tree)
    expect(monthPart(root, '2026-09')).toBe(name)
    expect(statSync(name)).toMatchObject({ ino, mtimeMs })
    expect(read).toContain(closesFile('2026-11-20'))
    expect(read).not.toContain(closesFile('2026-10-31'))
  })

  it('are equal whether written one after the other or at once', async () => {
    writeCheckpoint(publishCloses(root, [...days, '2026-11-21']))
    const atOnce = newFolder()
    publishCloses(atOnce, days)
    writeCheckpoint(publishCloses(atOnce, [...days, '2026-11-21']))
    expect(pointerIn(atOnce)).toEqual(pointerIn(root))
  })

  it('are written again where a document changed, or a part was lost or cut off', async () => {
    const [september, october] = ['2026-09', '2026-10'].map((month) => monthPart(root, month))
    rmSync(september ?? '')
    truncateSync(october ?? '', 10)
    writeCheckpoint(publishCloses(root, days, (day) => (day === '2026-08-20' ? 6 : 5)))
    expect(statSync(october ?? '').size).toBeGreaterThan(10)
    const { tree } = await restored(checkpointOf(root))
    expect(tree.read(closesFile('2026-08-20'))).toContain('"close_usd":6')
    expect(tree.read(closesFile('2026-09-20'))).toContain('"close_usd":5')
  })

  it('leave the archive with the days that leave the tree', async () => {
    writeCheckpoint(
      publishCloses(
        root,
        days.filter((day) => day >= '2026-10-01'),
      ),
    )
    expect(pointerIn(root).months.map(({ month }) => month)).toEqual(['2026-10'])
    expect(readdirSync(join(root, 'state'))).toHaveLength(1 + pointerIn(root).parts.length + 1)
  })

  it('that are damaged are never restored: the tree is, file by file, or nothing', async () => {
    const file = monthPart(root, '2026-09')
    truncateSync(file, statSync(file).size - 1)
    expect(await restored(root)).toMatchObject({ kind: 'tree', damaged: [] })
    await expect(restored(checkpointOf(root))).rejects.toMatchObject({ reason: 'nothing_restored' })
  })
})
