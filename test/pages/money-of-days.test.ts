import { expect, it } from 'vitest'
import { DOLLARS } from '../../src/pages/format.ts'
import { seriesIn } from '../../src/pages/money-of-days.ts'
import { historySeries } from '../../src/pages/series.ts'
import { answer } from './series-answer.ts'

const point = (day: string, price_usd: number) => ({ timestamp: `${day}T12:00:00Z`, price_usd, volume_24h_usd: 10 })
const rows = ['2025-12-31', '2026-01-02', '2026-01-03', '2026-11-20'].map((day) => point(day, 12))
const series = historySeries({ ...answer, rows, missing: 0 })
const euro = { ...DOLLARS, symbol: 'EUR', price_usd: 1.5, day: '2026-11-20' }
const bank = (day: string, EUR: number) => ({ day, source: 'ecb', rates_usd: { EUR } })
const { signal } = new AbortController()

const past = {
  history: async (slug: string) => ({ data: { rows: slug === 'bitcoin' ? [point('2026-01-02', 4)] : [] } }),
  ratesOfYear: async (year: string) => {
    if (year !== '2026') throw new Error('This year has no rates.')
    return { data: { rows: [bank('2026-01-02', 1.2), bank('2026-11-20', 9)] } }
  },
}

/** The prices and volumes of the series as a reader sees them. */
const shownIn = async (currency: typeof euro) => {
  const shown = await seriesIn(currency, series, past, signal)
  return shown.rows.map(({ timestamp, close, volume }) => [timestamp.slice(0, 10), close, volume])
}

it('shows prices at the rate of their day, those of a weekend at the one before, and those of today at that of today', async () => {
  expect(await shownIn(euro)).toEqual([
    ['2026-01-02', 10, expect.closeTo(10 / 1.2, 9)],
    ['2026-01-03', 10, expect.closeTo(10 / 1.2, 9)],
    ['2026-11-20', 8, expect.closeTo(10 / 1.5, 9)],
  ])
})

it('shows prices in a coin at its price of the time, and none from before', async () => {
  const prices = (await shownIn({ ...euro, symbol: 'BTC' })).map(([day, price]) => [day, price])
  expect(prices).toEqual([
    ['2026-01-02', 3],
    ['2026-01-03', 3],
    ['2026-11-20', 3],
  ])
})

it('counts a price without a rate as missing', async () =>
  expect((await seriesIn(euro, series, past, signal)).missing).toBe(1))
