import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Days, seriesFile } from '../../src/contract/history.ts'
import { print } from '../../src/contract/text.ts'
import { LIMITS } from '../../src/feed/methodology.ts'
import { timestampOf } from '../../src/history/grid.ts'
import { headOf, lastSeries, oldestPriceOf, pastPointsOf } from '../../src/history/last-series.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const HOUR = 3_600_000
const at = (ms: number, price_usd: number, volume_24h_usd: number | null = 9) => ({
  timestamp: timestampOf(ms),
  price_usd,
  volume_24h_usd,
})

/** The document of a series with these rows. */
const documentOf = (slug: string, days: Days, rows: readonly object[], given: object = {}): string =>
  print({
    sourceStatus: 'ok',
    sourceError: null,
    slug,
    days,
    interval: days === 1 ? '30m' : '1h',
    from: timestampOf(NOON - days * 24 * HOUR),
    to: timestampOf(NOON),
    missing: 3,
    sourceLabel: 'test',
    replacedBy: null,
    count: rows.length,
    ...given,
    rows: rows.map((row) => ({ ...row })),
  })

/** A tree that holds these documents. */
const treeOf = (...documents: readonly (readonly [string, Days, string])[]) => {
  const files = new Map(documents.map(([slug, days, text]) => [seriesFile(slug, days), text]))
  return {
    read: (file: string) => files.get(file) ?? null,
    head: (file: string) => files.get(file)?.slice(0, 400) ?? '',
  }
}

describe('the series of the last publication', () => {
  const before = documentOf('old', 1, [at(NOON, 1)])
  const aliases = (slug: string) => (slug === 'new' ? ['older', 'old'] : [])

  it('are those of the slug before, where the asset was renamed', () => {
    const last = lastSeries(treeOf(['old', 1, before]), aliases)
    expect(last.read('new', 1)?.slug).toBe('old')
    expect(headOf(last.head('new', 1))).toEqual({ to: NOON, missing: 3 })
  })

  it('are its own where there are any', () => {
    const own = documentOf('new', 1, [at(NOON, 2)], { missing: 5 })
    const last = lastSeries(treeOf(['old', 1, before], ['new', 1, own]), aliases)
    expect(last.read('new', 1)?.slug).toBe('new')
    expect(headOf(last.head('new', 1))?.missing).toBe(5)
  })

  it('are not those that only name a successor', () => {
    const retired = documentOf('older', 1, [], { replacedBy: 'old' })
    expect(lastSeries(treeOf(['older', 1, retired], ['old', 1, before]), aliases).read('new', 1)?.slug).toBe('old')
    expect(lastSeries(treeOf(['older', 1, retired]), aliases).read('new', 1)).toBeNull()
  })

  it.each([
    ['missing', null],
    ['no JSON', '{'],
    ['of another shape', '{"rows":[]}'],
  ])('are none where the document is %s', (_, text) => {
    const last = lastSeries({ read: () => text, head: () => '' }, () => [])
    expect([last.read('acme', 1), last.head('acme', 1)]).toEqual([null, ''])
  })
})

it('a series before its first observation gives nothing', () => {
  const never = documentOf('acme', 1, [], { from: null, to: null })
  expect([headOf(never), headOf('')]).toEqual([null, null])
})

describe('the oldest price of the last day', () => {
  it('is the first of the series of one day', () => {
    const tree = treeOf(
      ['acme', 1, documentOf('acme', 1, [at(NOON - 2 * HOUR, 5), at(NOON - HOUR, 6)])],
      ['acme', 7, documentOf('acme', 7, [at(NOON - 48 * HOUR, 4)])],
    )
    expect(oldestPriceOf(tree)('acme')).toBe(5)
  })

  it('is null if nothing was published', () => {
    expect(oldestPriceOf(treeOf())('acme')).toBeNull()
    expect(oldestPriceOf(treeOf(['acme', 1, documentOf('acme', 1, [])]))('acme')).toBeNull()
  })
})

it('the price a week ago is the one that the next 7-day series begins with', () => {
  const first = at(NOON - 167 * HOUR, 5, null)
  const weekAgo = (...rows: readonly object[]) =>
    pastPointsOf(treeOf(['acme', 7, documentOf('acme', 7, rows)]), NOON + 59 * 60_000).weekAgo('acme')
  expect(weekAgo(at(NOON - 168 * HOUR, 4), first, at(NOON - 166 * HOUR, 6))).toEqual(first)
  expect(weekAgo(at(NOON - 168 * HOUR, 4), at(NOON - 166 * HOUR, 6))).toBeNull()
})

describe('our own price of a day ago', () => {
  const dayAgo = NOON - 24 * HOUR
  const told = (...rows: readonly object[]) =>
    pastPointsOf(treeOf(['acme', 7, documentOf('acme', 7, rows)]), NOON + 59 * 60_000).dayAgo('acme')

  it('is the one seen in that hour', () => {
    const row = at(dayAgo, 5)
    expect(told(at(dayAgo - HOUR, 4), row, at(dayAgo + HOUR, 6))).toEqual(row)
  })

  it('is null if no run observed that hour, or another source filled it in', () => {
    expect(told(at(dayAgo - HOUR, 4), at(dayAgo + HOUR, 6))).toBeNull()
    expect(told(at(dayAgo, 5, null))).toBeNull()
    expect(pastPointsOf(treeOf(), NOON).dayAgo('acme')).toBeNull()
  })

  it('is at most as far from 24 hours ago as the method says, at any minute of the hour', () => {
    const rows = Array.from({ length: 7 * 24 }, (_, index) => at(NOON - (7 * 24 - index) * HOUR, index + 1))
    const tree = treeOf(['acme', 7, documentOf('acme', 7, rows)])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 * 24 * HOUR }), (ms) => {
        const now = NOON - ms
        const row = pastPointsOf(tree, now).dayAgo('acme')
        const offMs = now - 24 * HOUR - Date.parse(row?.timestamp ?? '')
        expect(row).not.toBeNull()
        expect(offMs).toBeGreaterThanOrEqual(0)
        expect(offMs).toBeLessThan(LIMITS.change_minutes * 60_000)
      }),
    )
  })
})
