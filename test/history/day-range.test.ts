import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MarketsRow } from '../../src/core/contract/asset.ts'
import { Point } from '../../src/core/contract/history.ts'
import { dayRange, holdingDay } from '../../src/core/history/day-range.ts'
import { noPast } from '../../src/core/history/past.ts'
import { assetOf } from '../feed/world.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { GRID, NOON } from './pasts.ts'

describe('the history of a day', () => {
  const root = newFolder()
  beforeAll(() => copySampleTree(root))
  const rowsOf = <Row extends z.ZodType>(row: Row, file: string) =>
    z.object({ rows: z.array(row) }).parse(JSON.parse(readFileSync(join(root, 'api/mkt', file), 'utf8'))).rows

  it('is within the range of 24 hours that lists publish', () => {
    const known = rowsOf(MarketsRow, 'markets.json').filter(({ high_24h_usd }) => high_24h_usd !== null)
    expect(known.length).toBeGreaterThan(5)
    for (const { slug, high_24h_usd, low_24h_usd } of known) {
      const prices = rowsOf(Point, `history/${slug}/days=1.json`).map(({ price_usd }) => price_usd)
      const own = { high: Math.max(...prices, high_24h_usd ?? 0), low: Math.min(...prices, low_24h_usd ?? Infinity) }
      expect({ slug, ...own }).toEqual({ slug, high: high_24h_usd, low: low_24h_usd })
    }
  })
})

describe('a range that a source reports', () => {
  const reported = assetOf('acme', {
    high_24h_usd: 110,
    low_24h_usd: 90,
    ath_usd: 115,
    ath_date: '2026-11-19T08:00:00Z',
    told_by: { sample: ['ath_usd', 'high_24h_usd', 'low_24h_usd', 'max_supply'] },
  })

  it('is widened to the published prices, and not said to be as reported then', () => {
    expect(holdingDay(reported, { low: 95, high: 120 })).toEqual({
      ...reported,
      high_24h_usd: 120,
      ath_usd: 120,
      ath_date: null,
      told_by: { sample: ['low_24h_usd', 'max_supply'] },
    })
  })

  it('stays as it is where it holds them, and where nothing is known of the day', () => {
    expect(holdingDay(reported, { low: 90, high: 110 })).toBe(reported)
    expect(holdingDay(reported, dayRange(noPast(), { grid: GRID, latest: NOON }))).toBe(reported)
  })

  it('is not made up of the history alone', () => {
    const silent = assetOf('acme', { high_24h_usd: null, low_24h_usd: null, ath_usd: null })
    expect(holdingDay(silent, { low: 1, high: 2 })).toBe(silent)
  })
})
