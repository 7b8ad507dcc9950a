import { rollup } from 'd3-array'
import { DAILY } from '../contract/daily.ts'
import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { by, groupBy } from '../contract/order.ts'
import type { Days } from '../contract/history.ts'
import { marketKey } from '../contract/market.ts'
import type { PastRow } from '../contract/observations.ts'
import type { Feed } from '../feed/feed.ts'
import { pastDigest } from '../sources/bundle.ts'
import { pastKey } from '../sources/merge-recordings.ts'
import type { Http, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import { type PastAnswer, packed } from './answers.ts'
import { type Doubt, PAST_WITNESS, doubtOf, heldBars } from './believed-bars.ts'
import { FOLLOWING, type PastListing, candleDemands, dailyDemand, gapDemands } from './demands.ts'
import type { Moment } from './grid.ts'
import { type ListingPast, noPast, pricesOf } from './past.ts'
import {
  type PastMarket,
  type Demand,
  type GapRequest,
  type RequestBudget,
  REFERENCES,
  UNRANKED,
  isReference,
  plan,
  countRequests,
} from './plan.ts'
import { isOfReference, quoteRates } from './quote-rates.ts'

/** A source that fails this often in a row is not asked again in the run. */
const GIVE_UP_AFTER = 3

export interface PastRequest extends Moment {
  readonly feed: Feed
  readonly sources: readonly Source[]
  readonly connect: (source: Source) => Http
  readonly past: ReadonlyMap<string, ListingPast>
  /** The latest time of any run. */
  readonly latest: Ms
  /** Whether bars of venues are requested, which candles and daily bars are made of. */
  readonly hasBars: boolean
  readonly budget: RequestBudget
  /** Whether to return what was answered: a first run has a year of each listing, which takes much memory. */
  readonly keep?: boolean
  /** Answers that are known already, such as those of recordings: only what they lack is requested. */
  readonly given?: readonly PastRow[]
  readonly tell?: (event: PastEvent) => void
}

/** What is told of requests for past prices. */
export type PastEvent =
  /** Planned requests, and the seconds that they take at least. */
  | { readonly kind: 'planned'; readonly requests: number; readonly seconds: number }
  /** The requests of one gap were made. */
  | { readonly kind: 'requested'; readonly requests: number }

/**
 * Requests past prices for the gaps of the series that no given answer fills, within the budget. The failure of a source
 * only leaves its gaps open.
 */
export async function fetchPastPrices(request: PastRequest) {
  const { feed, sources, past, budget, keep = false, given = [], tell } = request
  const byId = new Map(sources.flatMap((source) => (source.candles ? [[source.id, source] as const] : [])))
  const candidates = candidatesOf(feed, byId)
  const listings = feed.snapshot.listed.map(({ asset: { slug, market_cap_rank } }) => ({
    slug,
    rank: market_cap_rank ?? UNRANKED,
    past: past.get(slug),
    candidates: candidates.get(slug) ?? [],
  }))
  const answered = new Set(given.map(gapKey))
  const gaps = budget.perRun === 0 ? [] : listings.flatMap((one) => gapDemands(inDollars(one), request))
  const open = gaps.filter((one) => !answered.has(gapKey(one)))
  const planned = plannedFor(request, listings, { gaps: open, answered })
  tell?.({ kind: 'planned', requests: countRequests(planned), seconds: leastSeconds(planned, byId) })
  const rates = quoteRates(past, new Map(feed.snapshot.rates.map((rate) => [rate.symbol, rate])), request)
  // An answer, the SHA-256 of its row, and the row where it is kept.
  const taken: { readonly answer: PastAnswer; readonly digest: string; readonly row: PastRow | null }[] = []
  const doubts = new Map<PastAnswer, Doubt>()
  const take = (row: PastRow): void => {
    const { slug, days } = row
    const source = byId.get(row.source_id)
    if (!source) return
    const answer = readable(row, source, rates.rateOf(row), request)
    const doubt = days === 'all' ? null : doubtOf(row, (ms) => knownAfter(slug, days, ms, request))
    if (doubt) doubts.set(answer, doubt)
    else if (isOfReference(row)) rates.learn(row)
    taken.push({ answer, digest: pastDigest(row), row: keep ? row : null })
  }
  for (const row of given) if (isCandidate(row, candidates)) take(row)
  // What currencies were worth is asked first: without it, prices in them cannot be converted.
  const first = planned.filter(isOfReference)
  const failures = await ask(first, byId, { ...request, take })
  const others = planned.filter((one) => !isOfReference(one) && rates.covers(one))
  failures.push(...(await ask(others, byId, { ...request, take })))
  const inOrder = taken.toSorted(by(({ answer }) => pastKey(answer)))
  const believed = inOrder.map(({ answer }): PastAnswer => {
    const { bars, width, slug, days, source_id } = answer
    const count = heldBars(answer, doubts)
    const what = `${count} of ${bars.length / width} bars of ${source_id} are held back`
    if (count > 0) failures.push(`${slug} ${days}d: ${what}: they contradict the prices after them`)
    return { ...answer, bars: bars.subarray(count * width) }
  })
  return {
    bySlug: groupBy(believed, ({ slug }) => slug),
    /** SHA-256 of each answer by source. */
    digests: rollup(
      inOrder,
      (own) => own.map(({ digest }) => digest),
      ({ answer }) => answer.source_id,
    ),
    /** None where the request does not keep them. */
    answers: inOrder.flatMap(({ row }) => row ?? []),
    requests: countRequests([...first, ...others]),
    failures: failures.toSorted(),
    /** Gaps that some source may fill and none was asked for in this run. */
    left: Math.max(0, open.filter(({ asked }) => !asked).length - planned.filter(({ days }) => days !== 'all').length),
  }
}

/** Returns the requests of a run: the newest bars of the candles, then the days before all series, then gaps. */
function plannedFor(
  { hasBars, budget, ...moment }: PastRequest,
  listings: readonly PastListing[],
  { gaps, answered }: { readonly gaps: readonly Demand[]; readonly answered: ReadonlySet<string> },
): readonly GapRequest[] {
  const planned: GapRequest[] = []
  const add = (demands: readonly Demand[], perRun: number, share = 1): void => {
    const followed = new Set([...answered, ...planned.map(gapKey)])
    const bySource = groupBy(planned, ({ source_id }) => source_id)
    const open = demands.filter((one) => !followed.has(gapKey(one)))
    const own = plan(open, {
      perRun: Math.min(perRun, budget.perRun - countRequests(planned)),
      most: (id) => Math.ceil((budget.most(id) - countRequests(bySource.get(id) ?? [])) * share),
      turn: budget.turn,
    })
    planned.push(...own)
  }
  if (hasBars) {
    const due = listings.flatMap((one) => candleDemands(one, moment))
    add(due, Math.floor(budget.perRun * FOLLOWING.share), FOLLOWING.sourceShare)
    const perRun = Math.min(DAILY.requests, Math.floor(budget.perRun * DAILY.share))
    const days = listings.flatMap((one) => dailyDemand(inDollars(one), moment.now) ?? [])
    add(days, perRun)
  }
  add(gaps, budget.perRun)
  return planned
}

/** A listing with its candidates; of a coin that others are quoted in with those in dollars, if there are any. */
function inDollars(listing: PastListing): PastListing {
  const candidates = isReference(listing.slug) ? listing.candidates.filter(({ quote }) => quote === 'USD') : []
  return candidates.length > 0 ? { ...listing, candidates } : listing
}

const gapKey = ({ slug, days }: Pick<PastRow, 'slug' | 'days'>): string => `${slug} ${days}`

/** Requests the bars of planned gaps. Sources in parallel, the requests of one source in sequence, so that a failing one can be given up. */
async function ask(
  planned: readonly GapRequest[],
  byId: ReadonlyMap<string, Source>,
  { connect, tell, take }: Pick<PastRequest, 'connect' | 'tell'> & { readonly take: (answer: PastRow) => void },
) {
  const failures: string[] = []
  await Promise.all(
    [...groupBy(planned, ({ source_id }) => source_id)].map(async ([id, own]) => {
      const source = byId.get(id)
      if (!source) return
      const http = connect(source)
      let failing = 0
      for (const gap of own) {
        if (failing >= GIVE_UP_AFTER) return
        try {
          take(await answerOf(gap, source, http))
          failing = 0
        } catch (error) {
          if (!(error instanceof SourceError)) throw error
          failing++
          failures.push(`${gap.slug} ${gap.days}d: ${error.message}`)
        }
        tell?.({ kind: 'requested', requests: gap.requests.length })
      }
    }),
  )
  return failures
}

async function answerOf(gap: GapRequest, { id, candles }: Source, http: Http): Promise<PastRow> {
  if (!candles) throw new SourceError('source_invalid', `${id} has no past prices`)
  const bars = []
  for (const request of gap.requests) bars.push(...(await candles.ask(http, request)))
  const { requests, ...head } = gap
  const [first, last] = [requests[0], requests.at(-1)]
  return {
    ...head,
    ...(head.days === 'all' && first && last && { asked: [first.from, last.to] }),
    bars: bars
      .toSorted(by((row) => row.at))
      .map(({ at, open, high, low, close, volume_base, volume_quote }) =>
        open === null || high === null || low === null
          ? [at, close, volume_base, volume_quote]
          : [at, close, volume_base, volume_quote, open, high, low],
      ),
  }
}

const isCandidate = (answer: PastRow, candidates: ReadonlyMap<string, readonly PastMarket[]>): boolean =>
  (candidates.get(answer.slug) ?? []).some(
    ({ source_id, market, quote }) =>
      source_id === answer.source_id && market === answer.market && quote === answer.quote,
  )

const leastSeconds = (planned: readonly GapRequest[], byId: ReadonlyMap<string, Source>): number =>
  [...groupBy(planned, ({ source_id }) => source_id)].reduce((most, [id, own]) => {
    const { pace } = byId.get(id) ?? {}
    const count = countRequests(own)
    return pace && count > pace.requests ? Math.max(most, (count / pace.requests) * pace.perSeconds) : most
  }, 0)

/** The price of a listing soon after a time: that of this run, or one of its published series. */
function knownAfter(slug: string, days: Days, ms: Ms, { feed, past, grid, now }: PastRequest): number | null {
  const until = ms + PAST_WITNESS.known_hours * INTERVAL_MS['1h']
  if (now <= until) return feed.snapshot.bySlug.get(slug)?.asset.price_usd ?? null
  const { columns, price } = pricesOf(past.get(slug) ?? noPast(), days, grid)
  const next = columns.first(price, ms + 1)
  return next !== null && next <= until ? columns.at(price, next) : null
}

function readable(
  { bars, ...row }: PastRow,
  { label, rights, candles }: Source,
  rateAt: PastAnswer['rateAt'],
  { feed, hasBars }: Pick<PastRequest, 'feed' | 'hasBars'>,
): PastAnswer {
  const isRolling = candles?.rolling === true
  const rank = feed.snapshot.bySlug.get(row.slug)?.asset.market_cap_rank ?? Infinity
  const isFollowed = hasBars && !isRolling && rank <= FOLLOWING.listings
  const width = isFollowed || row.days === 'all' ? 7 : 2
  return { bars: packed(bars, width), width, label, rights: rights.class, isRolling, rateAt, ...row }
}

function candidatesOf({ matched, snapshot: { listed } }: Feed, byId: ReadonlyMap<string, Source>) {
  // The past prices of an outlier are no more credible than its current one.
  const outliers = new Set(
    listed.flatMap(({ asset: { slug }, markets }) =>
      markets.flatMap((market) => (market.is_outlier ? [`${slug} ${marketKey(market)}`] : [])),
    ),
  )
  const found = [
    ...matched.flatMap(({ slug, market, quote: { market: name, quote } }) => {
      const { exchange_id: source_id, volume_24h_usd } = market
      const isConvertible = market.quote_symbol === 'USD' || REFERENCES.has(market.quote_symbol)
      return !isConvertible || outliers.has(`${slug} ${marketKey(market)}`)
        ? []
        : [{ slug, source_id, kind: 'exchange', market: name, quote, volume_24h_usd } as const]
    }),
    ...listed.flatMap(({ asset: { slug, external_ids } }) =>
      Object.entries(external_ids).map(
        ([source_id, market]) => ({ slug, source_id, kind: 'aggregator', market, quote: 'USD' }) as const,
      ),
    ),
  ]
  const known = found.flatMap((one): (PastMarket & { readonly slug: string })[] => {
    const { intervals, most } = byId.get(one.source_id)?.candles ?? {}
    return intervals && most ? [{ intervals, most, ...one }] : []
  })
  return groupBy(known, ({ slug }) => slug)
}
