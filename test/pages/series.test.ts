import { describe, expect, it } from 'vitest'
import { DOLLARS } from '../../src/pages/format.ts'
import { candleSeries, dailySeries, historySeries, seriesIn, summaryOf } from '../../src/pages/series.ts'
import { answer, at, point } from './series-answer.ts'

type Given = Partial<Pick<Parameters<typeof historySeries>[0], 'rows' | 'days'>>
const wordsOf = (given: Given = {}, published: number | null = null): string =>
  summaryOf(historySeries({ ...answer, ...given }), DOLLARS, published)

describe('a series in words', () => {
  it('has the published change where there is one, so that a page shows one figure', () => {
    expect(wordsOf({}, 49)).toBe(
      '7 days: +49.00%, from $2.00 to $3.00; lowest point $2.00, highest point $4.00. 2 of 5 points are missing. Acme feed.',
    )
    expect(wordsOf({ days: 30 })).toMatch(/^30 days: \+50\.00%, from \$2\.00/)
  })

  it('says that nothing, or one price, is known', () => {
    expect(wordsOf({ rows: [] })).toBe('No price of this range is known yet. Each run adds one.')
    expect(wordsOf({ rows: [point(1, 2)] })).toBe('One price of this range is known: $2.00 at 2026-11-20 01:00 UTC.')
  })
})

it('candles in words have the extremes of all bars, and their sources', () => {
  const bar = { timestamp: at(0), open_usd: 2, high_usd: 4, low_usd: 1, close_usd: 3, volume_base: null, venues: 1 }
  const rows = [0, 1].map((hour) => ({ ...bar, timestamp: at(hour), inputs: [] }))
  const known = { asOf: at(1), missing: 0, to: at(1), sources: ['okx'], rights: 'unknown', notice: null } as const
  expect(summaryOf(candleSeries({ ...answer, ...known, endpoint: 'candles', rows }), DOLLARS, null)).toBe(
    '7 days: from $2.00 to $3.00; low $1.00, high $4.00. Bars of okx.',
  )
})

it('daily bars are a series since the listing, with gaps where no venue has a day', () => {
  const { days: _, interval: __, rows: ___, sourceLabel: ____, replacedBy: _____, count: ______, ...envelope } = answer
  const source = { source_id: 'okx', market: 'ACM', from: '2026-11-01', to: '2026-11-03', complete: true }
  const columns = {
    close_usd: [2, null, 3],
    open_usd: [1, null, 2],
    high_usd: [2, null, 4],
    low_usd: [1, null, 2],
    venue_volume_base: [5, null, null],
    venue_volume_usd: [10, null, null],
    venues: [1, 0, 1],
  }
  const days = { from: '2026-11-01', to: '2026-11-03', missing: 1, olderAdded: null, rights: 'open' } as const
  const series = dailySeries({ ...envelope, ...days, endpoint: 'daily', sources: [source], columns }, true)
  expect(series.rows.map(({ timestamp, close, volume }) => [timestamp, close, volume])).toEqual([
    ['2026-11-01T00:00:00Z', 2, 5],
    ['2026-11-03T00:00:00Z', 3, null],
  ])
  expect(summaryOf(series, DOLLARS, null)).toMatch(/^2026-11-01 to 2026-11-03: from \$1\.00 to \$3\.00/)
})

describe('a series in another currency', () => {
  const onDay = (day: string, price_usd: number) => ({ timestamp: `${day}T12:00:00Z`, price_usd, volume_24h_usd: 10 })
  const rows = ['2025-12-31', '2026-01-02', '2026-01-03', '2026-11-20'].map((day) => onDay(day, 12))
  const series = historySeries({ ...answer, rows, missing: 0 })
  const euro = { ...DOLLARS, symbol: 'EUR', price_usd: 1.5, day: '2026-11-20' }
  const bank = (day: string, EUR: number) => ({ day, source: 'ecb', rates_usd: { EUR } })
  const past = {
    history: async (slug: string) => ({ rows: slug === 'bitcoin' ? [onDay('2026-01-02', 4)] : [] }),
    ratesOfYear: async (year: string) => {
      if (year !== '2026') throw new Error('This year has no rates.')
      return { rows: [bank('2026-01-02', 1.2), bank('2026-11-20', 9)] }
    },
  }

  it('has prices at the rate of their day, those of a weekend at the one before, and those of today at that of today', async () => {
    const shown = await seriesIn(euro, series, past)
    expect(shown.rows.map(({ timestamp, close, volume }) => [timestamp.slice(0, 10), close, volume])).toEqual([
      ['2026-01-02', 10, expect.closeTo(10 / 1.2, 9)],
      ['2026-01-03', 10, expect.closeTo(10 / 1.2, 9)],
      ['2026-11-20', 8, expect.closeTo(10 / 1.5, 9)],
    ])
    expect(shown.missing).toBe(1)
  })

  it('has prices in a coin at its price of the time, and none from before', async () => {
    const shown = await seriesIn({ ...euro, symbol: 'BTC' }, series, past)
    expect(shown.rows.map(({ close }) => close)).toEqual([3, 3, 3])
  })
})
