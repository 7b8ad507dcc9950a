import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { LAYOUT } from '../../src/core/tree/layout.ts'
import { NOON, leanRun, copyLeanTree } from '../sample-tree.ts'

const HOUR = 3_600_000
const mounted: string[] = []

function smallDisk(options: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'quotetree-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  mounted.push(folder)
  return folder
}
const remount = (folder: string, options: string) =>
  execFileSync('mount', ['-o', `remount,${options}`, folder], { stdio: 'ignore' })

afterEach(() => {
  for (const folder of mounted.splice(0)) {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  }
})

const mayMount = (() => {
  try {
    smallDisk('size=1m')
    return true
  } catch {
    return false
  }
})()

const contents = (root: string) =>
  new Map(
    readdirSync(join(root, 'api'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => [name, readFileSync(join(root, 'api', name), 'utf8')]),
  )

/** Fills a disk so that the next run finds less and less room: no file can be made, or some, or nearly all. */
function leave(disk: string, bytes: number): string {
  const filler = join(disk, 'filler')
  const free = Number(execFileSync('df', ['--output=avail', '-B1', disk]).toString().split('\n')[1])
  writeFileSync(filler, Buffer.alloc(Math.max(0, free - bytes)))
  return filler
}

// As a user without the right to mount, these say that they were skipped.
describe.skipIf(!mayMount)('a disk that is full', () => {
  it.each([0, 100_000, 200_000])(
    'with %i bytes left keeps the old tree, says so, and takes the next run once there is room',
    async (left) => {
      const disk = smallDisk('size=64m')
      const root = join(disk, 'tree')
      await copyLeanTree(root)
      const before = contents(root)
      const filler = leave(disk, left)
      await expect(leanRun(root, { now: NOON + HOUR })).rejects.toMatchObject({
        reason: 'not_writable',
        message: expect.stringContaining('ENOSPC'),
      })
      expect(contents(root)).toEqual(before)
      rmSync(filler)
      expect(await leanRun(root, { now: NOON + HOUR })).toMatchObject({ outcome: 'published' })
      expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([])
    },
  )

  it('without room for another file keeps the old tree', async () => {
    const disk = smallDisk('size=64m,nr_inodes=2000')
    const root = join(disk, 'tree')
    await copyLeanTree(root)
    const before = contents(root)
    const spare = join(disk, 'spare')
    mkdirSync(spare)
    try {
      for (let file = 0; ; file++) writeFileSync(join(spare, String(file)), '')
    } catch {
      rmSync(join(spare, '0'))
      rmSync(join(spare, '1'))
    }
    await expect(leanRun(root, { now: NOON + HOUR })).rejects.toMatchObject({ reason: 'not_writable' })
    expect(contents(root)).toEqual(before)
    rmSync(spare, { recursive: true })
    expect(await leanRun(root, { now: NOON + HOUR })).toMatchObject({ outcome: 'published' })
  })

  it('that may only be read is read, and is not written', async () => {
    const disk = smallDisk('size=64m')
    const root = join(disk, 'tree')
    await copyLeanTree(root)
    const before = contents(root)
    remount(disk, 'ro')
    await expect(leanRun(root, { now: NOON + HOUR })).rejects.toMatchObject({
      reason: 'not_writable',
      message: expect.stringContaining('EROFS'),
    })
    expect(contents(root)).toEqual(before)
    expect(existsSync(join(root, '.journal'))).toBe(false)
    expect(existsSync(join(root, LAYOUT.index))).toBe(true)
  })

  it('that is read-only is named, for a folder that does not exist yet', async () => {
    const disk = smallDisk('size=1m,ro')
    await expect(leanRun(join(disk, 'a/tree'), { count: 2 })).rejects.toThrow('a/tree cannot be written (EROFS)')
  })
})
