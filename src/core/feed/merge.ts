import { max, min } from 'd3-array'
import type { Asset, ChangeBasis, PriceBasis, SupplyField, TokenContract, WeekBasis } from '../contract/asset.ts'
import { NO_BASIS, NO_LINKS, NO_WEEK } from '../contract/asset.ts'
import type { Market } from '../contract/market.ts'
import { type Ms, hoursSince, HOUR_MS, isoOf } from '../contract/time.ts'
import type { Quote, Profile } from '../sources/source.ts'
import { carriedPrice, isFrozen, rangesOf, lastSeenOf, type ReportedFigures, reportedFigures } from './carry.ts'
import { DOLLAR_QUOTES, type PastPrices, changeBasis, recomputeChange } from './change.ts'
import { fragilityOf, confidenceOf } from './confidence.ts'
import { type ContractOpinion, countedByContract, type DatedOpinion } from './expectations.ts'
import { type SourceHealth } from './freshness.ts'
import { distrustedPrice, heldCap, heldJump } from './holds.ts'
import { type Identity, conflictOf, verificationOf } from './identify.ts'
import { type Listing, youngPrice } from './listing.ts'
import { marketOrder, qualityOf } from './market-rows.ts'
import { LIMITS } from './methodology.ts'
import type { Evidence, Opinion, PublishedPrice } from './price.ts'
import { centralPrice, decidePrice, ineligible, priceOf, venueWitnesses } from './price.ts'
import { implausibleVolumes, credibleVolume } from './weights.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { byKey, groupBy } from '../contract/order.ts'
import { PREFIX } from '../contract/prefix.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Registry } from '../registry/registry.ts'
import { PREVIOUS } from './rates.ts'
import { type Supply, dilutedSupply, suppliesOf, isPossibleMaximum } from './supply.ts'

/** What a listing is made of beside its identity; see `FeedInput` for what the caller gives. */
interface Parts extends Pick<Evidence, 'distrusted' | 'rates' | 'movedSince'> {
  readonly hearing: SourceHealth
  readonly registry: Registry
  readonly profiles: readonly Profile[]
  readonly contracts: readonly TokenContract[]
  readonly held: readonly QuarantineRow[]
  /** Its markets, those of this run first. */
  readonly rows: readonly Market[]
  /** The quotes of this run, in the order of their rows. */
  readonly quotes: readonly Quote[]
  readonly opinions: readonly DatedOpinion[]
  readonly byContract: readonly ContractOpinion[]
  readonly past: PastPrices
}

function pricedMarkets(identity: Identity, parts: Parts) {
  const { rows, distrusted, rates, movedSince } = parts
  const { now } = parts.hearing
  const eligible = rows.filter((row) => ineligible(row) === null)
  const markets = rows.map((row) => (isFrozen(row, eligible, now) ? { ...row, is_stale: true } : row))
  const believed = parts.opinions.filter(({ source_id }) => !distrusted.has(source_id))
  const opinions = opinionsIn(identity, believed, parts, markets)
  const offeredBy: Evidence = {
    markets,
    aggregators: opinions.map(({ source_id, pair, price_usd }) => ({ source_id, pair, price_usd })),
    last: lastPrice(identity, now),
    distrusted,
    rates,
    movedSince,
  }
  const made = priceOf(offeredBy)
  const { price_usd, basis, outliers, venues, last } = made
  // As a reader knows it: the last price is published where it counted.
  const evidence = { ...offeredBy, last }
  const fragility_bp = fragilityOf(evidence, made)
  const offered = { price_usd, basis: { fragility_bp, ...basis } }
  const quarantine =
    price_usd === null && believed.length === 0
      ? distrustedPrice(identity, parts.opinions, now)
      : heldJump(identity, offered, { evidence, oldest: parts.past.oldest }, now)
  const priced = carriedPrice(identity, quarantine ? { price_usd: null, basis: NO_BASIS } : offered, parts.hearing)
  const marked = markedMarkets(markets, outliers, priced.basis)
  // When the price was true, in ms; null without a price.
  const at = pricedAt(identity, priced, { opinions, markets: marked, now })
  const isLive = priced.basis.method !== 'carried' && at !== null && !isOld(at, now)
  const change = changeBasis(
    isLive ? priced.price_usd : null,
    parts.past.dayAgo,
    changeWitnesses(identity, parts, markets, outliers),
  )
  return { markets: marked, evidence, venues, priced, pricedAt: at, quarantine, change }
}

type PricedMarkets = ReturnType<typeof pricedMarkets>

/** The last published price as a witness. */
function lastPrice({ before }: Identity, now: Ms): Opinion | null {
  const young = youngPrice(before, now)
  const pair = `${before?.asset.symbol.toUpperCase()}/USD`
  return young && { source_id: PREVIOUS, pair, price_usd: young.price_usd }
}

const isOld = (at: number, now: Ms): boolean => now - at > LIMITS.live_hours * HOUR_MS

/** The opinions of aggregators, without old ones where a market is live, and after them those by contract that count. */
function opinionsIn(
  { sighted, before }: Identity,
  believed: readonly DatedOpinion[],
  { byContract, distrusted, hearing: { now } }: Parts,
  markets: readonly Market[],
): readonly DatedOpinion[] {
  const venues = venueWitnesses({ markets, distrusted })
  const opinions = venues.length === 0 ? believed : believed.filter(({ at }) => at === null || !isOld(at, now))
  if (byContract.length === 0) return opinions
  const symbol = (sighted[0]?.sighting.symbol ?? before?.asset.symbol ?? '').toUpperCase()
  const offered = byContract.map((opinion) => ({ pair: `${symbol}/USD`, ...opinion }))
  const venuePrice = () => (venues.length < LIMITS.quorum ? null : centralPrice(decidePrice(venues, [], null)))
  return [...opinions, ...countedByContract(offered, opinions, venuePrice)]
}

/** Returns the markets of a price in their order, with what each is to it and how far it can be relied on. */
export function markedMarkets(
  markets: readonly Market[],
  outliers: ReadonlySet<Market>,
  { method, sources }: Pick<PriceBasis, 'method' | 'sources'>,
): Market[] {
  const used = method === 'aggregators' || method === 'carried' ? [] : sources
  const marked = markets.map((market) => {
    const source = used.find(
      ({ source_id, pair, price_usd }) =>
        source_id === market.exchange_id && price_usd === market.price_usd && pair === market.pair,
    )
    const is_outlier = outliers.has(market)
    return { ...market, is_outlier, used_in_price: source !== undefined, weight: source?.weight ?? null }
  })
  const implausible = implausibleVolumes(marked)
  for (const market of marked) Object.assign(market, qualityOf(market, implausible.has(market.exchange_id)))
  return marked.toSorted(marketOrder)
}

/** Time of the price. An unchanged price is reported at most once an hour, to avoid rewriting its document. */
function pricedAt(
  { before }: Identity,
  { price_usd, basis }: PublishedPrice,
  { opinions, markets, now }: { opinions: readonly DatedOpinion[]; markets: readonly Market[]; now: Ms },
): number | null {
  if (price_usd === null) return null
  const last = before?.asset.price_usd === price_usd ? Date.parse(before.asset.last_updated ?? '') : Number.NaN
  if (basis.method === 'carried') return last
  const counted = opinions.filter(({ source_id }) => basis.sources.some((source) => source.source_id === source_id))
  // A price that is unchanged in another currency may move in dollars.
  const changes = markets.flatMap(({ used_in_price, unchanged_since: since, quote_symbol }) =>
    used_in_price && since && (!Number.isNaN(last) || DOLLAR_QUOTES.has(quote_symbol)) ? Date.parse(since) : [],
  )
  const at =
    basis.low_confidence_reason === 'halted'
      ? (max(changes) ?? now)
      : basis.method === 'aggregators'
        ? Math.max(...counted.map(({ at }) => at ?? now))
        : now
  return at - last < HOUR_MS ? last : at
}

/** The change of 24 hours of each aggregator, and of each venue on its busiest market quoted in dollars. */
function changeWitnesses(
  { sighted }: Identity,
  { quotes, distrusted, hearing: { now } }: Parts,
  markets: readonly Market[],
  outliers: ReadonlySet<Market>,
): ChangeBasis['sources'] {
  const reported = sighted.flatMap(({ source, sighting: { symbol, percent_change_24h, at } }) =>
    percent_change_24h === null || distrusted.has(source.id) || (at !== null && isOld(at, now))
      ? []
      : [{ source_id: source.id, pair: `${symbol.toUpperCase()}/USD`, percent_change_24h }],
  )
  const traded = quotes.flatMap(({ percent_change_24h }, index) => {
    const market = markets[index]
    if (!market || market.is_stale || outliers.has(market) || distrusted.has(market.exchange_id)) return []
    return DOLLAR_QUOTES.has(market.quote_symbol) && percent_change_24h !== null ? [{ market, percent_change_24h }] : []
  })
  const byVenue = groupBy(
    traded.toSorted((a, b) => marketOrder(a.market, b.market)),
    ({ market }) => market.exchange_id,
  )
  return [
    ...reported,
    ...[...byVenue].flatMap(([source_id, [busiest]]) =>
      busiest ? [{ source_id, pair: busiest.market.pair, percent_change_24h: busiest.percent_change_24h }] : [],
    ),
  ]
}

const MOST_TAGS = 20

export function buildListing(identity: Identity, parts: Parts): Listing {
  const { slug, entry, before, sighted } = identity
  const { contracts, registry, hearing } = parts
  const made = pricedMarkets(identity, parts)
  const { markets, quarantine } = made
  const lastSeen = lastSeenOf(identity, hearing)
  const old = before?.asset ?? null
  const [first] = sighted
  const { held, ...figures } = figuresOf(identity, parts, made)
  const profile = profileOf(identity, parts.profiles, isoOf(hearing.now))
  const external_ids = externalIds(identity)
  const reviewed = Object.entries(entry?.links ?? {}).filter(([, url]) => url !== null)
  const verification_status = verificationOf(identity)
  const forms = Object.entries(external_ids).flatMap(([source, id]) => registry.formsOf(source, id))
  const asset: Asset = {
    asset_id: slug,
    slug,
    symbol: entry?.symbol ?? first?.sighting.symbol.toUpperCase() ?? old?.symbol ?? slug,
    name: entry?.name ?? first?.sighting.name ?? old?.name ?? slug,
    verification_status,
    source_label: first?.source.label ?? old?.source_label ?? registry.label,
    token_page: `/token/${slug}`,
    market_cap_rank: null,
    exchange_count: new Set(markets.map(({ exchange_id }) => exchange_id)).size,
    listing_status: statusOf(identity, made, lastSeen, hearing.now),
    ...figures,
    tags: [...new Set([...(entry?.tags ?? []), ...forms, ...profile.tags])].slice(0, MOST_TAGS),
    logo_url: verification_status === 'flagged' ? null : registry.logoUrl(slug, external_ids),
    contracts: [...contracts],
    market_flag: null,
    asset_type: entry?.asset_type ?? profile.asset_type ?? (contracts.length > 0 ? 'token' : null),
    description: entry?.description ?? profile.description,
    links: { ...profile.links, ...Object.fromEntries(reviewed) },
    explorers: profile.explorers,
    market_count: markets.length,
    markets_endpoint: `${PREFIX}/assets/${slug}/markets`,
    history_endpoint: `${PREFIX}/history/${slug}`,
    external_ids,
    aliases: [
      ...new Set([...(old ? [...old.aliases, old.slug] : []), ...(identity.merged ?? []), ...(entry?.aliases ?? [])]),
    ].filter((alias) => alias !== slug),
    replaced_by: null,
    notice: noticeOf(identity),
    first_listed: old ? old.first_listed : isoOf(hearing.now),
    profile_updated: profile.updated,
    last_seen: lastSeen,
    price_basis: made.priced.basis,
    held: [...parts.held, ...(quarantine ? [quarantine] : []), ...held],
  }
  return { asset, markets }
}

function noticeOf(identity: Identity): string | null {
  const [withheld] = identity.withheld
  if (withheld) return `${withheld.source.label} describes another asset under this id: what it says is held back.`
  return identity.entry?.notice ?? (conflictOf(identity) ? 'The sources name different contracts on one chain.' : null)
}

function figuresOf(identity: Identity, { hearing, distrusted }: Parts, made: PricedMarkets) {
  const { before } = identity
  const { priced, evidence } = made
  // A source that is off counts as silent, except for its supplies, which are weighed against those of others.
  const believed = { ...identity, sighted: identity.sighted.filter(({ source }) => !distrusted.has(source.id)) }
  const isSilent = (source: string) => distrusted.has(source) || hearing.isSilent(source)
  const figures = reportedFigures(believed, { ...hearing, isSilent }, priced)
  const last_updated = made.pricedAt === null ? null : isoOf(made.pricedAt)
  const supplies = suppliesOf(identity, hearing, priced.price_usd)
  const published = publishedSupplies(supplies, figures)
  const { circulating_supply, total_supply, max_supply } = published
  const cap = worth(circulating_supply, priced) ?? reportedCap(identity, supplies.circulating_supply, figures)
  const capHeld = heldCap(identity, cap, hearing.now)
  const market_cap_usd = capHeld ? (before?.asset.market_cap_usd ?? null) : cap
  const sizes = { market_cap_usd, ...published }
  // Where no source reports it, the venues of this run come before what was known.
  const traded = credibleVolume(made.markets)
  const likely = likelyVolumes(believed, traded)
  const volume =
    figures.reported('volume_24h_usd', roundMoney, ({ volume_24h_usd }) => likely.has(volume_24h_usd)) ??
    traded ??
    figures.keepIfSilent('volume_24h_usd')
  const change = changeOf(identity, made.change, priced.price_usd, figures)
  const ranges = rangesOf(believed, figures, { price_usd: priced.price_usd, last_updated, now: hearing.now })
  return {
    price_usd: priced.price_usd,
    ...change,
    market_cap_usd,
    volume_24h_usd: volume,
    circulating_supply,
    total_supply,
    max_supply,
    price_confidence: confidenceOf(priced, evidence, made.venues),
    last_updated,
    percent_change_1h: figures.pick('percent_change_1h', roundPercent),
    ...weekOf(figures),
    ...ranges,
    fully_diluted_valuation_usd: dilutedValuation(sizes, priced, figures),
    carried: figures.carried(),
    told_by: figures.reportedBy(),
    supply_basis: Object.fromEntries(
      Object.entries(supplies).flatMap(([field, { basis }]) => (basis.method === 'none' ? [] : [[field, basis]])),
    ),
    held: [
      ...Object.values(supplies).flatMap(({ held }) => (held ? { ...held, held_value: sizes[held.field] } : [])),
      ...(capHeld ? [capHeld] : []),
    ],
  }
}

/** Returns the reported volumes that are neither far below what markets credibly trade, nor far above another of them. */
function likelyVolumes({ sighted }: Pick<Identity, 'sighted'>, traded: number | null): ReadonlySet<number | null> {
  const reported = sighted.flatMap(({ sighting }) => sighting.volume_24h_usd ?? [])
  const possible = reported.filter((volume) => volume * LIMITS.dispute_factor >= (traded ?? 0))
  const least = min(possible, (volume) => volume || undefined) ?? 0
  return new Set(possible.filter((volume) => volume <= least * LIMITS.dispute_factor))
}

type Supplies = ReturnType<typeof suppliesOf>

const worth = (coins: number | null, { price_usd }: PublishedPrice): number | null =>
  coins === null || price_usd === null ? null : roundMoney(coins * price_usd)

/** Returns the valuation of all coins; null where it contradicts the market cap. */
function dilutedValuation(
  { market_cap_usd: cap, ...supplies }: ReturnType<typeof publishedSupplies> & Pick<Asset, 'market_cap_usd'>,
  priced: PublishedPrice,
  figures: ReportedFigures,
): number | null {
  const name = 'fully_diluted_valuation_usd'
  const valuation = worth(dilutedSupply(supplies), priced) ?? figures.pick(name, roundMoney)
  if (valuation === null || cap === null || valuation >= cap) return valuation
  figures.replace(name, null)
  return null
}

function publishedSupplies(supplies: Supplies, figures: ReportedFigures): Record<SupplyField, number | null> {
  const published = (field: SupplyField): number | null => {
    const { basis, witness } = supplies[field]
    if (witness !== null && !witness.is_implied)
      return figures.reportedBySource(field, witness.source_id, witness.value)
    return basis.method === 'none' ? null : figures.keep(field)
  }
  const own = { circulating_supply: published('circulating_supply'), total_supply: published('total_supply') }
  const isPossible = isPossibleMaximum({ max_supply: supplies.max_supply.basis.value, ...own })
  return { max_supply: isPossible ? published('max_supply') : null, ...own }
}

/** The market cap of an asset whose supply no source reports: that of the source whose market cap is credible. */
function reportedCap(
  { sighted }: Identity,
  { basis: { method }, witness }: Supply,
  figures: ReportedFigures,
): number | null {
  if (witness === null)
    return method === 'kept' ? figures.keep('market_cap_usd') : figures.keepIfSilent('market_cap_usd')
  const believed = sighted.find(({ source }) => source.id === witness.source_id)
  const cap = believed?.sighting.market_cap_usd ?? null
  return believed && cap !== null
    ? figures.reportedBySource('market_cap_usd', believed.source.id, roundMoney(cap))
    : null
}

function changeOf({ before }: Identity, basis: ChangeBasis, price_usd: number | null, figures: ReportedFigures) {
  const change = recomputeChange(basis, { price_usd, percent_change_24h: null })
  if (change !== null) return { percent_change_24h: change, change_basis: basis }
  const last = before?.asset.change_basis ?? basis
  // Beside a live price, the change from an earlier price of our own is over.
  const kept = last.since && !figures.carries('price_usd') ? null : figures.keepIfSilent('percent_change_24h')
  return {
    percent_change_24h: kept,
    change_basis: kept === null ? { ...basis, method: 'none' as const } : { ...last, method: 'carried' as const },
  }
}

/** Returns the change that sources report, for a listing whose history does not reach back a week. */
function weekOf(figures: ReportedFigures) {
  const percent_change_7d = figures.pick('percent_change_7d', roundPercent)
  const method: WeekBasis['method'] =
    percent_change_7d === null ? 'none' : figures.carries('percent_change_7d') ? 'carried' : 'reported'
  return { percent_change_7d, week_basis: { ...NO_WEEK, method } }
}

function statusOf(
  { entry, sighted, before }: Identity,
  { priced, markets }: PricedMarkets,
  lastSeen: string | null,
  now: Ms,
): Asset['listing_status'] {
  if (lastSeen !== null && hoursSince(lastSeen, now) > LIMITS.forget_hours) return 'delisted'
  if (priced.price_usd !== null) return 'active'
  const neverTraded = before === null || before.asset.listing_status === 'preview'
  return entry && sighted.length === 0 && markets.length === 0 && neverTraded ? 'preview' : 'inactive'
}

function externalIds({ entry, before, sighted }: Identity): Record<string, string> {
  const now = Object.fromEntries(sighted.map(({ source, sighting }) => [source.id, sighting.id]))
  const known = { ...before?.asset.external_ids, ...entry?.external_ids, ...now }
  return Object.fromEntries(Object.entries(known).toSorted(byKey))
}

function profileOf({ before }: Identity, profiles: readonly Profile[], at: string) {
  const [profile] = profiles
  if (!profile) {
    const { tags = [], asset_type = null, description = null, links = NO_LINKS, explorers = [] } = before?.asset ?? {}
    return { tags, asset_type, description, links, explorers, updated: before?.asset.profile_updated ?? null }
  }
  return {
    ...profile,
    explorers: profile.explorers.map((url) => ({ name: new URL(url).hostname.replace(/^www\./, ''), url })),
    updated: at,
  }
}
