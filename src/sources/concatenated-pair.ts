/**
 * Base and quote of a market written without a separator, by the quotes its venue is known to have; null when it ends
 * in none of them. The longest quote wins: BTCFDUSD is BTC in FDUSD, not BTCFD in USD. In upper case.
 */
export function splitPair(market: string, quotes: readonly string[]): { base: string; quote: string } | null {
  const name = market.toUpperCase()
  const quote = quotes
    .map((known) => known.toUpperCase())
    .filter((known) => name.length > known.length && name.endsWith(known))
    .toSorted((a, b) => b.length - a.length)[0]
  return quote === undefined ? null : { base: name.slice(0, -quote.length), quote }
}
