import { expect, it } from 'vitest'
import { feedFrom, listOf, quoteOf, reportOf, sightingOf, sourceOf, venueOf, NOW } from './world.ts'

const dollars = ['a', 'b', 'c'].map((id, index) =>
  venueOf(
    id,
    quoteOf('BTC/USD', 100_000 + index * 20),
    quoteOf('USDT/USD', 1),
    quoteOf('BTC/USDT', 100_000 + index * 20),
  ),
)
const bank = reportOf(sourceOf('bank', 'reference'), {
  references: [{ kind: 'reference', of: { currency: 'KRW' }, price_usd: 1 / 1400, at: NOW }],
})
const list = listOf('list', sightingOf('bitcoin', { symbol: 'BTC', price_usd: 100_020 }))

/** Two venues that quote in won, with Bitcoin this much above its price at the rate of the bank. */
const won = (premium: number, ...more: readonly string[]) =>
  ['e', 'f', ...more].map((id) =>
    venueOf(id, quoteOf('BTC/KRW', 100_000 * 1400 * premium), quoteOf('USDT/KRW', 1400 * premium)),
  )

const bitcoin = (reports: ReturnType<typeof won>) =>
  feedFrom([list, ...dollars, bank, ...reports]).snapshot.listings.find(({ asset }) => asset.symbol === 'BTC')?.asset
    .price_usd ?? Number.NaN

it.each([
  ['two venues', won(1.05)],
  ['one venue', won(1.05).slice(0, 1)],
  ['three venues', won(1.05, 'g')],
])('moves Bitcoin by less than 5 bp if %s in won are 5 %% high', (_, reports) => {
  expect(Math.abs(bitcoin(reports) / bitcoin([]) - 1)).toBeLessThan(0.0005)
})

it.each([0.97, 1.04])(
  'moves Bitcoin by less than 5 bp if one venue answers with the list of yesterday, at %d',
  (day) => {
    const price = 100_000 * day
    const late = venueOf('late', quoteOf('BTC/USD', price), quoteOf('USDT/USD', 1), quoteOf('BTC/USDT', price))
    expect(Math.abs(bitcoin([late]) / bitcoin([]) - 1)).toBeLessThan(0.0005)
  },
)
