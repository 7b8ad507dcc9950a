import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type DataReport, commitData, restoreData } from '../../src/delivery/data-branch.ts'
import { DeliveryError } from '../../src/delivery/delivery-error.ts'
import { isFollowed } from '../../src/delivery/followed.ts'
import { KEEPING, type Keeping, fitting, growthOf, thinned } from '../../src/delivery/thinning.ts'
import { NOON, newFolder, sampleRun } from '../sample-tree.ts'

vi.setConfig({ testTimeout: 120_000 })

const HOUR = 3_600_000
const DAY = 24 * HOUR
const env = { PATH: process.env['PATH'] ?? '', HOME: newFolder() }
const settings = { scratch: tmpdir(), env }

let root: string
let remote: string
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', remote, ...args], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
beforeEach(() => {
  root = newFolder()
  remote = newFolder()
  git('init', '--quiet', '--bare')
})

const to = () => ({ remote, branch: 'snapshots' })
const commit = (keeping: Keeping = KEEPING): Promise<DataReport> =>
  commitData({ root, to: to(), author: 'Somebody <s@s.example>', keeping, cadenceMs: HOUR / 2, settings })
const subjects = () => git('log', '--format=%s', 'snapshots').split('\n')
const changedIn = (revision: string) => git('diff', '--name-only', `${revision}~1`, revision).split('\n')

describe('the data branch', () => {
  it('gets a commit for each run that changed something, which touches only that, and none for one that did not', async () => {
    await sampleRun(root, { count: 120 })
    await commit()
    await sampleRun(root, { count: 121, now: NOON + HOUR })
    await commit()
    await sampleRun(root, { count: 121, now: NOON + 2 * HOUR })
    await commit()
    expect(subjects()).toEqual([
      expect.stringMatching(/^BTC [+-]\d+\.\d %|^Prices and volumes$/),
      expect.stringMatching(/^\+1 listing/),
      'Begin',
    ])
    const second = changedIn('snapshots~1')
    expect(second).toContain('api/mkt/changes.json')
    expect(changedIn('snapshots')).not.toContain('api/mkt/changes.json')
    expect(second.every((file) => isFollowed(file))).toBe(true)

    expect(await commit()).toMatchObject({ subject: null, changed: 0 })
    await sampleRun(root, { count: 121, now: NOON + 2 * HOUR })
    expect(await commit()).toMatchObject({ subject: null })
    expect(subjects()).toHaveLength(3)
  })

  it('holds what people read, and neither history nor cuts nor digests', async () => {
    await sampleRun(root, { count: 20 })
    await commit()
    const files = git('ls-tree', '-r', '--name-only', 'snapshots').split('\n')
    expect(files).toEqual(
      expect.arrayContaining([
        'api/mkt/assets.json',
        'api/mkt/assets/bitcoin.json',
        'api/mkt/collector.json',
        'api/mkt/listing-requests.json',
        'api/mkt/changes.json',
        'api/mkt/tnk.json',
      ]),
    )
    expect(files.filter((file) => /history|=|manifest|\/markets\/|\.xml/.test(file))).toEqual([])
    expect(git('show', 'snapshots:api/mkt/assets.json')).toBe(
      readFileSync(join(root, 'api/mkt/assets.json'), 'utf8').trim(),
    )
  })

  it('begins anew where it is damaged, and where it is missing', async () => {
    await sampleRun(root, { count: 20 })
    await commit()
    const blob = git('rev-parse', 'snapshots:api/mkt/assets.json')
    rmSync(join(remote, 'objects', blob.slice(0, 2), blob.slice(2)))
    await sampleRun(root, { count: 21, now: NOON + HOUR })
    expect(await commit()).toMatchObject({ anew: true })
    expect(subjects()).toEqual(['Begin'])
    git('branch', '-D', 'snapshots')
    expect(await commit()).toMatchObject({ anew: false, subject: 'Begin' })
  })

  it('leaves a branch alone that another run moved meanwhile, and says what to do', async () => {
    await sampleRun(root, { count: 20 })
    await commit()
    await sampleRun(root, { count: 21, now: NOON + HOUR })
    writeFileSync(join(remote, 'hooks', 'pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    await expect(commit()).rejects.toThrow(DeliveryError)
    expect(subjects()).toEqual(['Begin'])
    rmSync(join(remote, 'hooks', 'pre-receive'))
    await expect(commit()).resolves.toMatchObject({ rewritten: false })
  })

  it('says so when the remote is not there', async () => {
    await sampleRun(root, { count: 20 })
    rmSync(remote, { recursive: true })
    await expect(commit()).rejects.toThrow(DeliveryError)
  })

  it('brings back what it holds, so that the next run extends it', async () => {
    await sampleRun(root, { count: 20 })
    await commit()
    const bare = newFolder()
    expect(await restoreData(bare, to(), settings)).toBeGreaterThan(20)
    const { published } = await sampleRun(bare, { count: 20 })
    expect(published?.written).not.toContain('api/mkt/assets/bitcoin.json')
    expect(existsSync(join(bare, 'api/mkt/history/bitcoin/days=7.json'))).toBe(true)
    expect(await restoreData(bare, to(), settings)).toBeNull()
  })

  it('stays bounded over a simulated year', async () => {
    await sampleRun(root, { count: 20 })
    const index = join(root, 'api/mkt.json')
    const list = join(root, 'api/mkt/assets.json')
    const begin = readFileSync(index, 'utf8')
    const text = readFileSync(list, 'utf8')
    const sizes: number[] = []
    // A run every twelve hours for a year, of which each changes the list.
    for (let run = 0; run < 730; run += 1) {
      if (run > 40 && run % 60 > 3) continue
      const at = new Date(NOON + (run * DAY) / 2).toISOString().replace('.000', '')
      writeFileSync(index, begin.replace(/"generatedAt":"[^"]+"/, `"generatedAt":"${at}"`))
      writeFileSync(list, text.replace(/"timestamp":"[^"]+"/, `"timestamp":"${at}"`))
      sizes.push((await commit()).commits)
    }
    const days = git('log', '--format=%cs', 'snapshots').split('\n')
    const [latest = ''] = days
    const old = days.filter((day) => Date.parse(latest) - Date.parse(day) > 8 * DAY)
    expect(new Set(old).size).toBe(old.length)
    expect(days.length).toBeLessThan(sizes.length)
    console.log(`${sizes.length} runs, ${days.length} commits, ${git('count-objects', '-vH').replaceAll('\n', ', ')}`)
  })
})

describe('thinning', () => {
  const commits = Array.from({ length: 48 * 20 }, (_, run) => ({ at: NOON + (run * HOUR) / 2 }))
  const now = commits.at(-1)?.at ?? 0

  it('keeps every commit of the last days and the last of each older day', () => {
    const kept = thinned(commits, now, 7).map((group) => group.at(-1))
    const border = Math.floor(now / DAY) * DAY - 7 * DAY
    expect(kept.filter((point) => point && point.at >= border)).toHaveLength(
      commits.filter(({ at }) => at >= border).length,
    )
    const older = kept.flatMap((point) => (point && point.at < border ? [Math.floor(point.at / DAY)] : []))
    expect(new Set(older).size).toBe(older.length)
  })

  it('is done once: what is thinned stays as it is', () => {
    const kept = thinned(commits, now, 7).flatMap((group) => group.at(-1) ?? [])
    expect(thinned(kept, now, 7).every((group) => group.length === 1)).toBe(true)
  })

  it('gives up the oldest when the limit is met, and tells when that will be', () => {
    expect(fitting(100, 1000, { everyDays: 7, maxBytes: 2000 })).toBe(100)
    expect(fitting(100, 4000, { everyDays: 7, maxBytes: 2000 })).toBe(45)
    expect(growthOf(1000, 10, HOUR, { everyDays: 7, maxBytes: 100_000 })).toEqual({
      bytes_per_commit: 100,
      recent_bytes: 16_800,
      bytes_per_year: 36_500,
      years_to_limit: 2.3,
    })
  })
})
