export type Pair = Readonly<Record<'base' | 'quote', string>>

/** Returns what splits a market by its quote, or returns null. The longest wins: BTCFDUSD is BTC in FDUSD. */
export function pairSplitter(quotes: Iterable<string>): (market: string) => Pair | null {
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

// With a base of one letter these are other names: TUP beside T, SUP beside S.
const LEVERAGED = /^(?:(.+)[235][LS]|(..+)(?:UP|DOWN|BULL|BEAR))$/

/** Whether `base` is leveraged, such as BTC3L of BTC. SYRUP is not, unless SYR trades at the venue. */
export function isLeveraged(base: string, bases: Pick<ReadonlySet<string>, 'has'>): boolean {
  const [, byDigit, byWord] = LEVERAGED.exec(base) ?? []
  const underlying = byDigit ?? byWord
  return underlying !== undefined && bases.has(underlying)
}
