import { type Evidence, price } from '../src/core/feed/price.ts'
import type { Market } from '../src/core/contract/market.ts'
import { marketOf } from '../src/core/feed/market-rows.ts'
import type { Rates } from '../src/core/feed/rates.ts'
import { median } from '../src/core/feed/statistics.ts'
import { randomOf } from '../src/core/sources/sample/sample.ts'
import { print } from './terminal.ts'

const ASSETS = 600
/** Factors that a liar tells its price by, and what it says it trades. */
const LIES = [
  0.001, 0.5, 0.9, 0.95, 0.98, 0.982, 0.985, 0.99, 0.995, 1.005, 1.01, 1.015, 1.018, 1.0199, 1.02, 1.05, 1.1, 2, 1000,
]
const VOLUMES_USD = [1000, 1e6, 1e15]

/** A distribution of distances in basis points. */
type Distances = ReturnType<typeof distances>

type PriceScenario = ReturnType<typeof worldOf>

type Random = () => number

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(Math.max(random(), 1e-12))) * Math.cos(2 * Math.PI * random())

/**
 * An asset at 3 to 12 venues. The dispersion of the venues is that of recorded ones: log-normal over the assets, 5 basis
 * points at the median and 25 for one in twenty, with a book as wide and a last trade a little off its own mid. Volumes
 * span five decades.
 */
function worldOf(random: Random, venues = 3 + Math.floor(random() * 10)) {
  const truth = 10 ** (random() * 8 - 4)
  const dispersion = 0.0005 * Math.exp(normal(random))
  const mids: number[] = []
  const markets = Array.from({ length: venues }, (_, index) => {
    const mid = truth * (1 + dispersion * normal(random))
    const half = mid * dispersion * (0.5 + random())
    mids.push(mid)
    return marketAt(
      `venue-${index}`,
      { bid: mid - half, ask: mid + half, last: mid + half * normal(random) },
      10 ** (4 + 5 * random()),
    )
  })
  // The mid is the median of those of the venues, and all of them are near the truth.
  return { markets, mid: median(mids), truth }
}

const AT = '2026-11-20T12:00:00Z'
const DOLLARS: Rates = new Map([
  ['USD', { symbol: 'USD', price_usd: 1, method: 'definition', quotes: 0, as_of: AT, inputs: [], cross_check: null }],
])

function marketAt(venue: string, book: { bid: number; ask: number; last: number }, volume: number): Market {
  const names = { kind: 'quote', market: 'A-USD', base: 'A', quote: 'USD', at: null, trade_url: null } as const
  const quote = { ...names, ...book, volume_24h_base: null, volume_24h_quote: volume, percent_change_24h: null }
  const origin = { id: venue, label: venue, now: Date.parse(AT), collected_at: AT }
  return marketOf(quote, origin, { matched_by: 'price', matched_at: AT }, DOLLARS)
}

const lying = (market: Market, factor: number, volume_24h_usd: number): Market => ({
  ...market,
  price_usd: (market.price_usd ?? 0) * factor,
  volume_24h_usd,
})

const evidenceOf = (markets: readonly Market[]): Evidence => ({ markets, aggregators: [], distrusted: new Set() })

const priced = (markets: readonly Market[]): number => price(evidenceOf(markets)).price_usd ?? Number.NaN

const reasonOf = (markets: readonly Market[]) => price(evidenceOf(markets)).basis.low_confidence_reason

/** How far, in basis points, the worst of all lies of these venues moves the price. */
function worstMove(markets: readonly Market[], liars: readonly number[]): number {
  const honest = priced(markets)
  const moves = LIES.flatMap((factor) =>
    VOLUMES_USD.map((volume) => {
      const moved = priced(
        markets.map((market, index) => (liars.includes(index) ? lying(market, factor, volume) : market)),
      )
      return Math.abs(moved / honest - 1) * 10_000
    }),
  )
  return Math.max(...moves)
}

function distances(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { count: sorted.length, median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

/** Venues of a feed. */
const FEEDS = [6, 12, 19]

/**
 * Assets as a feed of so many venues has them: a coin trades at a share of all venues that is its own, small for most, and is
 * counted where three do.
 */
function coveredBy(venues: number): PriceScenario[] {
  const random = randomOf(venues)
  return Array.from({ length: ASSETS }, () => {
    const share = random() ** 2
    const count = Array.from({ length: venues }, () => random() < share).filter(Boolean).length
    return count < 3 ? [] : worldOf(random, count)
  }).flat()
}

/** Prints, for feeds of few and of many venues, how many assets have witnesses, and how far liars move their prices. */
function benchFeeds(line: (what: string, distances: Distances, limits: string) => void): void {
  for (const venues of FEEDS) {
    const worlds = coveredBy(venues)
    const having = (least: number) => worlds.filter(({ markets }) => markets.length >= least)
    const counts = [3, 4, 6].map((least) => `${having(least).length} with ${least}`).join(', ')
    print(`${venues} venues: of ${ASSETS} made assets ${counts} or more witnesses`)
    const honest = worlds.map(({ markets, truth }) => Math.abs(priced(markets) / truth - 1) * 10_000)
    line('  honest, from the truth', distances(honest), 'counted')
    line('  one liar', distances(having(4).map(({ markets }) => worstMove(markets, [0]))), 'counted')
    const two = having(6).map(({ markets }) => worstMove(markets, [0, 3]))
    line('  two colluding beside four or more', distances(two), 'p95 at most 40')
  }
}

/**
 * Prints how far liars move prices on made worlds of 600 assets: for each asset the worst of 19 factors and 3 volumes, told by
 * each of its venues in turn where at least four others are honest, and by two venues together where at least four others
 * are; and the distance to the median of the venues' mids without a liar. Then the same for feeds of 6, 12 and 19 venues.
 */
export function benchPrice(): void {
  const random = randomOf(16)
  const worlds = Array.from({ length: ASSETS }, () => worldOf(random))
  const movedByOne = (some: readonly PriceScenario[]) =>
    distances(
      some
        .filter(({ markets }) => markets.length >= 5)
        .flatMap(({ markets }) => markets.map((_, liar) => worstMove(markets, [liar]))),
    )
  const isDispersed = ({ markets }: PriceScenario) => reasonOf(markets) !== null
  const two = worlds
    .filter(({ markets }) => markets.length >= 6)
    .map(({ markets }) => {
      const pair = [Math.floor(random() * 3), 3 + Math.floor(random() * 3)]
      return worstMove(markets.slice(0, 6), pair)
    })
  const honest = worlds.map(({ markets, mid }) => Math.abs(priced(markets) / mid - 1) * 10_000)
  const bp = (value: number) => `${value.toFixed(1)} bp`
  const line = (what: string, { count, median, p95, p99, max }: Distances, limits: string) =>
    print(`${what}: ${bp(median)} median, ${bp(p95)} p95, ${bp(p99)} p99, ${bp(max)} max of ${count} (${limits})`)
  print(`${ASSETS} made assets at 3 to 12 venues; of each liar the worst of 57 lies`)
  const calm = worlds.filter((world) => !isDispersed(world))
  line('one liar among four or more honest venues ', movedByOne(calm), 'at most 10, 50, -, 100')
  line('the same of prices published as doubtful ', movedByOne(worlds.filter(isDispersed)), 'counted apart')
  line('two colluding among six', distances(two), 'median at most 30')
  line('honest, from the median of the mids', distances(honest), 'median at most 7, p99 60')
  benchFeeds(line)
}
