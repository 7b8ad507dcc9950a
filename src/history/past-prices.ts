import { group } from 'd3-array'
import { DAYS, type Days, type Grid } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import type { Listing } from '../feed/listing.ts'
import type { Http, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import { type Candidate, type GapRequest, plan } from './backfill.ts'
import { fromCandles, fromInstants } from './candles.ts'
import type { Backfill } from './extend.ts'
import { gapsOf } from './gaps.ts'
import { LENGTH_OF, windowOf } from './grid.ts'
import { type LastSeries, headOf } from './last-series.ts'
import { priceAt } from './series.ts'

/** Grid and time of a run. */
export interface Moment {
  readonly grid: Grid
  /** In ms since 1970. */
  readonly now: number
}

/** Whether a series has gaps, read from the head of its document alone. */
function lacks(last: LastSeries, slug: string, days: Days, { grid, now }: Moment): boolean {
  const head = headOf(last.head(slug, days))
  if (head === null) return true
  // The run itself fills the open bucket.
  const closed = (windowOf(days, grid[days], now).to - head.to) / LENGTH_OF[grid[days]] - 1
  return head.missing > 0 || closed > 0
}

/** A source that fails this often in a row is not asked again in the run. */
const GIVE_UP_AFTER = 3

/** Maximum number of requests for past prices in a run. */
export interface HistoryBudget {
  readonly perRun: number
  readonly perSource: number
  /** More, for the run that has no series to extend; of each source as many as its pace allows in `seconds`. */
  readonly first?: { readonly perRun: number; readonly perSource: number; readonly seconds: number }
  /** The most of one source, where it is less than `perSource`. */
  readonly most?: (source_id: string) => number
}

export interface PastPrices {
  readonly backfills: ReadonlyMap<string, readonly Backfill[]>
  readonly requests: number
  readonly failures: readonly string[]
  /** Gaps that some source may fill and none was asked for in this run. */
  readonly left: number
}

/** Arguments of {@link fetchPastPrices}. */
export interface PastRequest extends Moment {
  readonly feed: Feed
  readonly sources: readonly Source[]
  readonly connect: (source: Source) => Http
  readonly last: LastSeries
  readonly budget: HistoryBudget
  /** Called with the number of requests, and the seconds that they take at least, before they are made. */
  readonly onPlan?: ((plan: { readonly requests: number; readonly seconds: number }) => void) | undefined
  /** Called with the number of requests of each gap after they were made. */
  readonly onFilled?: ((requests: number) => void) | undefined
}

/** Requests past prices for the gaps of the series, within the budget. The failure of a source only leaves its gaps open. */
export async function fetchPastPrices(request: PastRequest): Promise<PastPrices> {
  const { feed, sources, connect, last, budget, grid, now, onPlan, onFilled } = request
  const { snapshot, matched } = feed
  const byId = new Map(sources.flatMap((source) => (source.candles ? [[source.id, source] as const] : [])))
  const candidates = candidatesOf(matched, snapshot.listed, byId)
  const incomplete =
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
  const planned = plan(incomplete, { ...budget, turn: Math.floor(now / LENGTH_OF['15m']) })

  const requests = planned.reduce((sum, gap) => sum + gap.requests.length, 0)
  onPlan?.({ requests, seconds: leastSeconds(planned, byId) })

  const rates = ratesOf(snapshot.bySlug, last)
  const backfills = new Map<string, Backfill[]>()
  const failures: string[] = []
  // Sources in parallel, the requests of one source in sequence, so that a failing one can be given up.
  await Promise.all(
    [...group(planned, ({ source_id }) => source_id)].map(async ([id, own]) => {
      const source = byId.get(id)
      if (!source) return
      const http = connect(source)
      let failing = 0
      for (const gap of own) {
        if (failing >= GIVE_UP_AFTER) return
        try {
          const filled = await fill(gap, { source, http, rate: rates(gap), now })
          backfills.set(gap.slug, [...(backfills.get(gap.slug) ?? []), filled])
          failing = 0
        } catch (error) {
          if (!(error instanceof SourceError)) throw error
          failing++
          failures.push(`${gap.slug} ${gap.days}d: ${error.message}`)
        }
        onFilled?.(gap.requests.length)
      }
    }),
  )
  const open = incomplete.flatMap(({ gaps }) => gaps.filter(({ days, asked }) => days !== 90 && !asked)).length
  return { backfills, requests, failures: failures.toSorted(), left: Math.max(0, open - planned.length) }
}

/** How long the requests take at the pace of the slowest source, in seconds. */
function leastSeconds(planned: readonly GapRequest[], byId: ReadonlyMap<string, Source>): number {
  const seconds = [...group(planned, ({ source_id }) => source_id)].map(([id, own]) => {
    const { pace } = byId.get(id) ?? {}
    const count = own.reduce((sum, { requests }) => sum + requests.length, 0)
    return pace && count > pace.requests ? (count / pace.requests) * pace.perSeconds : 0
  })
  return Math.max(0, ...seconds)
}

interface Filling {
  readonly source: Source
  readonly http: Http
  readonly rate: PastRate
  readonly now: number
}

async function fill(gap: GapRequest, { source, http, rate, now }: Filling): Promise<Backfill> {
  const { candles } = source
  if (!candles) throw new SourceError('source_invalid', `${source.id} has no past prices`)
  const bars = []
  for (const request of gap.requests) bars.push(...(await candles.ask(http, request)))
  const { interval } = gap
  const points = candles.rolling
    ? fromInstants({ candles: bars, interval, now })
    : fromCandles({ candles: bars, interval, now, rateAt: rate.at })
  return { interval, label: `${source.label}${candles.rolling ? '' : rate.note}`, points }
}

interface PastRate {
  readonly at: (ms: number) => number | null
  readonly note: string
}

const AT_PAR = new Set(['USDT', 'USDC'])
const REFERENCE_SLUGS: Readonly<Record<string, string>> = { USDT: 'tether', USDC: 'usd-coin' }

/** Returns the past rates of a quote currency from its own published series, or else at par, which the label states. */
const ratesOf =
  (listings: ReadonlyMap<string, Listing>, last: LastSeries) =>
  ({ quote, days }: GapRequest): PastRate => {
    if (quote === 'USD') return { at: () => 1, note: '' }
    const slug = REFERENCE_SLUGS[quote]
    const series = slug !== undefined && listings.has(slug) ? last.read(slug, days) : null
    const known = series ? priceAt(series) : () => null
    return { at: (ms) => known(ms) ?? (AT_PAR.has(quote) ? 1 : null), note: ` (${quote} at par where unmeasured)` }
  }

function candidatesOf(
  matched: Feed['matched'],
  listed: readonly Listing[],
  byId: ReadonlyMap<string, Source>,
): Map<string, Candidate[]> {
  const candidates = new Map<string, Candidate[]>()
  const add = (slug: string, id: string, candidate: Pick<Candidate, 'kind' | 'market' | 'quote'>) => {
    const source = byId.get(id)
    if (!source?.candles) return
    const { intervals, most } = source.candles
    candidates.set(slug, [...(candidates.get(slug) ?? []), { source_id: id, ...candidate, intervals, most }])
  }
  for (const { slug, market, quote } of matched) {
    const isDollar = market.quote_symbol === 'USD' || AT_PAR.has(market.quote_symbol)
    // The past prices of an outlier are no more credible than its current one.
    if (isDollar && !market.is_outlier)
      add(slug, market.exchange_id, { kind: 'exchange', market: quote.market, quote: quote.quote })
  }
  for (const { asset } of listed)
    for (const [source, id] of Object.entries(asset.external_ids))
      add(asset.slug, source, { kind: 'aggregator', market: id, quote: 'USD' })
  return candidates
}
