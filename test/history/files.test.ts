import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Asset } from '../../src/contract/asset.ts'
import { DAYS, type Days, Point, SeriesMembers } from '../../src/contract/history.ts'
import { NOON, newFolder, leanRun, NO_REQUESTS } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { type Run, direct } from './direct.ts'
import { asSeen } from './published.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const LABEL = 'Quotetree sample'

const Series = z.object({ ...SeriesMembers, count: z.number(), rows: z.array(Point) })
const Profile = z.object({ asset: Asset })
const json = (root: string, file: string): unknown => JSON.parse(readFileSync(join(root, 'api/mkt', file), 'utf8'))
const seriesIn = (root: string, days: Days) => Series.parse(json(root, `history/bitcoin/days=${days}.json`))
const bitcoinIn = (root: string) => Profile.parse(json(root, 'assets/bitcoin.json')).asset

describe('the files of a tree', () => {
  it('equal one direct pass over all runs, whatever the gaps, restarts and jumps of the clock', async () => {
    // A plain congruential sequence: the same runs every time.
    let state = 20261120
    const chance = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
    let root = newFolder()
    let now = NOON
    const runs: Run[] = []
    for (let run = 0; run < scaled(8, 60); run++) {
      const kind = chance()
      now += Math.floor(
        kind < 0.4 ? 5 * MINUTE : kind < 0.7 ? HOUR : kind < 0.85 ? 7 * HOUR : kind < 0.95 ? DAY : -2 * HOUR * chance(),
      )
      now -= now % 1000
      if (chance() < 0.1) {
        // A bare machine that is handed the tree.
        const next = newFolder()
        cpSync(root, next, { recursive: true })
        root = next
      }
      await leanRun(root, { now, count: 3, history: NO_REQUESTS, accept: new Set(['clock_back']) })
      const { price_usd, volume_24h_usd, price_basis } = bitcoinIn(root)
      if (price_usd === null || price_basis.method === 'carried') throw new Error('the sample has a price for bitcoin')
      runs.push({ now, observations: [{ at: now, price_usd, volume_24h_usd }] })
    }
    const written = asSeen(new Map(DAYS.map((days) => [days, seriesIn(root, days)])))
    for (const [days, series] of direct(runs)) {
      const rows = written
        .get(days)
        ?.rows.map(({ timestamp, price_usd, volume_24h_usd }) => ({ timestamp, price_usd, volume_24h_usd }))
      expect({ ...seriesIn(root, days), rows }, `${days} days`).toEqual({ ...series, sourceLabel: LABEL })
    }
  })

  it('give, asked for 365 days, the prices of the days that were recorded, and count the others as missing', async () => {
    const root = newFolder()
    const recorded: [string, number | null][] = []
    for (const daysAgo of [300, 299, 120, 0]) {
      const now = NOON - daysAgo * DAY
      await leanRun(root, { now, count: 3, history: NO_REQUESTS })
      recorded.push([`${new Date(now).toISOString().slice(0, 10)}T00:00:00Z`, bitcoinIn(root).price_usd])
    }
    const { rows, missing } = seriesIn(root, 365)
    expect(rows.map(({ timestamp, price_usd }) => [timestamp, price_usd])).toEqual(recorded)
    expect(missing).toBe(365 - 4)
  })

  it('have, in the finest range, the grid that the cadence of the runs fills', async () => {
    const root = newFolder()
    await leanRun(root, { now: NOON, count: 3, history: NO_REQUESTS, cadenceMs: 15 * MINUTE })
    expect([seriesIn(root, 1).interval, seriesIn(root, 7).interval]).toEqual(['15m', '1h'])
    expect(JSON.parse(readFileSync(join(root, 'api/mkt.json'), 'utf8'))).toHaveProperty(
      'nextBuildAt',
      '2026-11-20T12:15:00Z',
    )
    await leanRun(root, { now: NOON + 30 * MINUTE, count: 3, history: NO_REQUESTS })
    expect(seriesIn(root, 1)).toMatchObject({ interval: '30m', count: 2 })
  })

  it('are written only where a bucket changed', async () => {
    const root = newFolder()
    const all = DAYS.map((days) => `api/mkt/history/bitcoin/days=${days}.json`)
    const written = async (now: number) => {
      const { published } = await leanRun(root, { now, count: 3, history: NO_REQUESTS })
      return all.filter((file) => published?.written.includes(file))
    }
    expect(await written(NOON)).toEqual(all)
    expect(await written(NOON)).toEqual([])
    // The price moves with the half hour, and with it the open bucket of the short ranges. The long ones wait for theirs to
    // close: 12 hours of runs would otherwise rewrite them 24 times.
    expect(await written(NOON + 30 * MINUTE)).toEqual(all.slice(0, 2))
    expect(await written(NOON + 4 * HOUR)).toEqual(all.slice(0, 3))
    expect(await written(NOON + 12 * HOUR)).toEqual(all)
  })

  it('are restored from the others when damaged one by one, and the run continues', async () => {
    for (const days of scaled([7, 90], DAYS)) {
      const root = newFolder()
      await leanRun(root, { now: NOON, count: 3, history: NO_REQUESTS })
      await leanRun(root, { now: NOON + HOUR, count: 3, history: NO_REQUESTS })
      const before = seriesIn(root, days)
      writeFileSync(join(root, `api/mkt/history/bitcoin/days=${days}.json`), '{"ok":true,\n"rows":[\n{"times')
      await leanRun(root, { now: NOON + 2 * HOUR, count: 3, history: NO_REQUESTS })
      const after = seriesIn(root, days)
      // The 90 days are the last of the 365, whose open bucket waits.
      expect(after.rows.at(-1)?.price_usd).toBe(days === 90 ? before.rows.at(-1)?.price_usd : bitcoinIn(root).price_usd)
      if (days > 1) expect(after.rows.slice(0, -1)).toEqual(before.rows.slice(0, days === 7 ? undefined : -1))
    }
  })
})
