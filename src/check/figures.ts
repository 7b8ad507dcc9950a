import type { Asset, SupplyField } from '../core/contract/asset.ts'
import type { Market } from '../core/contract/market.ts'
import { roundMoney } from '../core/contract/numbers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { recomputeChange, recomputeWeek } from '../core/feed/change.ts'
import { confidenceOf, fragilityOf } from '../core/feed/confidence.ts'
import { movedSince } from '../core/feed/freshness.ts'
import type { Listing } from '../core/feed/listing.ts'
import { bookFigures } from '../core/feed/market-rows.ts'
import { markedMarkets } from '../core/feed/merge.ts'
import { type Priced, priceOf, publishedEvidence, recompute } from '../core/feed/price.ts'
import { ranksOf } from '../core/feed/rank.ts'
import { rateDependence } from '../core/feed/rate-dependence.ts'
import { type Rates, recomputeRate, weighed } from '../core/feed/rates.ts'
import { decideSupply, dilutedSupply, isPossibleMaximum } from '../core/feed/supply.ts'
import { credibleVolume } from '../core/feed/weights.ts'
import type { Rows } from '../core/history/rows.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import type { CompareMembers, Comparison } from './deviation.ts'

function runFacts({ run, rates, sources, listings }: Rows) {
  const markets = [...listings.values()].flatMap((listing) => listing.markets)
  return {
    rates,
    sources,
    /** What the evidence of every price has of the run. */
    ofRun: {
      distrusted: new Set([...sources.values()].flatMap((row) => (row.price_factor === null ? [] : row.source_id))),
      rates: rateDependence(rates),
      movedSince: movedSince(markets, Date.parse(run?.at ?? '')),
    },
  }
}

type RunFacts = ReturnType<typeof runFacts>

/** Computes the figures of listings and rates again from the evidence in the rows. @param wanted slugs; none: all */
export function compareFigures(rows: Rows, wanted: ReadonlySet<string>, comparison: Comparison): void {
  const facts = runFacts(rows)
  const listed = [...rows.listings.values()].filter(({ asset }) => asset.replaced_by === null)
  for (const listing of listed) {
    if (wanted.size > 0 && !wanted.has(listing.asset.slug)) continue
    compareAsset(listing, facts, comparison)
  }
  compareRanks(listed, comparison)
  compareRates(rows.rates, comparison)
}

type Compare = CompareMembers<Asset>

const profileOf = (asset: Asset, comparison: Comparison): Compare =>
  comparison.membersOf(`${API_FOLDER}/assets/${asset.slug}.json`, asset, 'asset')

function compareAsset({ asset, markets }: Listing, facts: RunFacts, comparison: Comparison): void {
  const { price_usd, price_basis: basis } = asset
  const compare = profileOf(asset, comparison)
  const evidence = publishedEvidence(basis, markets, facts.ofRun)
  const priced = priceOf(evidence)
  // The basis of a carried price is that of an earlier run.
  compare({ price_usd: recompute(basis) }, 'the mean of the middle fifth of the weight of price_basis.sources')
  if (basis.method !== 'carried')
    compare(
      { price_usd: priced.price_usd, price_basis: { ...priced.basis, fragility_bp: fragilityOf(evidence) } },
      'the rule of the price over the market rows and the aggregators',
    )
  compare({ price_confidence: confidenceOf({ price_usd, basis }, evidence) }, 'the rule of the confidence')
  compareMarkets({ asset, markets }, priced, facts, comparison)
  for (const field of ['circulating_supply', 'total_supply', 'max_supply'] as const)
    compareSupply(asset, field, compare)
  compareValuation(asset, compare)
  compare({ percent_change_24h: recomputeChange(asset.change_basis, asset) }, 'the rule of change_basis')
  const { week_basis: week } = asset
  if (week.method === 'history')
    compare({ percent_change_7d: recomputeWeek(week, price_usd) }, 'the rule of week_basis')
  if (!isReported(asset, 'volume_24h_usd'))
    compare({ volume_24h_usd: credibleVolume(markets) }, 'credible volume of the market rows')
}

function compareMarkets({ asset, markets }: Listing, { outliers }: Priced, facts: RunFacts, comparison: Comparison) {
  const { slug, price_basis: basis } = asset
  const document = `${API_FOLDER}/assets/${slug}/markets.json`
  for (const [row, market] of markets.entries())
    if (market.exchange_type === 'cex')
      compareQuote(market, facts, comparison.membersOf(document, market, `rows[${row}]`))
  // The basis of a carried price is of an earlier run, so the aggregators of this one are not published.
  const known = basis.method === 'carried' ? new Set(markets.filter(({ is_outlier }) => is_outlier)) : outliers
  const recomputed = markedMarkets(markets, known, basis)
  const rule = 'price_basis.sources, the distance from the consensus, and 100 points less those of each reason'
  comparison.compare(document, 'rows', { published: markets, recomputed, rule })
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

const isReported = ({ told_by, carried }: Asset, member: string): boolean =>
  Object.hasOwn(carried ?? {}, member) || Object.values(told_by).some((members) => members.includes(member))

function compareRanks(listings: readonly Listing[], comparison: Comparison): void {
  const assets = listings.map(({ asset }) => asset)
  const ranked = assets.filter(({ market_cap_rank }) => market_cap_rank !== null)
  const ranks = ranksOf(assets, new Set(ranked.map(({ slug }) => slug)))
  for (const asset of ranked)
    profileOf(asset, comparison)({ market_cap_rank: ranks.get(asset.slug) ?? null }, 'by market cap')
}

function compareQuote(market: Market, { rates, sources }: RunFacts, compare: CompareMembers<Market>): void {
  const { quote_usd, volume_24h_quote: volume, last_price: last } = market
  const { price, price_usd, spread_percent } = bookFigures({ ...market, last }, quote_usd)
  const rule = 'last_price held within the book, in dollars, and (ask - bid) / mid x 100'
  compare({ price, price_usd, spread_percent }, rule)
  const volume_24h_usd = volume === null || quote_usd === null ? null : roundMoney(volume * quote_usd)
  compare({ volume_24h_usd }, 'volume_24h_quote x quote_usd')
  const rate = rates.get(market.quote_symbol)?.price_usd ?? null
  // What a source reported earlier is kept in the dollars of that time.
  const source = sources.get(market.exchange_id)
  if (!source || (source.asked && source.error === null))
    compare({ quote_usd: rate }, `reference rate of ${market.quote_symbol} in collector`)
}

function compareRates(rates: Rates, comparison: Comparison): void {
  for (const [index, rate] of [...rates.values()].entries()) {
    const { symbol, method } = rate
    if (method === 'definition' || method === 'carried') continue
    const compare = comparison.membersOf(LAYOUT.collector, rate, `referenceRates[${index}]`)
    compare({ price_usd: recomputeRate(rate, rates) }, `${symbol}: the mean of the middle fifth of the inputs`)
    const counted = rate.inputs.filter(({ weight }) => weight > 0)
    const inputs = weighed(rate.inputs, counted, ({ volume_24h_usd }) => volume_24h_usd)
    compare({ inputs }, `${symbol}: weights by credible volume`)
  }
}
