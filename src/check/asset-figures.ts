import type { Asset } from '../contract/asset.ts'
import { roundMoney } from '../contract/numbers.ts'
import { API_FOLDER, PREFIX } from '../contract/words.ts'
import { confidenceOf } from '../feed/confidence.ts'
import type { Listing } from '../feed/listing.ts'
import { fragilityOf } from '../feed/fragility.ts'
import { type Evidence, price, publishedEvidence, recompute } from '../feed/price.ts'
import { hoursSince } from '../feed/time.ts'
import type { Comparison } from './deviation.ts'

/** When a tree was made, and which venues were not believed in that run. */
export interface RunFacts {
  readonly now: number
  readonly distrusted: ReadonlySet<string>
}

/** Compares the figures of one asset with what its markets, its price basis and its own members give. */
export function compareAsset({ asset, markets }: Listing, { now, distrusted }: RunFacts, comparison: Comparison): void {
  const evidence = publishedEvidence(asset.price_basis, markets, distrusted)
  compareBasis(asset, comparison)
  if (asset.price_basis.method !== 'carried') comparePrice(asset, evidence, comparison)
  compareUse({ asset, markets }, evidence, comparison)
  compareWorth(asset, comparison)
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

/** The price is the central mean of its own basis. A carried price is that of an earlier run. */
function compareBasis({ slug, price_usd, price_basis }: Asset, comparison: Comparison): void {
  samePlace(slug, comparison)(
    'price_usd',
    price_usd,
    recompute(price_basis),
    'the mean of the middle fifth of the weight of price_basis.sources',
  )
}

/** A price follows from the market rows and the aggregators' prices: basis, weights and outliers included. */
function comparePrice(asset: Asset, evidence: Evidence, comparison: Comparison): void {
  const { price_usd, basis } = price(evidence)
  const rule = 'the rule of the price over the market rows and the aggregators'
  samePlace(asset.slug, comparison)('price_usd', asset.price_usd, price_usd, rule)
  comparison.deep(
    `${API_FOLDER}/assets/${asset.slug}.json`,
    { published: asset.price_basis, recomputed: { ...basis, fragility_bp: fragilityOf(evidence) }, rule },
    'asset.price_basis',
  )
}

/** The market rows say of themselves what the basis says of them. */
function compareUse({ asset, markets }: Listing, evidence: Evidence, comparison: Comparison): void {
  const { method, sources } = asset.price_basis
  const isOfMarkets = method !== 'aggregators' && method !== 'carried'
  const { outliers } = price(evidence)
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
    // Of a carried price the aggregators of the run are not published.
    if (method !== 'carried')
      comparison.same(place('is_outlier'), {
        published: market.is_outlier,
        recomputed: outliers.has(market),
        rule: 'further from the consensus than the rule allows, or of a venue that is not believed',
      })
  }
}

/** Market cap and fully diluted value are supply times price wherever both are known. */
function compareWorth(asset: Asset, comparison: Comparison): void {
  const same = samePlace(asset.slug, comparison)
  const { price_usd: price } = asset
  const worth = (coins: number | null) => (coins === null || price === null ? null : roundMoney(coins * price))
  const cap = worth(asset.circulating_supply)
  if (cap !== null) same('market_cap_usd', asset.market_cap_usd, cap, 'circulating_supply x price_usd')
  const diluted = worth(asset.max_supply ?? asset.total_supply)
  if (diluted !== null)
    same(
      'fully_diluted_valuation_usd',
      asset.fully_diluted_valuation_usd,
      diluted,
      'max_supply, or else total_supply, x price_usd',
    )
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
