import * as z from 'zod'
import type { Skipped } from './source.ts'
import { Text } from './wire.ts'

/** Base and quote of a market, in upper case. */
interface Pair {
  readonly base: string
  readonly quote: string
}

/** What a venue says of one of its markets. */
interface Instrument extends Pair {
  readonly symbol: string
}

/** Markets of a venue whose names have no separator, such as BTCUSDT. */
interface MarketNames<Row extends Instrument> {
  /** Reads one instrument. */
  readonly schema: z.ZodType<Row>
  /** The instruments of the venue. They may be missing, and the list may have newer markets. */
  readonly instruments: readonly unknown[]
  /** Why the market of an instrument is skipped, or null. */
  readonly skip: (instrument: Row) => string | null
  /** Known quote currencies, in addition to those of the instruments. */
  readonly quotes: readonly string[]
  /** The rows of the list, each with its market as `symbol`. */
  readonly tickers: readonly unknown[]
}

const Named = z.object({ symbol: Text(64) })

const skipped = (reason: string): Skipped => ({ kind: 'skipped', reason })

/**
 * Returns a function that reads the pair of a market: that of its instrument, otherwise its name split at a known quote
 * currency. A market is skipped if its instrument says so, its quote is unknown, or its base is a leveraged token.
 */
export function marketPairs<Row extends Instrument>(names: MarketNames<Row>): (market: string) => Pair | Skipped {
  const known = new Map(
    names.instruments.flatMap((row) => names.schema.safeParse(row).data ?? []).map((row) => [row.symbol, row]),
  )
  const split = pairSplitter([...names.quotes, ...[...known.values()].map(({ quote }) => quote)])
  const pairOf = (market: string): Pair | null => {
    const pair = known.get(market)
    return pair ? { base: pair.base.toUpperCase(), quote: pair.quote.toUpperCase() } : split(market)
  }
  const bases = new Set(names.tickers.flatMap((row) => pairOf(Named.safeParse(row).data?.symbol ?? '')?.base ?? []))
  return (market) => {
    const instrument = known.get(market)
    const reason = instrument ? names.skip(instrument) : null
    if (reason !== null) return skipped(reason)
    const pair = pairOf(market)
    if (pair === null) return skipped('unknown quote currency')
    return isLeveraged(pair.base, bases) ? skipped('leveraged token') : pair
  }
}

/**
 * Returns a function that splits an upper-case market without a separator into base and quote, by the known quotes of its
 * venue, or returns null. The longest quote wins: BTCFDUSD is BTC in FDUSD, not BTCFD in USD.
 */
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

/**
 * Whether `base` is a leveraged token of another base of the same venue, such as BTC3L of BTC. SYRUP is not one unless SYR
 * trades there. All in upper case.
 */
export function isLeveraged(base: string, bases: ReadonlySet<string>): boolean {
  const [, byDigit, byWord] = LEVERAGED.exec(base) ?? []
  const underlying = byDigit ?? byWord
  return underlying !== undefined && bases.has(underlying)
}
