import { group } from 'd3-array'
import { DAYS, type Days, INTERVAL_OF, seriesFile } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import type { Listing } from '../feed/listing.ts'
import type { Http, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import { type Ask, type Candidate, plan } from './backfill.ts'
import { fromCandles, fromInstants } from './candles.ts'
import type { Backfill } from './extend.ts'
import { gapsOf } from './gaps.ts'
import { LENGTH_OF, windowOf } from './grid.ts'
import { type Readable, type SeriesReader, seriesReader } from './last-series.ts'
import { priceAt } from './series.ts'

/** `missing` and `to` stand in the head of a document, before anything long. */
const HEAD = /"to":"([^"]+)",\s*"missing":(\d+)/

/** Whether a series lacks buckets at `now`, told from the head of its document alone. */
function lacks(tree: Readable, slug: string, days: Days, now: number): boolean {
  const [, to, missing] = HEAD.exec(tree.head(seriesFile(slug, days))) ?? []
  if (to === undefined) return true
  // The open bucket is filled by the run itself.
  const closed = (windowOf(days, now).to - Date.parse(to)) / LENGTH_OF[INTERVAL_OF[days]] - 1
  return Number(missing) > 0 || closed > 0
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

/** Asks the sources for what the series lack, within the budget. A source that fails costs only what it was asked for. */
export async function askPast(
  { snapshot, matched }: Feed,
  sources: readonly Source[],
  connect: (source: Source) => Http,
  tree: Readable,
  budget: HistoryBudget,
  now: number,
  onPlan?: (requests: number) => void,
): Promise<PastPrices> {
  const able = new Map(sources.flatMap((source) => (source.candles ? [[source.id, source] as const] : [])))
  const read = seriesReader(tree)
  const candidates = candidatesOf(matched, snapshot.listed, able)
  const wanted =
    budget.perRun === 0
      ? []
      : snapshot.listed.flatMap(({ asset: { slug, market_cap_rank: rank } }) => {
          const own = candidates.get(slug) ?? []
          if (own.length === 0) return []
          const gaps = DAYS.filter((days) => lacks(tree, slug, days, now)).flatMap((days) =>
            gapsOf(days, read(slug, days), now),
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
  const rates = ratesOf(snapshot.bySlug, read)
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
  const interval = INTERVAL_OF[ask.days]
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
  (listings: ReadonlyMap<string, Listing>, read: SeriesReader) =>
  ({ quote, days }: Ask): RateOfTime => {
    if (quote === 'USD') return { at: () => 1, note: '' }
    const slug = REFERENCE_SLUGS[quote]
    const series = slug !== undefined && listings.has(slug) ? read(slug, days) : null
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
