import { readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GATE } from '../../src/feed/gate-rules.ts'
import { historyFall } from '../../src/run/publish-world.ts'
import { summary } from '../../src/run/report.ts'
import { filesBelow } from '../../src/tree/reader.ts'
import { Tree } from '../../src/tree/tree.ts'
import { ALL_REQUESTS, NOON, copyLeanTree, leanRun, copyTree, newFolder } from '../sample-tree.ts'

const HOUR = 3_600_000
const at = (path: string, bytes: number) => ({ path: `api/mkt/${path}`, bytes })
const judged = (before: number, after: number, given: Partial<Parameters<typeof historyFall>[0]> = {}) =>
  historyFall({
    before: [at('history/bitcoin/days=7.json', 100 * before), at('assets.json', 5000)],
    after: [at('history/bitcoin/days=7.json', 100 * after)],
    publishedAt: NOON - HOUR / 2,
    now: NOON,
    isRegridded: false,
    keptDays: null,
    unreadable: [],
    ...given,
  })

describe('a publication whose past is smaller', () => {
  it.each([
    ['as large', 1000, 1000, false],
    ['larger', 1000, 2000, false],
    ['smaller by less than the limit', 1000, 900, false],
    ['smaller by more', 1000, 880, true],
    ['gone', 1000, 0, true],
    ['the first', 0, 0, false],
  ])('%s', (_, before, after, isRefused) => {
    expect(judged(before, after)?.rule).toBe(isRefused ? 'history_fall' : undefined)
  })

  it('may lose what the short ranges lose while nothing is published, but not all', () => {
    const late = { publishedAt: NOON - 40 * HOUR }
    expect(judged(1000, 1000 - 10 * (GATE.history_fall_percent + GATE.history_window_percent), late)).toBeNull()
    expect(judged(1000, 100, late)?.rule).toBe('history_fall')
  })

  it('may lose what the shortest ranges lose when the cadence changes, but no closes', () => {
    expect(judged(1000, 700)?.rule).toBe('history_fall')
    expect(judged(1000, 700, { isRegridded: true })).toBeNull()
    const closes = { before: [at('closes/2026-11-19.json', 10_000)], after: [at('closes/2026-11-19.json', 7000)] }
    expect(judged(0, 0, { ...closes, isRegridded: true })?.rule).toBe('history_fall')
  })

  it('may drop the closes that its settings no longer keep, and no others', () => {
    const day = (date: string) => at(`closes/${date}.json`, 1000)
    const closes = { before: [day('2026-11-01'), day('2026-11-19'), day('2026-11-20')], after: [day('2026-11-20')] }
    expect(judged(0, 0, { ...closes, keptDays: 1 })).toBeNull()
    expect(judged(0, 0, { ...closes, keptDays: 10 })?.message).toMatch(/^the daily closes would shrink from 2 KiB to 1/)
  })

  it('may move its documents into blocks', () => {
    expect(judged(1000, 0, { after: [{ path: 'blocks/history/3.json', bytes: 100_000 }] })).toBeNull()
  })

  it('may lose the names of silent sources from the heads of short documents', () => {
    expect(judged(8, 5)).toBeNull()
    expect(judged(8, 1)?.rule).toBe('history_fall')
  })
})

describe('a tree whose past cannot be read', () => {
  const good = newFolder()
  let root: string
  const next = { count: 5, now: NOON + HOUR / 2 }
  beforeAll(async () => {
    await leanRun(good, { count: 5, now: NOON - 25 * HOUR, history: ALL_REQUESTS, checkpoint: true })
    await leanRun(good, { count: 5, now: NOON, checkpoint: true })
  })
  beforeEach(() => {
    root = newFolder()
    copyTree(good, root)
  })
  /** Renames a member in every history, as a program with another form might have written it. Returns how many have rows. */
  const renameMember = (): number => {
    const files = filesBelow(root, 'api/mkt/history').filter((file) => file.endsWith('.json'))
    const changed = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      writeFileSync(join(root, file), text.replaceAll('"price_usd"', '"price_in_usd"'))
      return text.includes('"price_usd"')
    })
    return changed.length
  }
  const content = () =>
    Object.fromEntries(filesBelow(root, 'api').map((file) => [file, statSync(join(root, file)).size]))

  it('is not replaced by an empty one, and the message names the reason and the next step', async () => {
    rmSync(join(root, 'state'), { recursive: true })
    renameMember()
    const before = content()
    const report = await leanRun(root, next)
    expect(report).toMatchObject({ outcome: 'refused', refusals: [{ rule: 'history_fall' }] })
    expect(summary(report)).toContain('It ends when the folder or its checkpoint is restored from a copy')
    expect(report.refusals[0]?.message).toMatch(
      /^the history of prices would shrink from \d+ KiB to \d+ KiB, by \d+ %, and the limit is 11 %; \d+ documents could not be read back, the first is api\/mkt\/history\/[^;]+$/,
    )
    expect(content()).toEqual(before)
  })

  it('is replaced where that is accepted, and counts the rebuilt documents', async () => {
    rmSync(join(root, 'state'), { recursive: true })
    const count = renameMember()
    const report = await leanRun(root, { ...next, accept: new Set(['history_fall']) })
    expect(report).toMatchObject({ outcome: 'published', lifted: [{ rule: 'history_fall' }] })
    expect(report.damaged).toMatchObject({ recovered: [], lost: [] })
    expect(report.damaged.rebuilt).toHaveLength(count)
    expect(summary(report)).toContain(`Rebuilt without what only they held: ${count} damaged documents`)
  })

  it('is recovered from the checkpoint in whole, and counts that apart', async () => {
    const sizes = content()
    const count = renameMember()
    const report = await leanRun(root, next)
    expect(report).toMatchObject({ outcome: 'published', lifted: [] })
    expect(report.damaged).toMatchObject({ rebuilt: [], lost: [] })
    expect(report.damaged.recovered).toHaveLength(count)
    expect(summary(report)).toContain(`Recovered from the checkpoint: ${count} damaged documents`)
    for (const file of filesBelow(root, 'api/mkt/history'))
      expect(statSync(join(root, file)).size).toBeGreaterThanOrEqual((sizes[file] ?? 0) * 0.95)
  })

  it('loses a day of closes for good where nothing else has it, and says so', async () => {
    const day = 'api/mkt/closes/2026-11-19.json'
    for (const folder of ['state', 'api/mkt/candles']) rmSync(join(root, folder), { recursive: true })
    rmSync(join(root, day))
    const report = await leanRun(root, { ...next, accept: new Set(['history_fall']) })
    expect(report.damaged.lost).toContain(day)
    expect(report.damaged.recovered).toEqual([])
    expect(summary(report)).toMatch(/^Lost for good: \d+ damaged documents, the first is api/m)
  })

  it('does not count a list that is only composed again', async () => {
    rmSync(join(root, 'api/mkt/assets.json'))
    rmSync(join(root, 'api/mkt/markets.csv'))
    const report = await leanRun(root, next)
    expect(report.damaged).toEqual({ recovered: [], rebuilt: [], lost: [] })
    expect(summary(report)).not.toMatch(/damaged/)
    expect(readdirSync(join(root, 'api/mkt'))).toEqual(expect.arrayContaining(['assets.json', 'markets.csv']))
  })
})

it('rot of a document of equal size and time is found within a day of runs', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  const file = 'api/mkt/history/bitcoin/days=365.json'
  const { atime, mtime } = statSync(join(root, file))
  const honest = readFileSync(join(root, file), 'utf8')
  writeFileSync(join(root, file), honest.replace('"price_usd":', '"price_usD":'))
  utimesSync(join(root, file), atime, mtime)
  const index = join(root, 'api/mkt.json')
  const text = readFileSync(index, 'utf8')
  const hours = Array.from({ length: 24 }, (_, hour) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`)
  const found = hours.filter((hour) => {
    writeFileSync(index, text.replace(/"timestamp":"[^"]+"/, `"timestamp":"${hour}"`))
    return new Tree(root).last(file) === undefined
  })
  expect(found).toHaveLength(1)
})
