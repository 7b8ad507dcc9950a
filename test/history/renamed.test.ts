import { describe, expect, it } from 'vitest'
import { DAYS, type Days, seriesFile } from '../../src/contract/history.ts'
import * as z from 'zod'
import { print } from '../../src/contract/text.ts'
import type { Health } from '../../src/feed/health.ts'
import type { Listing } from '../../src/feed/listing.ts'
import { extendedSeries } from '../../src/history/extended-series.ts'
import { lastSeries } from '../../src/history/last-series.ts'
import { assetOf } from '../feed/world.ts'
import { GRID } from './published.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const HALF_HOUR = 30 * 60_000
const DAY = 24 * 3_600_000
const health: Health = { sourceStatus: 'ok', sourceError: null }

type Listings = ReadonlyMap<string, Listing>

/** A run over the files of series, which are replaced by what it changes. Returns the names of those. */
function run(files: Map<string, string>, listings: Listings, now: number) {
  const tree = { read: (file: string) => files.get(file) ?? null, head: (file: string) => files.get(file) ?? '' }
  const series = extendedSeries({
    snapshot: { bySlug: listings, healthOf: new Map([...listings.keys()].map((slug) => [slug, health])) },
    past: { backfills: new Map() },
    last: lastSeries(tree, (slug) => listings.get(slug)?.asset.aliases ?? []),
    label: 'Test feed',
    grid: GRID,
    now,
  })
  const written = [...listings.keys()].flatMap((slug) =>
    [...series.changedSeries(slug)].map(
      ([days, one]) => [seriesFile(slug, days), print({ ...health, ...one })] as const,
    ),
  )
  for (const [file, text] of written) files.set(file, text)
  return { written: written.map(([file]) => file), withHistory: series.withHistory() }
}

const named = (slug: string, more: Parameters<typeof assetOf>[1] = {}) =>
  [slug, { asset: assetOf(slug, { price_usd: 5, volume_24h_usd: 7, ...more }), markets: [] }] as const
const Rows = z.object({ rows: z.array(z.unknown()) })
const documentIn = (files: ReadonlyMap<string, string>, slug: string, days: Days): unknown =>
  JSON.parse(files.get(seriesFile(slug, days)) ?? '')
const rowsOf = (files: ReadonlyMap<string, string>, slug: string, days: Days): unknown[] =>
  Rows.parse(documentIn(files, slug, days)).rows

const old = new Map([named('old-coin')])
const both = new Map([
  named('new-coin', { aliases: ['old-coin'] }),
  named('old-coin', { replaced_by: 'new-coin', price_usd: null, listing_status: 'delisted' }),
])
/** The files of a year of daily runs, a day of half-hourly ones, and then a rename. */
function renamed() {
  const files = new Map<string, string>()
  for (let now = NOON - 365 * DAY; now < NOON - DAY; now += DAY) run(files, old, now)
  for (let now = NOON - DAY; now < NOON; now += HALF_HOUR) run(files, old, now)
  const before = new Map(files)
  return { before, files, ...run(files, both, NOON) }
}

describe('a listing that gets another slug', () => {
  const { before, files, written } = renamed()

  it('keeps the rows of its series', () => {
    for (const days of DAYS) {
      // The window may have moved by one bucket.
      const [, ...last] = rowsOf(before, 'old-coin', days)
      expect(rowsOf(files, 'new-coin', days)).toEqual(expect.arrayContaining(last))
    }
    expect(rowsOf(files, 'new-coin', 365)).toHaveLength(365)
  })

  it('leaves documents that name its successor and hold nothing', () => {
    for (const days of DAYS)
      expect(documentIn(files, 'old-coin', days)).toMatchObject({
        slug: 'old-coin',
        replacedBy: 'new-coin',
        count: 0,
        rows: [],
      })
    expect(written.filter((file) => file.includes('old-coin'))).toHaveLength(5)
  })

  it('leaves them as they are from then on, and goes on with its own series', () => {
    expect(run(files, both, NOON + HALF_HOUR).written).toEqual([seriesFile('new-coin', 1)])
    expect(rowsOf(files, 'new-coin', 365)).toHaveLength(365)
  })
})

it('a day of half-hourly runs fills every bucket of the finest range', () => {
  const { before } = renamed()
  expect(rowsOf(before, 'old-coin', 1)).toHaveLength(48)
})

it('a listing has history when at least half of the year has a value', () => {
  const files = new Map<string, string>()
  const counts = Array.from({ length: 200 }, (_, day) => run(files, old, NOON + day * DAY).withHistory)
  expect(counts.indexOf(1)).toBe(182)
  expect(counts.slice(182).every((count) => count === 1)).toBe(true)
  // Also when the year's document did not change.
  expect(run(files, old, NOON + 199 * DAY + HALF_HOUR).withHistory).toBe(1)
})
