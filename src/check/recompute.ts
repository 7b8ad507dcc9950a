import type { Asset } from '../contract/asset.ts'
import type { Market } from '../contract/market.ts'
import { outliersOf, price, recompute } from '../feed/price.ts'

/** What a check of one asset's price found. `differences` is empty when the published price follows from what is published. */
export interface Verdict {
  readonly slug: string
  readonly method: Asset['price_basis']['method']
  readonly price_usd: number | null
  readonly recomputed: number | null
  readonly differences: readonly string[]
}

const DIRECT = new Set<Asset['price_basis']['method']>(['exchanges', 'exchanges_below_quorum', 'dex'])

/**
 * Computes a published price again, from the published rows and the published basis alone. A price of venues is made anew
 * from the market rows, weights and outliers included; any other from its basis.
 */
export function verify({ slug, price_usd, price_basis }: Asset, markets: readonly Market[]): Verdict {
  const differences: string[] = []
  const fromBasis = recompute(price_basis)
  if (fromBasis !== price_usd) differences.push(`the basis gives ${fromBasis}, not ${price_usd}`)
  if (DIRECT.has(price_basis.method)) {
    const again = price(markets, [])
    if (again.price_usd !== price_usd) differences.push(`the market rows give ${again.price_usd}, not ${price_usd}`)
    if (again.basis.method !== price_basis.method)
      differences.push(`the market rows give the method ${again.basis.method}, not ${price_basis.method}`)
    for (const { source_id, pair, weight } of again.basis.sources) {
      const published = markets.find((market) => market.exchange_id === source_id && market.pair === pair)
      if (published?.weight !== weight)
        differences.push(`${source_id} ${pair} weighs ${weight}, not ${published?.weight}`)
    }
  }
  for (const market of outliersOf(markets))
    if (!market.is_outlier)
      differences.push(`${market.exchange_id} ${market.pair} is an outlier and is not marked as one`)
  return { slug, method: price_basis.method, price_usd, recomputed: fromBasis, differences }
}
