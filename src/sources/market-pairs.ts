import * as z from 'zod'
import { pairSplitter } from './concatenated-pair.ts'
import { isLeveraged } from './leveraged.ts'
import type { Skipped } from './source.ts'
import { Text } from './wire.ts'

/** Base and quote of a market, in upper case. */
export interface Pair {
  readonly base: string
  readonly quote: string
}

/** Markets of a venue whose names have no separator, such as BTCUSDT. */
export interface MarketNames {
  /** Pairs by market, from the instruments of the venue. They may be missing, and the list may have newer markets. */
  readonly known: ReadonlyMap<string, Pair>
  /** Known quote currencies, in addition to those of the instruments. */
  readonly quotes: readonly string[]
  /** The rows of the list, each with its market as `symbol`. */
  readonly tickers: readonly unknown[]
}

const Named = z.object({ symbol: Text(64) })

const upper = ({ base, quote }: Pair): Pair => ({ base: base.toUpperCase(), quote: quote.toUpperCase() })

/**
 * Returns a function that reads the pair of a market: that of its instrument, otherwise its name split at a known quote
 * currency. A market is skipped if its quote is unknown, or its base is a leveraged token.
 */
export function marketPairs({ known, quotes, tickers }: MarketNames): (market: string) => Pair | Skipped {
  const split = pairSplitter([...quotes, ...[...known.values()].map(({ quote }) => quote)])
  const pairOf = (market: string): Pair | null => {
    const pair = known.get(market)
    return pair ? upper(pair) : split(market)
  }
  const bases = new Set(tickers.flatMap((row) => pairOf(Named.safeParse(row).data?.symbol ?? '')?.base ?? []))
  return (market) => {
    const pair = pairOf(market)
    if (pair === null) return { kind: 'skipped', reason: 'unknown quote currency' }
    return isLeveraged(pair.base, bases) ? { kind: 'skipped', reason: 'leveraged token' } : pair
  }
}
