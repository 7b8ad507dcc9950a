import { describe, expect, it } from 'vitest'
import type { Market } from '../../src/core/contract/market.ts'
import { type Opinion, priceOf } from '../../src/core/feed/price.ts'
import type { Quote } from '../../src/core/sources/source.ts'
import { type Coin, type Storm, type Weather, stormOf } from './storm.ts'
import { SURE, AT, HOUR, NOW, feedFrom, listOf, marketOf } from './world.ts'
import { publishedBy, quoteOf, reportOf, sightingOf, sourceOf, venueOf, entryOf, registryOf } from './world.ts'

const AGGREGATORS = ['list', 'index']
const COIN = 'coin-7'
const VENUES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']

/** A market in which one coin trades at these venues, and these aggregators list it. */
function coinAt(venues: readonly string[], aggregators: readonly string[] = AGGREGATORS): Storm {
  const storm = stormOf()
  const at = storm.coins.findIndex(({ id }) => id === COIN)
  const coin = storm.coins[at]
  if (coin) storm.coins[at] = { ...coin, venues, aggregators }
  return storm
}

const coinOf = (storm: Storm): Coin | undefined => storm.coins.find(({ id }) => id === COIN)
const lie = (factor: number, ...sources: readonly string[]): NonNullable<Weather['lies']> =>
  Object.fromEntries(sources.map((source) => [source, { coins: { [COIN]: factor } }]))

describe('a coin whose unit becomes a thousandth', () => {
  it('keeps its market cap and its rank while the sources follow one by one', () => {
    const storm = coinAt(VENUES, ['list'])
    const first = storm.run()
    const [cap, rank] = [first.asset(COIN)?.market_cap_usd ?? 0, first.asset(COIN)?.market_cap_rank]
    const coin = coinOf(storm)
    const supply = coin?.supply ?? 0
    if (coin) coin.price *= 1000
    for (let run = 1; run <= 12; run++) {
      // Venues one a run, and the aggregator with its supply at the fifth.
      const old = VENUES.slice(run)
      if (coin && run >= 5) coin.supply = supply / 1000
      const { asset, refused } = storm.run({ lies: lie(1 / 1000, ...old, ...(run < 5 ? ['list'] : [])) })
      expect(refused).toEqual([])
      expect((asset(COIN)?.market_cap_usd ?? 0) / cap).toBeCloseTo(1, 2)
      expect(asset(COIN)?.market_cap_rank).toBe(rank)
    }
    const { asset, off } = storm.run()
    expect(off(COIN)).toBeLessThan(0.001)
    expect(asset(COIN)).toMatchObject({ held: [], circulating_supply: expect.closeTo(supply / 1000, 0) })
  })

  it('says meanwhile that the market cap is held back, and why', () => {
    const storm = coinAt(VENUES, ['list'])
    const cap = storm.run().asset(COIN)?.market_cap_usd
    const coin = coinOf(storm)
    if (coin) coin.price *= 1000
    const { asset } = storm.run({ lies: lie(1 / 1000, 'list') })
    expect(asset(COIN)?.held).toMatchObject([
      { field: 'market_cap_usd', rule: 'cap_jump', held_value: cap, source_ids: ['list'] },
    ])
  })

  it('has no part in a market cap that sources confirm, or that moves while they are silent', () => {
    for (const silent of [[], AGGREGATORS]) {
      const storm = coinAt(VENUES)
      const cap = storm.run().asset(COIN)?.market_cap_usd ?? 0
      const { asset } = storm.run({ coins: { [COIN]: 4 }, silent })
      expect((asset(COIN)?.market_cap_usd ?? 0) / cap).toBeCloseTo(4, 1)
    }
  })

  it('is no way for a supply times a thousand', () => {
    const storm = coinAt(VENUES, ['list'])
    const supply = storm.run().asset(COIN)?.circulating_supply
    const more = (row: ReturnType<typeof sightingOf>) =>
      row.id === COIN ? { ...row, circulating_supply: (row.circulating_supply ?? 0) * 1000, market_cap_usd: null } : row
    for (let run = 0; run < 5; run++)
      expect(storm.run({ lies: { list: { sighting: more } } }).asset(COIN)?.circulating_supply).toBe(supply)
  })
})

describe('a listing whose markets all repeat the last digit', () => {
  const frozen = (from: Storm) => {
    const said = new Map<string, Quote>()
    const repeat = (row: Quote, { id }: Coin): Quote => {
      if (id !== COIN) return row
      const key = `${row.market} ${row.volume_24h_base}`
      const first = said.get(key) ?? row
      said.set(key, first)
      return { ...first, at: row.at }
    }
    const lies = Object.fromEntries(VENUES.map((venue) => [venue, { quote: repeat }]))
    return () => from.run({ lies })
  }

  it('is halted after an hour and a half, with the time of the last change and no change of 24 hours later', () => {
    const storm = coinAt(VENUES, ['list'])
    const run = frozen(storm)
    run()
    const seen = Array.from({ length: 9 }, () => run().asset(COIN))
    expect(seen.map((asset) => asset?.price_basis.low_confidence_reason === 'halted')).toEqual(
      [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5].map((hours) => hours > 1.5),
    )
    expect(seen.at(-1)).toMatchObject({ price_confidence: 0.3, last_updated: AT, percent_change_24h: null })
    const { asset } = storm.run()
    expect(asset(COIN)?.price_basis.low_confidence_reason).toBeNull()
  })

  it('has the time of the run where its only market repeats a price in a currency whose rate moves', () => {
    const registry = registryOf(entryOf('acme', { exchange_symbols: { '*': 'ACME' } }))
    const at = (hours: number, bitcoin: number, last?: ReturnType<typeof feedFrom>) => {
      const listed = listOf('list', sightingOf('BTC', { price_usd: bitcoin }))
      const others = ['b', 'c'].map((id) => venueOf(id, quoteOf('BTC/USD', bitcoin)))
      const previous = last ? { previous: publishedBy(last) } : {}
      const venue = venueOf('a', quoteOf('BTC/USD', bitcoin), quoteOf('ACME/BTC', 0.1))
      return feedFrom([listed, venue, ...others], { registry, now: NOW + hours * HOUR, ...previous })
    }
    const asset = at(2, 110, at(0, 100)).snapshot.bySlug.get('acme')?.asset
    expect(asset).toMatchObject({ price_usd: 11, last_updated: '2026-11-20T14:00:00Z' })
    expect(asset?.price_basis.low_confidence_reason).toBe('halted')
  })

  it('is not halted while no market of the feed moves', () => {
    const still = (hours: number, before?: ReturnType<typeof feedFrom>) =>
      feedFrom(
        [
          listOf('list', sightingOf('ACME', { price_usd: 2 })),
          ...['a', 'b', 'c'].map((id) => venueOf(id, quoteOf('ACME/USD', 2))),
        ],
        { now: NOW + hours * HOUR, ...(before ? { previous: publishedBy(before) } : {}) },
      )
    const asset = still(4, still(2, still(0))).snapshot.bySlug.get('acme')?.asset
    expect(asset?.price_basis.low_confidence_reason).toBeNull()
  })
})

describe('three of six venues that lie together while the aggregators are silent', () => {
  const liars = ['alpha', 'beta', 'gamma']
  const silent = AGGREGATORS

  it.each([VENUES, VENUES.slice(0, 5), VENUES.slice(0, 4)].map((venues) => [venues.length, venues] as const))(
    'never make a wrong price of %d venues sure',
    (_, venues) => {
      for (const factor of [1.025, 1.04, 1.2]) {
        const storm = coinAt(venues)
        storm.run()
        for (let run = 0; run < 3; run++) {
          const { asset, off } = storm.run({ lies: lie(factor, ...liars), silent })
          const isSure = (asset(COIN)?.price_confidence ?? 0) > 0.3
          expect(isSure && off(COIN) > 0.02).toBe(false)
        }
      }
    },
  )

  it('make no jump: it needs all but one', () => {
    const storm = stormOf()
    storm.run()
    const lies = Object.fromEntries(liars.map((venue) => [venue, { all: 10 }]))
    for (let run = 0; run < 3; run++) {
      const { medianOff, verdict } = storm.run({ lies, silent })
      expect([medianOff < 0.01, verdict.moved]).toEqual([true, null])
    }
  })

  it('make none of a coin at five venues either, of which they are the majority', () => {
    const storm = coinAt(VENUES.slice(0, 5))
    storm.run()
    const { asset, off } = storm.run({ lies: lie(10, ...liars), silent })
    expect(off(COIN)).toBeLessThan(0.001)
    expect(asset(COIN)?.held).toMatchObject([{ rule: 'price_jump', source_ids: liars }])
  })

  it('do not keep a jump back that five of six show', () => {
    const storm = coinAt(VENUES)
    storm.run()
    const { off } = storm.run({ coins: { [COIN]: 0.3 }, lies: lie(1 / 0.3, 'alpha'), silent })
    expect(off(COIN)).toBeLessThan(0.001)
  })
})

describe('a premium of 5 % in one currency', () => {
  const coins = Array.from({ length: 12 }, (_, index) => ({ symbol: `C${index}`, usd: 1 + index }))
  const won = (venue: string) =>
    venueOf(venue, quoteOf('USDT/KRW', 1470), ...coins.map(({ symbol, usd }) => quoteOf(`${symbol}/KRW`, usd * 1470)))
  const dollars = (venue: string) =>
    venueOf(venue, quoteOf('USDT/USD', 1), ...coins.map(({ symbol, usd }) => quoteOf(`${symbol}/USDT`, usd)))
  const bank = reportOf(sourceOf('bank', 'reference'), {
    references: [{ kind: 'reference', of: { currency: 'KRW' }, price_usd: 1 / 1400, at: NOW - HOUR }],
  })
  const list = listOf('list', ...coins.map(({ symbol, usd }) => sightingOf(symbol, { price_usd: usd, rank: 1 })))

  it('moves no price: the currency is measured where venues price it, not at the bank', () => {
    let last: ReturnType<typeof feedFrom> | undefined
    for (let run = 0; run < 3; run++) {
      last = feedFrom([list, won('upbit'), won('bithumb'), dollars('kraken'), bank], {
        now: NOW + (run * HOUR) / 2,
        ...(last ? { previous: publishedBy(last) } : {}),
      })
      for (const { symbol, usd } of coins)
        expect((last.snapshot.bySlug.get(symbol.toLowerCase())?.asset.price_usd ?? 0) / usd).toBeCloseTo(1, 3)
    }
  })
})

describe('an aggregator that is twenty hours old', () => {
  const old = (
    hours: number,
    venue: readonly ReturnType<typeof venueOf>[] = [],
    before?: ReturnType<typeof feedFrom>,
  ) =>
    feedFrom(
      [listOf('list', sightingOf('ACME', { price_usd: 2, percent_change_24h: 5, at: NOW - 20 * HOUR })), ...venue],
      {
        now: NOW + hours * HOUR,
        pastPrices: () => ({ dayAgo: { timestamp: AT, price_usd: 1 }, oldest: null }),
        ...(before ? { previous: publishedBy(before) } : {}),
      },
    ).snapshot.bySlug.get('acme')?.asset

  it('loses to a live market, whatever the last price says', () => {
    const first = feedFrom([listOf('list', sightingOf('ACME', { price_usd: 2, at: NOW - 20 * HOUR }))])
    expect(old(0.5, [venueOf('a', quoteOf('ACME/USD', 2.1))], first)).toMatchObject({
      price_usd: 2.1,
      price_basis: { method: 'exchanges' },
    })
  })

  it('gives no change of 24 hours, neither its own nor from our price of a day ago', () => {
    expect(old(0)).toMatchObject({ price_usd: 2, percent_change_24h: null })
  })
})

describe('over several runs', () => {
  /** ACME after each of four runs: an honest one, then three in which these venues say this. */
  function acmeOver(...said: readonly ReturnType<typeof venueOf>[]) {
    const acme = (price_usd: number) => sightingOf('acme', { symbol: 'ACME', price_usd })
    const lists = (price: number) => AGGREGATORS.map((id) => listOf(id, acme(price)))
    const honest = said.map(({ source }) => venueOf(source.id, quoteOf('ACME/USD', 100)))
    let feed = feedFrom([...honest, ...lists(100)])
    return [1, 2, 3].map((run) => {
      feed = feedFrom([...said, ...lists(100)], { now: NOW + (run * HOUR) / 3, previous: publishedBy(feed) })
      return feed.snapshot.bySlug.get('acme')?.asset
    })
  }

  it('a venue that washes twenty times the volume at +4 % is outvoted by another venue and two aggregators', () => {
    const washed = quoteOf('ACME/USD', 104, { volume_24h_base: 20_000_000 })
    for (const asset of acmeOver(venueOf('a', quoteOf('ACME/USD', 100)), venueOf('b', washed)))
      expect(asset?.price_usd).toBe(100)
  })

  it('a market of $500 at -8 % does not make the main market of its venue at +8 % agree with the others', () => {
    const off = [quoteOf('ACME/USD', 108), quoteOf('ACME/USDC', 92, { volume_24h_base: 5 }), quoteOf('USDC/USD', 1)]
    const others = ['b', 'c', 'd'].map((id) => venueOf(id, quoteOf('ACME/USD', 100), quoteOf('USDC/USD', 1)))
    for (const asset of acmeOver(venueOf('a', ...off), ...others))
      // Five of six agree: the venue of the two markets does not.
      expect(asset).toMatchObject({ price_usd: 100, price_confidence: 0.666667 })
  })

  it.each([
    ['two per cent', 102, 0.8],
    ['three per cent', 103, 0.4],
  ])('two aggregators that are %s away from three venues confirm them, or not', (_, at, confidence) => {
    const venues = ['a', 'b', 'c'].map((id) => venueOf(id, quoteOf('ACME/USD', (100 / at) * 100)))
    for (const asset of acmeOver(...venues)) expect(asset?.price_confidence).toBe(confidence)
  })
})

describe('a feed', () => {
  it.each([['list'], ['index'], AGGREGATORS])('is sure of four agreeing venues while %s is silent', (...silent) => {
    const storm = stormOf()
    storm.run()
    for (let run = 0; run < 8; run++) {
      const { listed } = storm.run({ silent }).feed.snapshot
      const traded = listed.filter(({ markets }) => new Set(markets.map(({ exchange_id }) => exchange_id)).size >= 4)
      expect(Math.min(...traded.map(({ asset }) => asset.price_confidence ?? 0))).toBeGreaterThan(0.5)
    }
  })

  it('of venues alone, of which one trades dollars, is sure of four that agree', () => {
    const storm = stormOf({ venues: ['alpha', 'beta', 'gamma', 'epsilon'] })
    storm.run()
    const { asset } = storm.run({ silent: AGGREGATORS })
    expect(asset('bitcoin')?.price_confidence).toBeGreaterThan(0.5)
  })
})

describe('the price of', () => {
  const opinion = (source_id: string, price_usd: number): Opinion => ({ source_id, pair: 'ACME/USD', price_usd })
  const told = (markets: readonly Market[], aggregators: readonly Opinion[] = [], last: Opinion | null = null) => {
    const { price_usd, basis } = priceOf({ ...SURE, markets, aggregators, last })
    return [price_usd, basis.method, basis.low_confidence_reason]
  }
  const venues = (...prices: readonly number[]) => prices.map((at, index) => marketOf(`v${index}`, at))
  const volumes = (...given: readonly (number | null)[]) =>
    given.map((volume_24h_usd, index) => marketOf(`v${index}`, 100 + index, { volume_24h_usd }))

  it.each<readonly [string, ReturnType<typeof told>, ReturnType<typeof told>]>([
    ['no venue is none', told([]), [null, 'none', null]],
    ['one venue is its own', told(venues(5)), [5, 'exchanges', 'single_witness']],
    ['one aggregator is its own', told([], [opinion('x', 5)]), [5, 'aggregators', 'single_witness']],
    ['equal witnesses is theirs', told(venues(5, 5, 5, 5, 5)), [5, 'exchanges', null]],
    ['two camps of equal size is split', told(venues(5, 5, 5, 9, 9, 9)), [7, 'exchanges', 'split']],
    [
      'two such camps is that of the last price',
      told(venues(5, 5, 9, 9), [], opinion('previous', 9)),
      [9, 'exchanges', 'contested'],
    ],
    ['a jury from 1e-18 to 1e9 is split', told(venues(1e-18, 1, 1e9)), [1, 'exchanges', 'split']],
    [
      'a jury with one of 1e9 is that of the others',
      told(venues(1e-18, 1e-18, 1e-18, 1e-18, 1e9)),
      [1e-18, 'exchanges', null],
    ],
    ['a volume that is not a number is none', told(volumes(Number.NaN)), [null, 'none', null]],
    ['a volume of zero is none', told(volumes(0)), [null, 'none', null]],
    ['a negative volume is none', told(volumes(-5)), [null, 'none', null]],
    ['an unknown volume is none', told(volumes(null)), [null, 'none', null]],
    [
      'one sound market beside such volumes is its own',
      told(volumes(1e6, Number.NaN, 0, -1)),
      [100, 'exchanges', 'single_witness'],
    ],
    [
      'a venue with 500 markets is one opinion',
      told([
        ...Array.from({ length: 500 }, (_, at) => marketOf('v9', 9, { pair: `ACME/Q${at}` })),
        ...venues(5, 5, 5, 5),
      ]),
      [5, 'exchanges', null],
    ],
  ])('%s', (_, made, expected) => {
    expect(made).toEqual(expected)
  })

  it('a last price of a year ago is not heard', () => {
    const venue = (id: string, at: number) => venueOf(id, quoteOf('ACME/USD', at))
    const first = feedFrom([listOf('list', sightingOf('ACME', { price_usd: 2 })), venue('a', 2), venue('b', 2)])
    const later = feedFrom([venue('a', 2.1), venue('b', 2.01)], {
      now: NOW + 365 * 24 * HOUR,
      previous: publishedBy(first),
    })
    expect(later.snapshot.bySlug.get('acme')?.asset).toMatchObject({
      price_usd: 2.055,
      price_basis: { low_confidence_reason: 'split' },
    })
  })
})
