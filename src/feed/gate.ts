import type { Report } from '../sources/collect.ts'
import { GATE, type GateRule } from './gate-rules.ts'
import { staleAnswer } from './health.ts'
import type { Listing, Previous } from './listing.ts'
import type { Snapshot } from './snapshot.ts'
import { median } from './statistics.ts'
import { isoOf } from './time.ts'

/** Why a snapshot is not to be published. */
export interface Refusal {
  readonly rule: GateRule
  readonly message: string
}

/** What a snapshot is held against. */
export interface Judged {
  readonly previous: Previous
  readonly snapshot: Snapshot
  readonly reports: readonly Report[]
  /** The run's clock in ms. */
  readonly now: number
}

/** What is wrong with a snapshot as a whole; nothing, where the last one is too small to tell or there is none. */
export function refusalsOf(judged: Judged): Refusal[] {
  if (judged.previous.listings.size < GATE.least_listings) return []
  return [...falls(judged), ...medianMove(judged), ...oldData(judged), ...clockBack(judged)]
}

const isFresh = ({ asset: { price_usd, price_basis } }: Listing): boolean =>
  price_usd !== null && price_basis.method !== 'carried'

/** What is missing though its source answered. What a silent source told is carried, and is no reason to refuse the rest. */
function falls({ previous, snapshot, reports }: Judged): Refusal[] {
  const answered = new Set(
    reports.flatMap((report) => (report.error === null && !staleAnswer(report) ? [report.source.id] : [])),
  )
  const isHeard = (ids: readonly string[]) => ids.some((id) => answered.has(id))
  const before = [...previous.listings.values()].filter(({ asset }) => asset.listing_status !== 'delisted')
  const nowOf = ({ asset }: Listing) => snapshot.bySlug.get(asset.slug)

  const named = before.filter(({ asset }) => asset.last_seen === null && isHeard(Object.keys(asset.external_ids)))
  const vanished = named.filter((listing) => {
    const now = nowOf(listing)?.asset
    return !now || now.listing_status === 'delisted' || (now.last_seen !== null && now.replaced_by === null)
  })
  const priced = before.filter(
    (listing) => isFresh(listing) && isHeard(listing.asset.price_basis.sources.map(({ source_id }) => source_id)),
  )
  const unpriced = priced.filter((listing) => {
    const now = nowOf(listing)
    return !now || !isFresh(now)
  })
  const keyOf = (slug: string, exchange: string, pair: string) => `${slug} ${exchange} ${pair}`
  const live = new Set(
    snapshot.listings.flatMap(({ asset, markets }) =>
      markets.flatMap(({ exchange_id, pair, is_stale }) => (is_stale ? [] : [keyOf(asset.slug, exchange_id, pair)])),
    ),
  )
  const markets = before.flatMap(({ asset, markets }) =>
    markets.flatMap(({ exchange_id, pair, is_stale }) =>
      is_stale || !answered.has(exchange_id) ? [] : [keyOf(asset.slug, exchange_id, pair)],
    ),
  )
  const closed = markets.filter((key) => !live.has(key))
  return [
    ...fall('listings_fall', 'listings are named no more', vanished.length, named.length, GATE.listings_fall_percent),
    ...fall('priced_fall', 'prices are not confirmed', unpriced.length, priced.length, GATE.priced_fall_percent),
    ...fall('markets_fall', 'markets are gone', closed.length, markets.length, GATE.markets_fall_percent),
  ]
}

function fall(rule: GateRule, what: string, lost: number, of: number, limit: number): Refusal[] {
  if (of < GATE.least_listings || lost * 100 <= of * limit) return []
  return [{ rule, message: `${lost} of ${of} ${what}, and the limit is ${limit} %` }]
}

function medianMove({ previous, snapshot, now }: Judged): Refusal[] {
  const moves = snapshot.listings.flatMap((listing) => {
    const old = previous.listings.get(listing.asset.slug)
    const [a, b] = [old?.asset.price_usd ?? null, listing.asset.price_usd]
    return old && isFresh(old) && isFresh(listing) && a !== null && b !== null ? [Math.abs(Math.log(b / a))] : []
  })
  if (moves.length < GATE.least_listings) return []
  const days = Math.max(1, (now - lastRun(previous)) / 86_400_000)
  const limit = GATE.median_move_percent_per_day * days
  const percent = Math.round((Math.exp(median(moves)) - 1) * 1000) / 10
  if (percent <= limit) return []
  return [
    {
      rule: 'median_move',
      message: `prices moved by ${percent} % in the middle, and the limit is ${Math.round(limit)} %`,
    },
  ]
}

function oldData({ reports }: Judged): Refusal[] {
  const dated = reports.filter(({ error, quotes }) => error === null && quotes.some(({ at }) => at !== null))
  const old = dated.filter((report) => staleAnswer(report) !== null)
  if (dated.length < 2 || old.length <= dated.length * GATE.old_sources_share) return []
  return [
    {
      rule: 'old_data',
      message: `${old.length} of ${dated.length} sources that date their rows answer old ones: is the clock right?`,
    },
  ]
}

function clockBack({ previous, now }: Judged): Refusal[] {
  const last = lastRun(previous)
  if (!(now < last - GATE.clock_back_hours * 3_600_000)) return []
  return [
    { rule: 'clock_back', message: `it is ${isoOf(now)}, and the last run was at ${isoOf(last)}: is the clock right?` },
  ]
}

/** When sources were asked last, in ms. */
const lastRun = ({ sources }: Previous): number =>
  Math.max(
    ...[...sources.values()].map(({ last_attempt }) => Date.parse(last_attempt ?? '') || Number.NEGATIVE_INFINITY),
  )
