import { describe, expect, it } from 'vitest'
import { withoutDisplacedPrices } from '../../src/core/feed/listed-identities.ts'
import { assetOf, marketOf, quoteOf } from './world.ts'

const made = ['a', 'b'].map((venue) => marketOf(venue, 100, { used_in_price: true }))
const before = { asset: assetOf('acme', { price_usd: 100 }), markets: made }
const identity = { slug: 'acme', entry: null, before, sighted: [], withheld: [] }

/** The last price, where the symbol belongs to these listings at the venues now, at a price; null: it is held back. */
function lastPrice(owners: Readonly<Record<string, string | null>>, price_usd = 101): number | null {
  const all = Object.entries(owners).map(([venue, slug]) => ({ venue, slug }))
  const matched = all.flatMap(({ venue, slug }) =>
    slug === null ? [] : [{ slug, market: marketOf(venue, price_usd), quote: quoteOf('ACME/USD', price_usd) }],
  )
  const held = all.flatMap(({ venue, slug }) =>
    slug === null ? [{ slug: 'acme', venue, symbol: 'ACME', price_usd }] : [],
  )
  const [after] = withoutDisplacedPrices([identity], { matched, held })
  return after?.before?.asset.price_usd ?? null
}

describe('the last price of a listing', () => {
  it.each([
    [
      'is forgotten where its markets are those of another coin at that price',
      lastPrice({ a: 'other', b: 'other' }),
      null,
    ],
    ['is forgotten where they are held back at that price', lastPrice({ a: null, b: 'other' }), null],
    ['stays where one market is still its own', lastPrice({ a: 'other', b: 'acme' }), 100],
    ['stays where one market is not there', lastPrice({ a: 'other' }), 100],
    ['stays where the other coin has another price', lastPrice({ a: 'other', b: 'other' }, 111), 100],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected)
  })
})
