import type { PriceMethod } from '../contract/asset.ts'
import type { Listing } from '../feed/listing.ts'

/** The published fragility of one price, in basis points. */
interface FragilePrice {
  readonly slug: string
  readonly method: PriceMethod
  readonly sources: number
  readonly fragility_bp: number
}

const MOST_FRAGILE = 10

/** Returns the fragility of the prices of a run, the most fragile first. Carried prices are of an earlier run. */
export const fragilePrices = (listings: readonly Listing[]): FragilePrice[] =>
  listings
    .flatMap(({ asset: { slug, price_basis } }) => {
      const { method, fragility_bp, sources } = price_basis
      return fragility_bp === null || method === 'carried'
        ? []
        : [{ slug, method, sources: sources.length, fragility_bp }]
    })
    .toSorted((a, b) => b.fragility_bp - a.fragility_bp)

/** Formats the fragility of prices as lines: its distribution by nearest rank, and the most fragile prices. */
export function fragilityLines(prices: readonly FragilePrice[]): string[] {
  const [most] = prices
  if (!most) return []
  const below = (share: number) => prices[prices.length - Math.ceil(share * prices.length)]?.fragility_bp
  return [
    'Price moves if the most influential source misreports by 5 %, a venue with unlimited volume:',
    `  ${prices.length} assets: median ${below(0.5)}, 95 % below ${below(0.95)}, 99 % below ${below(0.99)}, ` +
      `at most ${most.fragility_bp} bp`,
    'Most fragile prices:',
    ...prices
      .slice(0, MOST_FRAGILE)
      .map(({ slug, fragility_bp, sources, method }) => `  ${slug}: ${fragility_bp} bp, ${sources} sources, ${method}`),
  ]
}
