import { max, min } from 'd3-array'
import type { Asset, SupplyField } from '../core/contract/asset.ts'
import type { ReferenceRate } from '../core/contract/collector.ts'
import type { Market } from '../core/contract/market.ts'
import { roundMoney, roundPercent, roundPrice, roundShare } from '../core/contract/numbers.ts'
import { gridOf } from '../core/contract/history.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { HOUR_MS, type Ms, hoursSince, isoOf } from '../core/contract/time.ts'
import { isFrozen } from '../core/feed/carry.ts'
import { recomputeChange, recomputeWeek } from '../core/feed/change.ts'
import { confidenceOf, fragilityOf } from '../core/feed/confidence.ts'
import { movedSince } from '../core/feed/freshness.ts'
import type { Listing } from '../core/feed/listing.ts'
import { heldPrice, marketOrder, qualityOf } from '../core/feed/market-rows.ts'
import { LIMITS } from '../core/feed/methodology.ts'
import { poolMarket } from '../core/feed/pools.ts'
import { type Priced, priceOf, publishedEvidence, recompute } from '../core/feed/price.ts'
import { heardAmong, marketFlagOf, ranksOf } from '../core/feed/rank.ts'
import { rateDependence } from '../core/feed/rate-dependence.ts'
import { type Rates, nearReference, recomputeRate, valueOf } from '../core/feed/rates.ts'
import { decideSupply, dilutedSupply, isPossibleMaximum } from '../core/feed/supply.ts'
import { credibleVolume, implausibleVolumes, venueWeights } from '../core/feed/weights.ts'
import { dayRange } from '../core/history/agreeing-figures.ts'
import type { Rows } from '../core/history/rows.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import type { CompareMembers, Comparison } from './deviation.ts'

const poolKey = (slug: string, chain: string | null, address: string | null): string =>
  `${slug} ${chain ?? ''}:${address ?? ''}`

function runFacts({ run, rates, sources, pairs, listings, past }: Rows) {
  const rows = [...sources.values()]
  const clock = run && { grid: gridOf(run.cadence_ms), latest: Date.parse(run.latest) }
  const now = Date.parse(run?.at ?? '')
  return {
    at: run?.at ?? '',
    now,
    rates,
    dependence: rateDependence(rates),
    sources,
    byLabel: new Map(rows.map((row) => [row.source_label, row])),
    distrusted: new Set(rows.flatMap(({ source_id, price_factor }) => (price_factor === null ? [] : source_id))),
    movedSince: movedSince(
      [...listings.values()].flatMap(({ markets }) => markets),
      now,
    ),
    heard: heardAmong(rows),
    /** Lowest and highest price of the last day, that of the run among them. */
    rangeOf(slug: string) {
      const { price_usd = null, listing_status } = listings.get(slug)?.asset ?? {}
      const own = past.get(slug)
      const range = clock && own && listing_status !== 'delisted' ? dayRange(own, clock) : null
      const prices = [price_usd ?? [], range?.low ?? [], range?.high ?? []].flat()
      return { low: min(prices) ?? null, high: max(prices) ?? null }
    },
    pools: new Map(pairs.map((pair) => [poolKey(pair.base_asset_id ?? '', pair.chain, pair.pool_address), pair])),
  }
}

type RunFacts = ReturnType<typeof runFacts>

/** Computes the figures of listings, rates and pools again from the evidence in the rows. @param wanted slugs; none: all */
export function compareFigures(rows: Rows, wanted: ReadonlySet<string>, comparison: Comparison): void {
  const facts = runFacts(rows)
  const listed = [...rows.listings.values()].filter(({ asset }) => asset.replaced_by === null)
  for (const listing of listed) {
    if (wanted.size > 0 && !wanted.has(listing.asset.slug)) continue
    compareAsset(listing, facts, comparison)
    compareMarkets(listing, facts, comparison)
  }
  compareRanks(listed, comparison)
  compareRates(rows.rates, new Set(rows.sources.keys()), comparison)
  const pools = { published: rows.pairs.length, recomputed: new Set(rows.pairs.map(({ pair_id }) => pair_id)).size }
  comparison.compare(`${API_FOLDER}/dex-pairs.json`, 'rows', { ...pools, rule: 'each pool once' })
}

type Compare = CompareMembers<Asset>

const profileOf = (asset: Asset, comparison: Comparison): Compare =>
  comparison.membersOf(`${API_FOLDER}/assets/${asset.slug}.json`, asset, 'asset')

function compareAsset({ asset, markets }: Listing, facts: RunFacts, comparison: Comparison): void {
  const { slug, price_usd, price_basis: basis } = asset
  const compare = profileOf(asset, comparison)
  compare(
    {
      asset_id: slug,
      exchange_count: new Set(markets.map(({ exchange_id }) => exchange_id)).size,
      market_count: markets.length,
      markets_endpoint: `${PREFIX}/assets/${slug}/markets`,
      history_endpoint: `${PREFIX}/history/${slug}`,
    },
    'the slug and the rows of the markets document',
  )
  const evidence = publishedEvidence(basis, markets, {
    distrusted: facts.distrusted,
    rates: facts.dependence,
    movedSince: facts.movedSince,
  })
  const priced = priceOf(evidence)
  // The basis of a carried price is that of an earlier run.
  compare({ price_usd: recompute(basis) }, 'the mean of the middle fifth of the weight of price_basis.sources')
  if (basis.method !== 'carried')
    compare(
      { price_usd: priced.price_usd, price_basis: { ...priced.basis, fragility_bp: fragilityOf(evidence) } },
      'the rule of the price over the market rows and the aggregators',
    )
  compare({ price_confidence: confidenceOf({ price_usd, basis }, evidence) }, 'the rule of the confidence')
  compareUse({ asset, markets }, priced, comparison)
  for (const field of ['circulating_supply', 'total_supply', 'max_supply'] as const)
    compareSupply(asset, field, compare)
  compareValuation(asset, compare)
  compareReported(asset, facts.rangeOf(slug), compare)
  compareActivity({ asset, markets }, facts, compare)
  compareHeld(asset, compare, comparison)
  compareOrigins(asset, facts, compare)
}

function compareUse({ asset, markets }: Listing, { outliers }: Priced, comparison: Comparison): void {
  const { method, sources } = asset.price_basis
  const isOfMarkets = method !== 'aggregators' && method !== 'carried'
  for (const [row, market] of markets.entries()) {
    const compare = comparison.membersOf(`${API_FOLDER}/assets/${asset.slug}/markets.json`, market, `rows[${row}]`)
    const own = isOfMarkets
      ? sources.find(
          ({ source_id, pair, price_usd }) =>
            source_id === market.exchange_id && pair === market.pair && price_usd === market.price_usd,
        )
      : undefined
    compare({ used_in_price: own !== undefined, weight: own?.weight ?? null }, 'the row in price_basis.sources')
    // The basis of a carried price is of an earlier run, so the aggregators of this one are not published.
    if (method !== 'carried')
      compare(
        { is_outlier: outliers.has(market) },
        'further from the consensus than the rule allows, or at a distrusted venue',
      )
  }
}

function compareSupply(asset: Asset, field: SupplyField, compare: Compare): void {
  const basis = asset.supply_basis[field]
  if (!basis) return
  const rule = 'the rule of the supply over supply_basis'
  const { method, witnesses, last } = basis
  const decided = decideSupply(witnesses, last)
  const isPersisted = method === 'persisted' && decided.method === 'kept'
  const witness = isPersisted ? witnesses[0] : decided.witness
  const value = witness?.value ?? last?.value ?? null
  const recomputed = { ...basis, method: isPersisted ? method : decided.method, value }
  compare({ supply_basis: { ...asset.supply_basis, [field]: recomputed } }, rule)
  if (field === 'max_supply' && !isPossibleMaximum({ ...asset, max_supply: basis.value }))
    compare({ max_supply: null }, 'a maximum is below no other supply')
  else if (witness && !witness.is_implied) compare({ [field]: witness.value }, rule)
  else if (asset.carried?.[field] === undefined) compare({ [field]: null }, 'it is not carried forward')
}

function compareValuation(asset: Asset, compare: Compare): void {
  const { price_usd: price, market_cap_usd: cap } = asset
  for (const [member, supply, rule] of [
    ['market_cap_usd', asset.circulating_supply, 'circulating_supply x price_usd'],
    [
      'fully_diluted_valuation_usd',
      dilutedSupply(asset),
      'max_supply, or else total_supply, x price_usd, and never below the market cap',
    ],
  ] as const) {
    // A market cap that jumps is held back.
    if (asset.held.some(({ field, rule }) => field === member && rule === 'cap_jump')) continue
    const recomputed = supply === null || price === null ? null : roundMoney(supply * price)
    const isBelow = member !== 'market_cap_usd' && (recomputed ?? asset[member] ?? Infinity) < (cap ?? 0)
    if (isBelow || recomputed !== null || !isReported(asset, member))
      compare({ [member]: isBelow ? null : recomputed }, rule)
  }
}

/** Compares what only a source reports, and what holds the history of the day beside it. */
function compareReported(asset: Asset, { high, low }: ReturnType<RunFacts['rangeOf']>, compare: Compare): void {
  for (const member of REPORTED)
    if (!isReported(asset, member)) compare({ [member]: null }, 'no source reports it, and it is not carried')
  const { high_24h_usd, low_24h_usd, circulating_supply, max_supply } = asset
  const highest = Math.max(high ?? 0, high_24h_usd ?? 0)
  for (const [member, own, bound] of [
    ['high_24h_usd', high, Math.max(highest, low_24h_usd ?? 0)],
    ['low_24h_usd', low, Math.min(low_24h_usd ?? Infinity, low ?? Infinity)],
    ['ath_usd', Math.max(highest, low_24h_usd ?? 0), Math.max(asset.ath_usd ?? 0, highest)],
  ] as const) {
    if (asset[member] === null) continue
    if (!isReported(asset, member)) compare({ [member]: own }, 'the history of the day, where no source reports it')
    compare({ [member]: bound }, 'it holds the history of the day')
  }
  if (circulating_supply !== null && max_supply !== null)
    compare({ circulating_supply: Math.min(circulating_supply, max_supply) }, 'at most max_supply')
}

const REPORTED = ['circulating_supply', 'total_supply', 'max_supply', 'percent_change_1h'] as const

const isReported = ({ told_by, carried }: Asset, member: string): boolean =>
  Object.hasOwn(carried ?? {}, member) || Object.values(told_by).some((members) => members.includes(member))

function compareActivity({ asset, markets }: Listing, { heard }: RunFacts, compare: Compare): void {
  const { change_basis, week_basis } = asset
  if (!isReported(asset, 'volume_24h_usd'))
    compare({ volume_24h_usd: credibleVolume(markets) }, 'credible volume of the market rows')
  compare({ percent_change_24h: recomputeChange(change_basis, asset) }, 'the rule of change_basis')
  if (week_basis.method === 'history')
    compare({ percent_change_7d: recomputeWeek(week_basis, asset.price_usd) }, 'the rule of week_basis')
  else if (!isReported(asset, 'percent_change_7d'))
    compare({ percent_change_7d: null }, 'no source reports it, and it is not carried')
  if (change_basis.method === 'carried' && !isReported(asset, 'percent_change_24h'))
    compare({ change_basis: { ...change_basis, method: 'none' } }, 'it is not carried')
  compare({ market_flag: marketFlagOf(asset, markets, heard) }, 'the rule of the rank')
}

function compareHeld(asset: Asset, compareOwn: Compare, comparison: Comparison): void {
  for (const [row, held] of asset.held.entries()) {
    const { field, since } = held
    const compare = comparison.membersOf(`${API_FOLDER}/assets/${asset.slug}.json`, held, `asset.held[${row}]`)
    const rule = 'the quarantine of a figure'
    compare({ slug: asset.slug }, rule)
    if (field !== 'contracts' && field !== 'identity' && field !== 'matches')
      compare({ held_value: asset[field] }, rule)
    if (field !== 'price_usd') continue
    compare({ releases_at: isoOf(Date.parse(since) + LIMITS.jump_hours * HOUR_MS) }, rule)
    compareOwn({ price_basis: { ...asset.price_basis, method: 'carried' } }, 'its price is held back')
  }
}

function compareOrigins(asset: Asset, { at, sources }: RunFacts, compare: Compare): void {
  const { last_updated, carried, told_by } = asset
  const known = Object.entries(told_by).filter(([source]) => source === 'registry' || sources.has(source))
  compare({ told_by: Object.fromEntries(known) }, 'every source is one of the feed')
  if (last_updated !== null && last_updated > at) compare({ last_updated: at }, 'no value is newer than the run')
  const older = Object.entries(carried ?? {}).filter(([, time]) => time < at)
  if (carried !== null) compare({ carried: Object.fromEntries(older) }, 'a carried value is older than the run')
  if (asset.price_basis.method === 'carried')
    compare({ last_updated: carried?.['price_usd'] }, 'when the carried price was seen')
}

function compareRanks(listings: readonly Listing[], comparison: Comparison): void {
  const ranked = listings.flatMap(({ asset }) => (asset.market_cap_rank === null ? [] : asset))
  const ranks = ranksOf(
    listings.map(({ asset }) => asset),
    new Set(ranked.map(({ slug }) => slug)),
  )
  for (const asset of ranked)
    profileOf(asset, comparison)({ market_cap_rank: ranks.get(asset.slug) ?? null }, 'by market cap')
}

function compareMarkets({ asset: { slug }, markets }: Listing, facts: RunFacts, comparison: Comparison): void {
  const document = `${API_FOLDER}/assets/${slug}/markets.json`
  const implausible = implausibleVolumes(markets)
  for (const [row, market] of markets.entries()) {
    const compare = comparison.membersOf(document, market, `rows[${row}]`)
    if (market.exchange_type === 'dex') comparePool(slug, market, facts, compare)
    else compareQuote(market, facts, compare)
    compareAge(market, facts, compare)
    if (isFrozen(market, markets, facts.now) || isOld(market, facts.now))
      compare({ is_stale: true }, 'its last trade is too old, or its price is unchanged while others move')
    const { quality, quality_score, quality_reasons } = qualityOf(market, implausible.has(market.exchange_id))
    compare({ quality, quality_score, quality_reasons }, 'quality: 100 points less the points of each reason')
  }
  const [published, recomputed] = [markets, markets.toSorted(marketOrder)].map((rows) => rows.map(nameOf))
  const rule = 'rows by volume, flagged ones last, then by venue and pair'
  comparison.compare(document, 'rows', { published, recomputed, rule })
}

const nameOf = ({ exchange_id, pair, contract_address }: Market): string =>
  `${exchange_id} ${pair} ${contract_address ?? ''}`

const isOld = ({ last_traded_at, exchange_type }: Market, now: Ms): boolean =>
  exchange_type === 'cex' && last_traded_at !== null && hoursSince(last_traded_at, now) > LIMITS.live_hours + SECOND

/** In hours. Times are published in whole seconds, but the rule was applied to milliseconds. */
const SECOND = 1 / 3600

type CompareMarket = CompareMembers<Market>

function compareAge({ source_label, collected_at }: Market, { byLabel, at }: RunFacts, compare: CompareMarket): void {
  const source = byLabel.get(source_label)
  if (!source) return compare({ source_label: null }, 'a source of the feed')
  const { error, last_success } = source
  if (error !== null || last_success !== at) compare({ is_stale: true }, 'its source did not answer')
  if (collected_at > (last_success ?? '')) compare({ collected_at: last_success }, 'the last answer of its source')
}

function compareQuote(market: Market, { rates, sources }: RunFacts, compare: CompareMarket): void {
  const { price, quote_usd, volume_24h_quote: volume, bid, ask, last_price: last } = market
  const spread =
    bid === null || ask === null || bid > ask ? null : roundPercent(((ask - bid) / ((ask + bid) / 2)) * 100)
  compare({ spread_percent: spread }, '(ask - bid) / mid x 100')
  if (last !== null) compare({ price: heldPrice({ last, bid, ask }) }, 'last_price held within the book')
  const inDollars = (value: number | null, round: (dollars: number) => number | null) =>
    value === null || quote_usd === null ? null : round(value * quote_usd)
  compare({ price_usd: inDollars(price, roundPrice) }, 'price x quote_usd')
  compare({ volume_24h_usd: inDollars(volume, roundMoney) }, 'volume_24h_quote x quote_usd')
  if ((sources.get(market.exchange_id)?.error ?? null) === null)
    compare(
      { quote_usd: rates.get(market.quote_symbol)?.price_usd ?? null },
      `reference rate of ${market.quote_symbol} in collector`,
    )
}

function comparePool(slug: string, market: Market, { pools }: RunFacts, compare: CompareMarket): void {
  const pair = pools.get(poolKey(slug, market.chain, market.contract_address))
  const rule = 'the pool in dex-pairs'
  if (!pair) return compare({ contract_address: null }, rule)
  const { price_usd, volume_24h_usd, liquidity_usd, volume_24h_base, price, collected_at, is_stale } = poolMarket(pair)
  compare({ price, price_usd, volume_24h_base, volume_24h_usd, liquidity_usd, collected_at, is_stale }, rule)
}

function compareRates(rates: Rates, sources: ReadonlySet<string>, comparison: Comparison): void {
  for (const [index, rate] of [...rates.values()].entries()) {
    const { symbol, method, inputs, cross_check: bank } = rate
    const compare = comparison.membersOf(LAYOUT.collector, rate, `referenceRates[${index}]`)
    const ofFeed = inputs.filter(
      ({ source_id }) => sources.has(source_id) || ['previous', 'parity'].includes(source_id),
    )
    compare({ inputs: ofFeed }, `${symbol}: every input is of a source of the feed`)
    if (method === 'definition') compare({ price_usd: 1 }, `${symbol}: one US dollar`)
    if (method === 'definition' || method === 'carried') continue
    compare({ price_usd: recomputeRate(rate, rates) }, `${symbol}: the mean of the middle fifth of the inputs`)
    const venues = inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0)
    compare({ quotes: venues.length }, `${symbol}: venues among the inputs with a weight`)
    compare({ inputs: weighted(rate) }, `${symbol}: weights by credible volume, or equal ones below the quorum`)
    if (method === 'reference') compare({ as_of: bank?.as_of }, `${symbol}: the day of the rate of the central bank`)
    const [lone, ...others] = venues
    if (bank && lone && others.length === 0 && !nearReference(valueOf(lone, symbol, rates) ?? Number.NaN, bank))
      compare({ cross_check: null }, `${symbol}: a lone venue lies within the tolerance of the central bank`)
  }
}

function weighted({ inputs }: ReferenceRate): ReferenceRate['inputs'] {
  const heard = inputs.filter(({ weight }) => weight > 0)
  const volumes = heard.flatMap(({ volume_24h_usd }) => volume_24h_usd ?? [])
  const isQuorum = volumes.length === heard.length && volumes.length >= LIMITS.quorum
  const weights = isQuorum ? venueWeights(volumes) : heard.map(() => 1 / heard.length)
  const weightOf = new Map(heard.map((input, place) => [input, weights[place] ?? 0]))
  return inputs.map((input) => ({ ...input, weight: roundShare(weightOf.get(input) ?? 0) }))
}
