import type { Identity } from './identify.ts'
import { MATCHING } from './match.ts'
import type { Quoted } from './quotes.ts'
import { factorBetween, median } from './statistics.ts'

/**
 * Returns the identities, each without its last price where the markets that made it turned out to be those of another
 * coin and still have that price: nothing may be carried from it or compared with it.
 */
export function withoutDisplacedPrices<One extends Identity>(
  identities: readonly One[],
  { matched, held }: Pick<Quoted, 'matched' | 'held'>,
): One[] {
  const owners = new Map<string, { readonly slug: string | null; readonly price_usd: number | null }>()
  for (const { slug, market } of matched)
    owners.set(`${market.exchange_id} ${market.base_symbol}`, { slug, price_usd: market.price_usd })
  for (const { venue, symbol, price_usd } of held) owners.set(`${venue} ${symbol}`, { slug: null, price_usd })

  const isDisplaced = ({ slug, before }: Identity): boolean => {
    const last = before?.asset.price_usd ?? null
    const used = (before?.markets ?? []).filter(
      ({ exchange_type, used_in_price }) => used_in_price && exchange_type === 'cex',
    )
    if (last === null || used.length === 0) return false
    const now = used.map(({ exchange_id, base_symbol }) => owners.get(`${exchange_id} ${base_symbol}`))
    if (now.some((owner) => owner === undefined || owner.slug === slug)) return false
    const prices = now.flatMap((owner) => owner?.price_usd ?? [])
    return prices.length > 0 && factorBetween(median(prices), last) <= 1 + MATCHING.tolerance_percent / 100
  }
  return identities.map((identity) => {
    if (!identity.before || !isDisplaced(identity)) return identity
    const { asset, markets } = identity.before
    return { ...identity, before: { asset: { ...asset, price_usd: null, last_updated: null }, markets } }
  })
}
