import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { MarketsRow } from '../../src/core/contract/asset.ts'
import { Point } from '../../src/core/contract/history.ts'
import { agreeingWith } from '../../src/core/history/agreeing-figures.ts'
import { noPast } from '../../src/core/history/past.ts'
import { assetOf } from '../feed/world.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { GRID, HOUR, NOON, pointsAfter } from './pasts.ts'

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

const clock = { grid: GRID, latest: NOON }
/** The past of a listing with a price a week ago, and one in the last day. */
const pastWith = (then: number, lately: number) =>
  pointsAfter([
    { now: NOON - 167 * HOUR, price: then },
    { now: NOON - 2 * HOUR, price: lately },
  ]).past

describe('figures that a source reports', () => {
  const reported = assetOf('acme', {
    price_usd: 100,
    percent_change_7d: -7,
    high_24h_usd: 110,
    low_24h_usd: 90,
    ath_usd: 115,
    ath_date: '2026-11-19T08:00:00Z',
    told_by: { sample: ['ath_usd', 'high_24h_usd', 'low_24h_usd', 'max_supply', 'percent_change_7d'] },
  })

  it('give way to the published history that they contradict, and are not said to be as reported then', () => {
    expect(agreeingWith(pastWith(80, 120), clock, reported)).toEqual({
      ...reported,
      percent_change_7d: 25,
      week_basis: { method: 'history', since: '2024-06-03T13:00:00Z', price_usd: 80 },
      high_24h_usd: 120,
      ath_usd: 120,
      ath_date: null,
      told_by: { sample: ['low_24h_usd', 'max_supply'] },
    })
  })

  it('stay as they are where nothing is known of the past', () => {
    expect(agreeingWith(noPast(), clock, reported)).toBe(reported)
  })

  it('are not made up of the history alone, and a carried price has no change of its own', () => {
    const { price_basis } = reported
    const silent = { high_24h_usd: null, low_24h_usd: null, ath_usd: null, percent_change_7d: null }
    const carried = assetOf('acme', { price_basis: { ...price_basis, method: 'carried' }, ...silent })
    expect(agreeingWith(pastWith(80, 120), clock, carried)).toBe(carried)
  })
})
