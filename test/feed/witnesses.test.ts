import { describe, expect, it } from 'vitest'
import { GATE, testimonies } from '../../src/core/feed/gate.ts'
import { assetOf, basisOf, ratesOf } from './world.ts'

const rates = ratesOf({ USD: 1 })

/** How far prices that moved `from` and `to` are away from aggregators that say these two in their own figures. */
function heard(from: number, to: number, said: Readonly<Record<string, readonly [before: number, now: number]>>) {
  const sources = Object.entries(said).map(([source_id, [price_usd]]) => ({
    source_id,
    pair: 'ACME/USD',
    price_usd,
    weight: 1,
  }))
  const price_basis = { ...basisOf('aggregators'), sources }
  const listing = (slug: string, price_usd: number) => {
    const external_ids = Object.fromEntries(sources.map(({ source_id }) => [source_id, slug]))
    return { asset: assetOf(slug, { price_usd, price_basis, external_ids }), markets: [] }
  }
  const slugs = Array.from({ length: GATE.witness_figures }, (_, index) => `coin-${index}`)
  const moves = slugs.map((slug) => ({ before: listing(slug, from), now: listing(slug, to), from, to }))
  const own = new Map(
    Object.entries(said).map(([source, [, now]]) => [source, new Map(slugs.map((slug) => [slug, now]))]),
  )
  const made = testimonies(moves, own, { before: rates, now: [...rates.values()] })
  return made.map(({ source_id, away }) => `${source_id} ${away.toFixed(2)}`)
}

describe('a witness of the published prices', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'is where they were, if it moved as they did',
      heard(100, 50, { a: [100, 50], b: [102, 51] }),
      ['a 0.00', 'b 0.00'],
    ],
    ['is away from what it does not say', heard(100, 50, { a: [100, 50], b: [100, 100] }), ['a 0.00', 'b 0.69']],
    ['is not away from what comes closer to it', heard(50, 100, { a: [100, 100], b: [50, 50] }), ['a 0.00', 'b 0.69']],
    ['says nothing of what it alone prices', heard(100, 50, { a: [100, 50] }), []],
  ])('%s', (_, actual, expected) => {
    expect(actual).toEqual(expected)
  })
})
