import { by, byKey, groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { type Ms, HOUR_MS, isoOf } from '../contract/time.ts'
import type { Market } from '../contract/market.ts'
import type { PastPrices } from './change.ts'
import type { DatedOpinion } from './expectations.ts'
import type { SourceHealth } from './freshness.ts'
import type { Identity } from './identify.ts'
import { type Listing, youngPrice } from './listing.ts'
import type { HeldMatch } from './match.ts'
import { LIMITS } from './methodology.ts'
import { type Evidence, type PublishedPrice, publishedEvidence, venueWitnesses } from './price.ts'
import { factorBetween, isWithin } from './statistics.ts'

interface Hold extends Omit<QuarantineRow, 'slug' | 'since' | 'releases_at'> {
  /** How long the figure must be offered to be published without a witness; null, by default: however long. */
  readonly hours?: number | null
  /** Whether a value that was held back is the one that is offered now; given the one published meanwhile too. */
  readonly isSame?: (offered: QuarantineRow['offered_value'], held: QuarantineRow['held_value']) => boolean
}

/** Returns the row of a figure that is held back, and since when; null when it was offered for long enough. */
export function heldRow<Field extends QuarantineRow['field']>(
  { slug, before }: Pick<Identity, 'slug' | 'before'>,
  now: Ms,
  { hours = null, isSame = (offered) => offered === hold.offered_value, ...hold }: Hold & { readonly field: Field },
): (QuarantineRow & { readonly field: Field }) | null {
  const same = before?.asset.held.find(
    ({ field, rule, offered_value, held_value }) =>
      field === hold.field && rule === hold.rule && isSame(offered_value, held_value),
  )
  const since = same?.since ?? isoOf(now)
  const releases = hours === null ? null : Date.parse(since) + hours * HOUR_MS
  if (releases !== null && now >= releases) return null
  const offered_value = same ? same.offered_value : hold.offered_value
  return { ...hold, slug, offered_value, since, releases_at: releases === null ? null : isoOf(releases) }
}

/** The rows of what sources say under an id of the asset and that describes another. */
export const disputedIdentity = (identity: Identity, now: Ms): QuarantineRow[] =>
  identity.withheld.flatMap(({ source, sighting }) => {
    const { asset } = identity.before ?? {}
    const row = heldRow(identity, now, {
      field: 'identity',
      held_value: asset ? `${asset.name} (${asset.symbol})` : null,
      offered_value: `${sighting.name} (${sighting.symbol.toUpperCase()})`,
      rule: 'identity_disputed',
      source_ids: [source.id],
      reason: `${source.label} describes another asset under this id: neither symbol nor name nor price agree.`,
      release: 'A second source that says the same, or a row with the symbol, the name or the price of this asset.',
    })
    return row ?? []
  })

/** The rows of an asset's markets that are held back, one for each symbol. A venue that gave no answer stays in the row. */
export function disputedMatches(identity: Identity, held: readonly HeldMatch[], { now, isSilent }: SourceHealth) {
  const silent = (identity.before?.asset.held ?? []).flatMap(({ field, offered_value, source_ids }) =>
    field === 'matches' && typeof offered_value === 'string'
      ? source_ids.flatMap((venue) => (isSilent(venue) ? [{ venue, symbol: offered_value }] : []))
      : [],
  )
  return [...groupBy([...held, ...silent], ({ symbol }) => symbol)].toSorted(byKey).flatMap(([symbol, rows]) => {
    const row = heldRow(identity, now, {
      field: 'matches',
      held_value: null,
      offered_value: symbol,
      rule: 'match_disputed',
      source_ids: [...new Set(rows.map(({ venue }) => venue))].toSorted(),
      reason: `It is open which asset these venues trade as ${symbol}: their price is not that of this one.`,
      release: 'A price that agrees with the aggregators about one asset of the symbol, or the venue’s own list.',
    })
    return row ?? []
  })
}

/** The price of a listing that only aggregators report that are not believed in this run; null without one. */
export function distrustedPrice(identity: Identity, opinions: readonly DatedOpinion[], now: Ms) {
  const [first] = opinions
  if (!first) return null
  const source_ids = opinions.map(({ source_id }) => source_id)
  return heldRow(identity, now, {
    field: 'price_usd',
    held_value: identity.before?.asset.price_usd ?? null,
    offered_value: first.price_usd,
    rule: 'source_distrusted',
    source_ids,
    reason: `Only ${source_ids.join(', ')} reports a price, and its prices of other assets are far from those of the venues.`,
    release: `Prices of ${first.source_id} within ${LIMITS.few_percent} % of the venues in the median, or another source.`,
    isSame: () => true,
  })
}

const isJump = (from: number, to: number): boolean => factorBetween(from, to) >= LIMITS.jump_factor

/** Whether a value that was held back moved to the same side of the published one as the one that is offered now. */
const sameSide = (held: number, offered: number) => (before: QuarantineRow['offered_value']) =>
  typeof before === 'number' && before > held === offered > held

const factorText = (a: number, b: number): string => `a factor of ${Number(factorBetween(a, b).toPrecision(2))}`

/** Returns the row of a price that is held back because too few witnesses show its move; null when it may be published. */
export function heldJump(
  identity: Identity,
  { price_usd: offered }: PublishedPrice,
  { evidence, oldest }: { readonly evidence: Evidence } & Pick<PastPrices, 'oldest'>,
  now: Ms,
): QuarantineRow | null {
  const { before: listing } = identity
  const held = youngPrice(listing, now)?.price_usd ?? null
  if (offered === null || held === null) return null
  if (!isJump(held, offered) && !leavesDay(held, offered, oldest)) return null
  const witnesses = witnessesOf(evidence, listing)
  const isNear = ({ price }: Witness) => isWithin(LIMITS.confirmed_percent, price, offered)
  // Whether a witness has itself moved in the direction of the jump, by half of it or more.
  const hasMoved = ({ price, before }: Witness) =>
    before !== null && Math.log(price / before) / Math.log(offered / held) >= 0.5
  const showing = witnesses.filter((witness) => isNear(witness) || hasMoved(witness)).length
  const of = witnesses.length
  const isMost = evidence.aggregators.length > 0 ? showing * 2 > of : showing >= of - 1
  if (of === 2 ? showing === 2 : showing >= LIMITS.quorum && isMost) return null
  return heldRow(identity, now, {
    field: 'price_usd',
    held_value: held,
    offered_value: offered,
    rule: 'price_jump',
    source_ids: witnesses.filter(isNear).map(({ id }) => id),
    reason:
      `It differs from the last price by ${factorText(offered, held)}, and ${showing} of ${witnesses.length} venues ` +
      'and aggregators confirm it.',
    release:
      `Three venues and aggregators within ${LIMITS.confirmed_percent} % of it that are more than half, all but one where ` +
      `no aggregator has a price, or both of two. Or reports in that direction for ${LIMITS.jump_hours} hours.`,
    hours: LIMITS.jump_hours,
    isSame: sameSide(held, offered),
  })
}

type Witness = ReturnType<typeof witnessesOf>[number]

/** Every venue and every aggregator, each with one opinion: a venue in its own figures where a rate is weak. */
function witnessesOf(evidence: Evidence, last: Listing | null) {
  const before = new Map(last ? opinionsIn(publishedEvidence(last.asset.price_basis, last.markets, evidence)) : [])
  const lastRates = new Map(last?.markets.map(({ quote_symbol, quote_usd }) => [quote_symbol, quote_usd]))
  const atLastRate = (market: Market): Market => {
    const isWeak = evidence.rates.most(market.quote_symbol) < 1
    const rate = isWeak ? lastRates.get(market.quote_symbol) : null
    const { price_usd, quote_usd } = market
    return rate && price_usd !== null && quote_usd ? { ...market, price_usd: (price_usd * rate) / quote_usd } : market
  }
  return opinionsIn({ ...evidence, markets: evidence.markets.map(atLastRate) })
    .map(([id, price]) => ({ id, price, before: before.get(id) ?? null }))
    .toSorted(by((row) => row.id))
}

const opinionsIn = (evidence: Evidence): (readonly [id: string, price_usd: number])[] => [
  ...venueWitnesses(evidence).map(({ id, price_usd }) => [id, price_usd] as const),
  ...evidence.aggregators.map(({ source_id, price_usd }) => [source_id, price_usd] as const),
]

/** Whether a price is a whole jump further from that of a day ago: one that each run moves a little. */
function leavesDay(held: number, offered: number, dayAgo: number | null): boolean {
  // Most prices stand about still.
  if (factorBetween(offered, held) < 1.02) return false
  const jumps = (to: number) => Math.floor(Math.log(factorBetween(dayAgo ?? to, to)) / Math.log(LIMITS.jump_factor))
  return jumps(offered) > jumps(held)
}

/**
 * Returns the row of a market cap that jumps while no source reports one like it: the unit of the coin may have changed,
 * or its supply. The last one is published meanwhile. Null when it may be published.
 */
export function heldCap(identity: Identity, offered: number | null, now: Ms): QuarantineRow | null {
  const held = identity.before?.asset.market_cap_usd ?? null
  if (offered === null || held === null || offered <= 0 || held <= 0) return null
  const caps = identity.sighted.flatMap(({ source, sighting: { market_cap_usd, circulating_supply, price_usd } }) => {
    const cap = market_cap_usd ?? (circulating_supply ?? 0) * (price_usd ?? 0)
    return cap > 0 ? [{ id: source.id, isLike: !isJump(cap, offered) }] : []
  })
  // A market that moves while every source is silent is no change of unit.
  const least = caps.length > 0 ? LIMITS.jump_factor : LIMITS.dispute_factor
  if (caps.some(({ isLike }) => isLike) || factorBetween(held, offered) < least) return null
  return heldRow(identity, now, {
    field: 'market_cap_usd',
    held_value: held,
    offered_value: offered,
    rule: 'cap_jump',
    source_ids: caps.map(({ id }) => id).toSorted(),
    reason: `Supply times price differs from the last market cap by ${factorText(offered, held)}, and no source reports one like it.`,
    release: `A source with a market cap like it, a supply that explains it, or the same for ${LIMITS.carry_hours} hours.`,
    hours: LIMITS.carry_hours,
    isSame: sameSide(held, offered),
  })
}
