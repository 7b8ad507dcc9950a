import type { AssetRow, DetailedRow } from '../contract/asset.ts'

type Named = Pick<AssetRow, 'symbol' | 'price_usd' | 'verification_status'> & Pick<DetailedRow, 'market_flag'>

/**
 * Returns the listing that each symbol means, by the symbol in upper case: symbols are not unique, so it is the first that
 * has a price and no flag.
 *
 * @param listings by rank
 */
export function bySymbol<Row extends Named>(listings: readonly Row[]): ReadonlyMap<string, Row> {
  const found = new Map<string, Row>()
  for (const listing of listings) {
    const { symbol, price_usd, verification_status, market_flag } = listing
    const isMeant = price_usd !== null && verification_status !== 'flagged' && market_flag === null
    if (isMeant && !found.has(symbol.toUpperCase())) found.set(symbol.toUpperCase(), listing)
  }
  return found
}
