/**
 * Returns a function that splits an upper-case market without a separator into base and quote, by the known quotes of its
 * venue, or returns null. The longest quote wins: BTCFDUSD is BTC in FDUSD, not BTCFD in USD.
 */
export function pairSplitter(quotes: Iterable<string>): (market: string) => { base: string; quote: string } | null {
  const known = new Set([...quotes].map((quote) => quote.toUpperCase()))
  const longest = Math.max(0, ...new Set([...known].map(({ length }) => length)))
  return (market) => {
    const name = market.toUpperCase()
    for (let length = Math.min(longest, name.length - 1); length > 0; length--) {
      const quote = name.slice(-length)
      if (known.has(quote)) return { base: name.slice(0, -length), quote }
    }
    return null
  }
}
