import { group } from 'd3-array'
import { DAYS, type Days, type Grid } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import type { Listing } from '../feed/listing.ts'
import type { Http, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import { type Ask, type Candidate, plan } from './backfill.ts'
import { fromCandles, fromInstants } from './candles.ts'
import type { Backfill } from './extend.ts'
import { gapsOf } from './gaps.ts'
import { LENGTH_OF, windowOf } from './grid.ts'
import { type LastSeries, headOf } from './last-series.ts'
import { priceAt } from './series.ts'

/** When and on which grid a run extends the series. */
export interface Moment {
  readonly grid: Grid
  /** Clock of the run, in ms since 1970. */
  readonly now: number
}

/** Whether a series lacks buckets at `now`, told from the head of its document alone. */
function lacks(last: LastSeries, slug: string, days: Days, { grid, now }: Moment): boolean {
  const head = headOf(last.head(slug, days))
  if (head === null) return true
  // The open bucket is filled by the run itself.
  const closed = (windowOf(days, grid[days], now).to - head.to) / LENGTH_OF[grid[days]] - 1
  return head.missing > 0 || closed > 0
}

/** A source that fails so often in a row is asked for no more past prices in the run. */
const GIVE_UP_AFTER = 3

/** How many requests a run may make for past prices. */
export interface HistoryBudget {
  readonly perRun: number
  readonly perSource: number
}

export interface PastPrices {
  readonly backfills: ReadonlyMap<string, readonly Backfill[]>
  readonly requests: number
  readonly failures: readonly string[]
}

/** What past prices are requested for, and of whom. */
export interface PastRequest extends Moment {
  readonly feed: Feed
  readonly sources: readonly Source[]
  readonly connect: (source: Source) => Http
  readonly last: LastSeries
  readonly budget: HistoryBudget
  readonly onPlan?: ((requests: number) => void) | undefined
}

/** Asks the sources for what the series lack, within the budget. A source that fails costs only what it was asked for. */
export async function askPast(request: PastRequest): Promise<PastPrices> {
  const { feed, sources, connect, last, budget, grid, now, onPlan } = request
  const { snapshot, matched } = feed
  const able = new Map(sources.flatMap((source) => (source.candles ? [[source.id, source] as const] : [])))
  const candidates = candidatesOf(matched, snapshot.listed, able)
  const wanted =
    budget.perRun === 0
      ? []
      : snapshot.listed.flatMap(({ asset: { slug, market_cap_rank: rank } }) => {
          const own = candidates.get(slug) ?? []
          if (own.length === 0) return []
          const gaps = DAYS.filter((days) => lacks(last, slug, days, { grid, now })).flatMap((days) =>
            gapsOf(days, grid[days], last.read(slug, days), now),
          )
          return gaps.length === 0 ? [] : [{ slug, rank, gaps, candidates: own }]
        })
  const asks = plan(wanted, { ...budget, turn: Math.floor(now / LENGTH_OF['15m']) })

  const requests = asks.reduce((sum, ask) => sum + ask.requests.length, 0)
  onPlan?.(requests)

  const connections = new Map<string, Http>()
  const httpOf = (source: Source): Http => {
    const known = connections.get(source.id) ?? connect(source)
    connections.set(source.id, known)
    return known
  }
  const rates = ratesOf(snapshot.bySlug, last)
  const backfills = new Map<string, Backfill[]>()
  const failures: string[] = []
  const failing = new Map<string, number>()
  const askFor = async (ask: Ask) => {
    const source = able.get(ask.source_id)
    if (!source?.candles || (failing.get(source.id) ?? 0) >= GIVE_UP_AFTER) return
    try {
      const filled = await fill(ask, source, httpOf(source), rates(ask), now)
      backfills.set(ask.slug, [...(backfills.get(ask.slug) ?? []), filled])
      failing.delete(source.id)
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      failing.set(source.id, (failing.get(source.id) ?? 0) + 1)
      failures.push(`${ask.slug} ${ask.days}d: ${error.message}`)
    }
  }
  // The sources side by side, each one's requests one after another: it is paced anyway, and can so be given up.
  await Promise.all(
    [...group(asks, ({ source_id }) => source_id).values()].map(async (own) => {
      for (const ask of own) await askFor(ask)
    }),
  )
  return { backfills, requests, failures: failures.toSorted() }
}

async function fill(ask: Ask, source: Source, http: Http, rate: RateOfTime, now: number): Promise<Backfill> {
  const { candles } = source
  if (!candles) throw new SourceError('source_invalid', `${source.id} has no past prices`)
  const bars = []
  for (const request of ask.requests) bars.push(...(await candles.ask(http, request)))
  const { interval } = ask
  const points = candles.rolling
    ? fromInstants({ candles: bars, interval, now })
    : fromCandles({ candles: bars, interval, now, rateAt: rate.at })
  return { interval, label: `${source.label}${candles.rolling ? '' : rate.note}`, points }
}

interface RateOfTime {
  readonly at: (ms: number) => number | null
  readonly note: string
}

const AT_PAR = new Set(['USDT', 'USDC'])
const REFERENCE_SLUGS: Readonly<Record<string, string>> = { USDT: 'tether', USDC: 'usd-coin' }

/** Dollars for a quote currency at a time: from its own published series, else at par, and the label says so. */
const ratesOf =
  (listings: ReadonlyMap<string, Listing>, last: LastSeries) =>
  ({ quote, days }: Ask): RateOfTime => {
    if (quote === 'USD') return { at: () => 1, note: '' }
    const slug = REFERENCE_SLUGS[quote]
    const series = slug !== undefined && listings.has(slug) ? last.read(slug, days) : null
    const known = series ? priceAt(series) : () => null
    return { at: (ms) => known(ms) ?? (AT_PAR.has(quote) ? 1 : null), note: ` (${quote} at par where unmeasured)` }
  }

function candidatesOf(
  matched: Feed['matched'],
  listed: readonly Listing[],
  able: ReadonlyMap<string, Source>,
): Map<string, Candidate[]> {
  const candidates = new Map<string, Candidate[]>()
  const add = (slug: string, source: Source | undefined, kind: Candidate['kind'], market: string, quote: string) => {
    if (!source?.candles) return
    const { intervals, most } = source.candles
    candidates.set(slug, [
      ...(candidates.get(slug) ?? []),
      { source_id: source.id, kind, market, quote, intervals, most },
    ])
  }
  for (const { slug, market, quote } of matched) {
    const dollar = market.quote_symbol === 'USD' || AT_PAR.has(market.quote_symbol)
    // A market that is not believed today has no past to be believed either.
    if (dollar && !market.is_outlier) add(slug, able.get(market.exchange_id), 'exchange', quote.market, quote.quote)
  }
  for (const { asset } of listed)
    for (const [source, id] of Object.entries(asset.external_ids))
      add(asset.slug, able.get(source), 'aggregator', id, 'USD')
  return candidates
}
