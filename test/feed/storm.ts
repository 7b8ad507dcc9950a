import { isoOf } from '../../src/core/contract/time.ts'
import type { Asset } from '../../src/core/contract/asset.ts'
import { type Feed, type FeedInput, feedOf } from '../../src/core/feed/feed.ts'
import { NOTHING_REFUSED, type Verdict, gateVerdict } from '../../src/core/feed/gate.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import type { Snapshot } from '../../src/core/feed/snapshot.ts'
import { median } from '../../src/core/feed/statistics.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { ContractSighting, Quote, Sighting } from '../../src/core/sources/source.ts'
import {
  HOUR,
  NOW,
  contractOn,
  entryOf,
  listOf,
  publishedBy,
  quoteOf,
  registryOf,
  sightingOf,
  silent,
  venueOf,
  inputOf,
} from './world.ts'

/**
 * A market in motion, played through the real feed and the real gateVerdict with state carried from run to run: thirty-six coins
 * at six venues, against USD, USDT, BTC and ETH, and two aggregators that list them, with a few basis points of noise. The
 * coins of `storm.coins` may be changed before a run.
 *
 * A lie about a rate is a lie about the coin that it is the rate of: `{ alpha: { coins: { tether: 1.05 } } }` moves
 * TETHER/USD at `alpha` and nothing else.
 */
export function stormOf(options: StormOptions = {}): Storm {
  const { venues = Object.keys(QUOTED_IN), aggregators = AGGREGATORS, hours = 0.5 } = options
  const coins = options.coins ?? coinsOf(36, venues, aggregators)
  const registry = options.registry ?? REGISTRY
  const truth = (id: string): number => coins.find((coin) => coin.id === id)?.price ?? Number.NaN
  let previous = NOTHING_BEFORE
  let record = NOTHING_REFUSED
  let shown: Snapshot | null = null
  let now = NOW
  let runs = 0
  const past: { readonly at: number; readonly prices: ReadonlyMap<string, number> }[] = []

  /** The prices that were published `hours` ago: of the oldest run since then. */
  const publishedSince = (hoursAgo: number) => past.find(({ at }) => at >= now - hoursAgo * HOUR)

  const run = (weather: Weather = {}): StormRun => {
    if (runs++ > 0) now += (weather.hours ?? hours) * HOUR
    for (const coin of coins) coin.price *= (weather.coins?.[coin.id] ?? 1) * (coin.isStable ? 1 : (weather.all ?? 1))
    const market = { coins, now, runs }
    const told = [
      ...aggregators.map((id) => aggregatorReport(id, market, weather.lies?.[id])),
      ...venues.map((id) => venueReport(id, market, weather.lies?.[id])),
    ]
    const reports = [
      ...told.map((report) => (weather.silent?.includes(report.source.id) ? silent(report) : report)),
      ...(weather.reports ?? []),
    ].map((report) => ({ ...report, attemptedAt: now }))
    const dayAgo = publishedSince(24)
    const feed = feedOf({
      ...inputOf(reports, previous),
      reports,
      registry,
      now,
      pastPrices: (slug) => {
        const oldest = dayAgo?.prices.get(slug) ?? null
        const isOfDay = dayAgo !== undefined && dayAgo.at <= now - 23 * HOUR && oldest !== null
        return { dayAgo: isOfDay ? { timestamp: isoOf(dayAgo.at), price_usd: oldest } : null, oldest }
      },
      ...options.feed,
    })
    const verdict = gateVerdict({ previous, snapshot: feed.snapshot, reports, now }, record)
    record = verdict.record
    if (verdict.refusals.length === 0) {
      previous = publishedBy(feed)
      shown = feed.snapshot
      past.push({ at: now, prices: pricesOf(feed.snapshot) })
    }
    const asset = (id: string) => shown?.bySlug.get(id)?.asset
    const off = (id: string) => Math.abs((asset(id)?.price_usd ?? Number.NaN) / truth(id) - 1)
    const offs = coins.map(({ id }) => off(id)).filter((one) => !Number.isNaN(one))
    return {
      feed,
      verdict,
      refused: verdict.refusals.map(({ rule }) => rule),
      asset,
      off,
      medianOff: offs.length === 0 ? Number.NaN : median(offs),
      mostOff: Math.max(...offs),
    }
  }
  return { coins, run, previous: () => previous, now: () => now }
}

interface StormOptions {
  readonly venues?: readonly string[]
  readonly aggregators?: readonly string[]
  readonly coins?: Coin[]
  readonly hours?: number
  readonly registry?: FeedInput['registry']
  readonly feed?: Partial<FeedInput>
}

export interface Coin {
  readonly id: string
  symbol: string
  name: string
  price: number
  supply: number
  contracts: readonly ContractSighting[]
  venues: readonly string[]
  aggregators: readonly string[]
  /** It does not move with the market. */
  readonly isStable: boolean
}

export interface Weather {
  /** Factor on the true price of every coin that is not stable. It lasts. */
  readonly all?: number
  /** Factors on true prices, by coin. They last. */
  readonly coins?: Readonly<Record<string, number>>
  /** What single sources say that is not true, by source; of this run alone. */
  readonly lies?: Readonly<Record<string, Lie>>
  readonly silent?: readonly string[]
  readonly hours?: number
  /** More reports, such as those of a central bank or of pools. */
  readonly reports?: readonly Report[]
}

/** What a source does to its own rows. */
export interface Lie {
  /** Factor on its price of every coin that is not stable. */
  readonly all?: number
  readonly coins?: Readonly<Record<string, number>>
  /** Edits a row of an aggregator; null: leaves it out. */
  readonly sighting?: (row: Sighting, coin: Coin) => Sighting | null
  /** Edits a row of a venue; null: leaves it out. */
  readonly quote?: (row: Quote, coin: Coin) => Quote | null
}

export interface Storm {
  readonly coins: Coin[]
  readonly run: (weather?: Weather) => StormRun
  readonly previous: () => typeof NOTHING_BEFORE
  readonly now: () => number
}

export interface StormRun {
  readonly feed: Feed
  readonly verdict: Verdict
  readonly refused: readonly string[]
  /** An asset as readers see it after the run, by its slug: the id of its coin. */
  readonly asset: (slug: string) => Asset | undefined
  /** How far its published price is from the true one: 0.01 is one percent; NaN without a price. */
  readonly off: (id: string) => number
  /** The same of the median coin, and of the worst. */
  readonly medianOff: number
  readonly mostOff: number
}

const AGGREGATORS = ['list', 'index'] as const

/** The currencies that each venue quotes its coins in. */
export const QUOTED_IN: Readonly<Record<string, readonly string[]>> = {
  alpha: ['USDT', 'BTC'],
  beta: ['USDT', 'ETH'],
  gamma: ['USD', 'USDT'],
  delta: ['USD'],
  epsilon: ['USDT'],
  zeta: ['USD', 'BTC'],
}

/** Coins that others are quoted in, by symbol. */
const MONEY = { USDT: 'tether', BTC: 'bitcoin', ETH: 'ethereum' } as const

const REGISTRY = registryOf(
  ...Object.entries(MONEY).map(([symbol, slug]) =>
    entryOf(slug, { symbol, external_ids: Object.fromEntries(AGGREGATORS.map((id) => [id, slug])) }),
  ),
)

/** The currencies first, then coins from a thousandth of a dollar to a thousand. Every eighth trades at two venues, some at all. */
function coinsOf(count: number, venues: readonly string[], aggregators: readonly string[]): Coin[] {
  const coin = (id: string, symbol: string, price: number, index: number): Coin => ({
    id,
    symbol,
    name: id,
    price,
    supply: 1e9 / price / (index + 1),
    contracts: [contractOn('ethereum', `0x${String(index + 1).padStart(40, '7')}`)],
    venues,
    aggregators,
    isStable: id === MONEY.USDT,
  })
  const tradedAt = (index: number) =>
    index % 8 === 0
      ? [0, 2].flatMap((shift) => venues[(index / 8 + shift) % venues.length] ?? [])
      : venues.filter((_, venue) => (index + venue) % 5 !== 0)
  return [
    coin(MONEY.USDT, 'USDT', 1, 0),
    coin(MONEY.BTC, 'BTC', 16_000, 1),
    coin(MONEY.ETH, 'ETH', 1_100, 2),
    ...Array.from({ length: count - 3 }, (_, at) => {
      const index = at + 3
      return { ...coin(`coin-${index}`, `C${index}`, 10 ** ((index % 7) - 3), index), venues: tradedAt(index) }
    }),
  ]
}

interface Market {
  readonly coins: readonly Coin[]
  readonly now: number
  readonly runs: number
}

const factorOf = (coin: Coin, lie: Lie | undefined): number =>
  (lie?.coins?.[coin.id] ?? 1) * (coin.isStable ? 1 : (lie?.all ?? 1))

/** A few basis points that differ by source, coin and run, so that every market moves. */
const noise = (...seed: readonly (number | string)[]): number => {
  let hash = 7
  for (const letter of seed.join(' ')) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return 1 + ((hash % 601) - 300) / 1e6
}

function aggregatorReport(id: string, { coins, now, runs }: Market, lie: Lie | undefined): Report {
  const known = coins.filter(({ aggregators }) => aggregators.includes(id))
  const rows = known.flatMap((coin, index) => {
    const price_usd = coin.price * factorOf(coin, lie) * noise(id, coin.id, runs)
    const row = sightingOf(coin.id, {
      symbol: coin.symbol,
      name: coin.name,
      rank: index + 1,
      contracts: coin.contracts,
      price_usd,
      market_cap_usd: price_usd * coin.supply,
      circulating_supply: coin.supply,
      volume_24h_usd: 10_000_000,
      at: now - 60_000,
    })
    const edited = lie?.sighting ? lie.sighting(row, coin) : row
    return edited ? [edited] : []
  })
  return listOf(id, ...rows)
}

function venueReport(id: string, { coins, now, runs }: Market, lie: Lie | undefined): Report {
  const bySymbol = new Map(coins.map((coin) => [coin.symbol, coin]))
  const quotes = QUOTED_IN[id] ?? ['USDT']
  const rows = coins.flatMap((coin) =>
    quotes.flatMap((quote) => {
      const money = quote === 'USD' ? null : bySymbol.get(quote)
      if (!coin.venues.includes(id) || money === undefined || money === coin) return []
      // One of two currencies is quoted in the other, never both ways.
      if (coin.isStable && quote !== 'USD') return []
      if (coin.symbol === 'BTC' && quote === 'ETH') return []
      const last = (coin.price / (money?.price ?? 1)) * factorOf(coin, lie) * noise(id, coin.id, quote, runs)
      const row = quoteOf(`${coin.symbol}/${quote}`, last, {
        volume_24h_base: (3_000_000 * (1 + venueIndex(id) / 4)) / coin.price,
        at: now - 30_000,
      })
      const edited = lie?.quote ? lie.quote(row, coin) : row
      return edited ? [edited] : []
    }),
  )
  return venueOf(id, ...rows)
}

const venueIndex = (id: string): number => Object.keys(QUOTED_IN).indexOf(id)

const pricesOf = ({ listings }: Snapshot): ReadonlyMap<string, number> =>
  new Map(
    listings.flatMap(({ asset: { slug, price_usd } }) => (price_usd === null ? [] : [[slug, price_usd] as const])),
  )
