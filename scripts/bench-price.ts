import type { Market } from '../src/core/contract/market.ts'
import { marketOf } from '../src/core/feed/market-rows.ts'
import { type Evidence, priceOf } from '../src/core/feed/price.ts'
import type { Rates } from '../src/core/feed/rates.ts'
import { median } from '../src/core/feed/statistics.ts'
import { randomOf } from '../src/core/sources/sample/sample.ts'
import { say } from './terminal.ts'

const ASSETS = 600
const LIES = [
  0.001, 0.5, 0.9, 0.95, 0.98, 0.982, 0.985, 0.99, 0.995, 1.005, 1.01, 1.015, 1.018, 1.0199, 1.02, 1.05, 1.1, 2, 1000,
].flatMap((factor) => [1000, 1e6, 1e15].map((volume) => ({ factor, volume })))
const VENUES = 19

type Random = () => number
type PriceScenario = ReturnType<typeof scenarioOf>

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(Math.max(random(), 1e-12))) * Math.cos(2 * Math.PI * random())

/** An asset at 3 to 12 venues, dispersed as recorded ones: 5 basis points at the median, 25 for one in twenty. */
function scenarioOf(random: Random, venues = 3 + Math.floor(random() * 10)) {
  const truth = 10 ** (random() * 8 - 4)
  const dispersion = 0.0005 * Math.exp(normal(random))
  const mids: number[] = []
  const markets = Array.from({ length: venues }, (_, index) => {
    const mid = truth * (1 + dispersion * normal(random))
    const half = mid * dispersion * (0.5 + random())
    mids.push(mid)
    const book = { bid: mid - half, ask: mid + half, last: mid + half * normal(random) }
    return marketAt(`venue-${index}`, book, 10 ** (4 + 5 * random()))
  })
  return { markets, mid: median(mids) }
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

const evidenceOf = (markets: readonly Market[]): Evidence => ({ markets, aggregators: [], distrusted: new Set() })
const priced = (markets: readonly Market[]): number => priceOf(evidenceOf(markets)).price_usd ?? Number.NaN
const isDispersed = ({ markets }: PriceScenario): boolean =>
  priceOf(evidenceOf(markets)).basis.low_confidence_reason !== null
const movedBp = (to: number, from: number): number => Math.abs(to / from - 1) * 10_000

function worstMove(markets: readonly Market[], liars: readonly number[]): number {
  const honest = priced(markets)
  const moves = LIES.map(({ factor, volume }) => {
    const told = markets.map((market, index) =>
      liars.includes(index)
        ? { ...market, price_usd: (market.price_usd ?? 0) * factor, volume_24h_usd: volume }
        : market,
    )
    return movedBp(priced(told), honest)
  })
  return Math.max(...moves)
}

/** Assets of a large feed: each trades at a share of all venues, small for most, and counts where three do. */
function scenariosOfFeed(): PriceScenario[] {
  const random = randomOf(VENUES)
  return Array.from({ length: ASSETS }, () => {
    const share = random() ** 2
    const count = Array.from({ length: VENUES }, () => random() < share).filter(Boolean).length
    return count < 3 ? [] : scenarioOf(random, count)
  }).flat()
}

function line(what: string, distances: readonly number[], limits: string): void {
  const sorted = distances.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  const [middle, p95, p99, most] = [0.5, 0.95, 0.99, 1].map((share) => `${at(share).toFixed(1)} bp`)
  say(`${what}: ${middle} median, ${p95} p95, ${p99} p99, ${most} max of ${sorted.length} (${limits})`)
}

export function benchPrice(): void {
  const random = randomOf(16)
  const scenarios = Array.from({ length: ASSETS }, () => scenarioOf(random))
  const atLeast = (some: readonly PriceScenario[], venues: number) =>
    some.flatMap(({ markets }) => (markets.length >= venues ? [markets] : []))
  const byOne = (some: readonly PriceScenario[]) =>
    atLeast(some, 5).flatMap((markets) => markets.map((_, liar) => worstMove(markets, [liar])))
  const two = atLeast(scenarios, 6).map((markets) => {
    const pair = [Math.floor(random() * 3), 3 + Math.floor(random() * 3)]
    return worstMove(markets.slice(0, 6), pair)
  })
  const calm = scenarios.filter((scenario) => !isDispersed(scenario))
  line('one liar among four or more honest venues', byOne(calm), 'at most 10, 50, -, 100')
  line('the same of prices published as doubtful', byOne(scenarios.filter(isDispersed)), 'counted apart')
  line('two colluding among six', two, 'median at most 30')
  const twoOfFeed = atLeast(scenariosOfFeed(), 6).map((markets) => worstMove(markets, [0, 3]))
  line('two colluding beside four or more of 19 venues', twoOfFeed, 'p95 at most 40')
  const honest = scenarios.map(({ markets, mid }) => movedBp(priced(markets), mid))
  line('honest, from the median of the mids', honest, 'median at most 7, p99 60')
}
