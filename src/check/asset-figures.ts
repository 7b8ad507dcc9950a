import { hoursSince, isoOf, HOUR_MS } from '../contract/time.ts'
import type { Asset } from '../contract/asset.ts'
import type { SupplyField } from '../contract/supply.ts'
import { roundMoney } from '../contract/numbers.ts'
import { PREFIX } from '../contract/prefix.ts'
import { recomputeChange, recomputeWeek } from '../feed/change.ts'
import { confidenceOf } from '../feed/confidence.ts'
import type { Listing } from '../feed/listing.ts'
import { fragilityOf } from '../feed/fragility.ts'
import { type Evidence, type Priced, price, publishedEvidence, recompute } from '../feed/price.ts'
import { QUARANTINE } from '../feed/quarantine.ts'
import { marketFlagOf, ranksOf } from '../feed/rank.ts'
import { type SupplyWitness, decideSupply, isPossibleMaximum } from '../feed/supply.ts'
import { credibleVolume } from '../feed/credible-volume.ts'
import type { Comparison } from './deviation.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import type { RunFacts } from './run-facts.ts'

/** Compares the figures of one asset with those computed from its markets, its price basis and its own members. */
export function compareAsset({ asset, markets }: Listing, facts: RunFacts, comparison: Comparison): void {
  const { now, distrusted, dependence } = facts
  const evidence = publishedEvidence(asset.price_basis, markets, { distrusted, rates: dependence })
  compareBasis(asset, comparison)
  const priced = price(evidence)
  if (asset.price_basis.method !== 'carried') comparePrice(asset, evidence, priced, comparison)
  compareUse({ asset, markets }, priced, comparison)
  compareSupplies(asset, comparison)
  compareValuation(asset, comparison)
  compareActivity({ asset, markets }, facts, comparison)
  compareHeld(asset, comparison)
  compareConfidence(asset, evidence, now, comparison)
  const same = samePlace(asset.slug, comparison)
  same('asset_id', asset.asset_id, asset.slug, 'the slug')
  same('exchange_count', asset.exchange_count, new Set(markets.map(({ exchange_id }) => exchange_id)).size, 'venues')
  same('market_count', asset.market_count, markets.length, 'rows of the markets document')
  same('markets_endpoint', asset.markets_endpoint, `${PREFIX}/assets/${asset.slug}/markets`, 'path of the markets')
  same('history_endpoint', asset.history_endpoint, `${PREFIX}/history/${asset.slug}`, 'path of the history')
}

const samePlace =
  (slug: string, comparison: Comparison) =>
  (member: string, published: unknown, recomputed: unknown, rule: string): boolean =>
    comparison.same(
      { document: `${API_FOLDER}/assets/${slug}.json`, member: `asset.${member}` },
      { published, recomputed, rule },
    )

/** Compares the price with the central mean of its basis. The basis of a carried price is that of an earlier run. */
function compareBasis({ slug, price_usd, price_basis }: Asset, comparison: Comparison): void {
  samePlace(slug, comparison)(
    'price_usd',
    price_usd,
    recompute(price_basis),
    'the mean of the middle fifth of the weight of price_basis.sources',
  )
}

/** Compares the price, its basis and its weights with those computed from the market rows and the aggregators' prices. */
function comparePrice(asset: Asset, evidence: Evidence, { price_usd, basis }: Priced, comparison: Comparison): void {
  const rule = 'the rule of the price over the market rows and the aggregators'
  samePlace(asset.slug, comparison)('price_usd', asset.price_usd, price_usd, rule)
  comparison.deep(
    `${API_FOLDER}/assets/${asset.slug}.json`,
    { published: asset.price_basis, recomputed: { ...basis, fragility_bp: fragilityOf(evidence) }, rule },
    'asset.price_basis',
  )
}

/** Compares the members of the market rows that say how the price uses them with the basis of the price. */
function compareUse({ asset, markets }: Listing, { outliers }: Priced, comparison: Comparison): void {
  const { method, sources } = asset.price_basis
  const isOfMarkets = method !== 'aggregators' && method !== 'carried'
  for (const [row, market] of markets.entries()) {
    const place = (member: string) => ({
      document: `${API_FOLDER}/assets/${asset.slug}/markets.json`,
      member: `rows[${row}].${member}`,
    })
    const own = isOfMarkets
      ? sources.find(
          ({ source_id, pair, price_usd }) =>
            source_id === market.exchange_id && pair === market.pair && price_usd === market.price_usd,
        )
      : undefined
    const rule = 'the row in price_basis.sources'
    comparison.same(place('used_in_price'), { published: market.used_in_price, recomputed: own !== undefined, rule })
    comparison.same(place('weight'), { published: market.weight, recomputed: own?.weight ?? null, rule })
    // The basis of a carried price is of an earlier run, so the aggregators of this one are not published.
    if (method !== 'carried')
      comparison.same(place('is_outlier'), {
        published: market.is_outlier,
        recomputed: outliers.has(market),
        rule: 'further from the consensus than the rule allows, or at a distrusted venue',
      })
  }
}

/** Compares the supplies with those that follow from their witnesses and the last value. */
function compareSupplies(asset: Asset, comparison: Comparison): void {
  const same = samePlace(asset.slug, comparison)
  for (const field of ['circulating_supply', 'total_supply', 'max_supply'] as const) {
    const basis = asset.supply_basis[field]
    if (!basis) continue
    const { method, witnesses, last } = basis
    const decided = decideSupply(witnesses, last)
    const persisted = method === 'persisted' && decided.method === 'kept'
    const witness = persisted ? witnesses[0] : decided.witness
    const rule = 'the rule of the supply over supply_basis'
    same(`supply_basis.${field}.method`, method, persisted ? method : decided.method, rule)
    same(`supply_basis.${field}.value`, basis.value, witness?.value ?? last?.value ?? null, rule)
    if (field === 'max_supply' && !isPossibleMaximum(basis.value, asset.circulating_supply))
      same(field, asset[field], null, 'a maximum is not below the circulating supply')
    else compareSupply(asset, field, witness, comparison)
  }
}

/** Compares a supply with that of the witness that decides it. Without one it is carried. */
function compareSupply(
  asset: Asset,
  field: SupplyField,
  witness: SupplyWitness | undefined | null,
  comparison: Comparison,
) {
  const same = samePlace(asset.slug, comparison)
  if (witness && !witness.is_implied)
    same(field, asset[field], witness.value, 'the rule of the supply over supply_basis')
  else if (asset[field] !== null)
    same(`carried.${field}`, asset.carried?.[field] !== undefined, true, 'carried forward')
}

/** Compares market cap and fully diluted valuation with supply times price. A source may report them instead. */
function compareValuation(asset: Asset, comparison: Comparison): void {
  const { price_usd: price } = asset
  const compare = (member: 'market_cap_usd' | 'fully_diluted_valuation_usd', supply: number | null, rule: string) => {
    const recomputed = supply === null || price === null ? null : roundMoney(supply * price)
    if (recomputed !== null || !isReported(asset, member))
      samePlace(asset.slug, comparison)(member, asset[member], recomputed, rule)
  }
  compare('market_cap_usd', asset.circulating_supply, 'circulating_supply x price_usd')
  compare(
    'fully_diluted_valuation_usd',
    asset.max_supply ?? asset.total_supply,
    'max_supply, or else total_supply, x price_usd',
  )
  for (const member of REPORTED)
    if (asset[member] !== null && !isReported(asset, member))
      samePlace(asset.slug, comparison)(member, asset[member], null, 'no source reports it, and it is not carried')
  for (const member of ['high_24h_usd', 'low_24h_usd', 'ath_usd'] as const)
    if (asset[member] !== null && !isReported(asset, member)) {
      const own = member === 'ath_usd' ? Math.max(price ?? 0, asset.high_24h_usd ?? 0, asset.low_24h_usd ?? 0) : price
      samePlace(asset.slug, comparison)(
        member,
        asset[member],
        own,
        'the price, where it is beyond what a source reports',
      )
    }
}

/** Figures that cannot be computed and are only known from sources. */
const REPORTED = ['circulating_supply', 'total_supply', 'max_supply', 'percent_change_1h'] as const

/** Whether a figure is published as a source reports it, or as one reported it in an earlier run. */
const isReported = ({ told_by, carried }: Asset, member: string): boolean =>
  Object.hasOwn(carried ?? {}, member) || Object.values(told_by).some((members) => members.includes(member))

/** Compares the volume, the 24 h change and the market flag. */
function compareActivity({ asset, markets }: Listing, { heard }: RunFacts, comparison: Comparison): void {
  const same = samePlace(asset.slug, comparison)
  const { volume_24h_usd, percent_change_24h, percent_change_7d, change_basis, week_basis } = asset
  if (!isReported(asset, 'volume_24h_usd'))
    same('volume_24h_usd', volume_24h_usd, credibleVolume(markets), 'credible volume of the market rows')
  same('percent_change_24h', percent_change_24h, recomputeChange(change_basis, asset), 'the rule of change_basis')
  if (week_basis.method === 'history')
    same('percent_change_7d', percent_change_7d, recomputeWeek(week_basis, asset.price_usd), 'the rule of week_basis')
  else if (percent_change_7d !== null && !isReported(asset, 'percent_change_7d'))
    same('percent_change_7d', percent_change_7d, null, 'no source reports it, and it is not carried')
  if (change_basis.method === 'carried')
    same('change_basis.method', 'carried', isReported(asset, 'percent_change_24h') ? 'carried' : 'none', 'carried')
  if (asset.replaced_by === null)
    same('market_flag', asset.market_flag, marketFlagOf(asset, markets, heard), 'the rule of the rank')
}

/** Compares what is held back with what is published instead. */
function compareHeld(asset: Asset, comparison: Comparison): void {
  const same = samePlace(asset.slug, comparison)
  for (const [row, { slug, field, held_value, since, releases_at }] of asset.held.entries()) {
    const compare = (member: string, published: unknown, recomputed: unknown) =>
      same(`held[${row}].${member}`, published, recomputed, 'the quarantine of a figure')
    compare('slug', slug, asset.slug)
    if (field !== 'contracts' && field !== 'identity' && field !== 'matches')
      compare('held_value', held_value, asset[field])
    if (field !== 'price_usd') continue
    compare('releases_at', releases_at, isoOf(Date.parse(since) + QUARANTINE.release_hours * HOUR_MS))
    same('price_basis.method', asset.price_basis.method, 'carried', 'its price is held back')
  }
}

function compareConfidence(asset: Asset, evidence: Evidence, now: number, comparison: Comparison): void {
  const { price_usd, price_basis, last_updated, price_confidence } = asset
  const hours = last_updated === null ? 0 : hoursSince(last_updated, now)
  samePlace(asset.slug, comparison)(
    'price_confidence',
    price_confidence,
    confidenceOf({ price_usd, basis: price_basis }, evidence, hours),
    'the rule of the confidence',
  )
}

/** Compares the ranks with the order of market caps. Which listings have a rank depends on the aggregators alone. */
export function compareRanks(listings: readonly Listing[], comparison: Comparison): void {
  const assets = listings.map(({ asset }) => asset)
  const ranked = new Set(assets.flatMap(({ slug, market_cap_rank }) => (market_cap_rank === null ? [] : slug)))
  const ranks = ranksOf(assets, ranked)
  for (const { slug, market_cap_rank } of assets)
    if (ranked.has(slug))
      samePlace(slug, comparison)('market_cap_rank', market_cap_rank, ranks.get(slug) ?? null, 'by market cap')
}
