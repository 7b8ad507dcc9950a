import type { Interval } from '../contract/history.ts'
import type { Candle } from '../sources/source.ts'
import { LENGTH_OF, barsOfADay, bucketOf } from './grid.ts'
import type { Backfill } from './extend.ts'

export interface Bars {
  readonly candles: readonly Candle[]
  readonly interval: Interval
  /** Clock of the run: a bar that is still open then has no close yet. */
  readonly now: number
  /** Dollars for one unit of the currency that the bars are quoted in, at a time in ms; null where it is not known. */
  readonly rateAt: (ms: number) => number | null
}

type Points = Backfill['points']

/**
 * The points of a market's bars, in any order. A close belongs to the end of its bar, so it stands in the bucket that
 * the bar's last moment lies in. The volume is that of the 24 hours which end there, summed over the bars; it is null
 * unless every bar of them is known: a bar that is not there may have had no trade or may be lost, and nobody can tell.
 */
export function fromCandles({ candles, interval, now, rateAt }: Bars): Points {
  const length = LENGTH_OF[interval]
  const closed = inOrder(candles.filter(({ at }) => at + length <= now))
  const priced = closed.map((bar) => ({ at: bar.at, ...inDollars(bar, rateAt(bar.at + length - 1)) }))
  const bars = barsOfADay(interval)
  return priced.flatMap(({ at, price_usd }, index) => {
    if (price_usd === null) return []
    const day = priced.slice(Math.max(0, index - bars + 1), index + 1)
    const whole = day.length === bars && day[0]?.at === at - (bars - 1) * length
    return [{ bucket: bucketOf(at + length - 1, interval), price_usd, volume_24h_usd: whole ? sum(day) : null }]
  })
}

/**
 * The points of an aggregator's prices, which are dollars at an instant with the rolling 24h figure of that instant. Of
 * several in one bucket the last counts.
 */
export function fromInstants({ candles, interval, now }: Omit<Bars, 'rateAt'>): Points {
  const points = new Map<number, Points[number]>()
  for (const { at, close, volume_quote } of inOrder(candles)) {
    const bucket = bucketOf(at, interval)
    if (at <= now && close > 0) points.set(bucket, { bucket, price_usd: close, volume_24h_usd: volume_quote })
  }
  return [...points.values()]
}

/** Oldest first; of two of the same time the one that came second. */
const inOrder = (candles: readonly Candle[]): readonly Candle[] =>
  [...new Map(candles.map((candle) => [candle.at, candle])).values()].toSorted((a, b) => a.at - b.at)

interface Priced {
  readonly price_usd: number | null
  readonly volume_usd: number | null
}

// Venues write 0 for a bar without a trade: that is no price.
function inDollars({ close, volume_base, volume_quote }: Candle, rate: number | null): Priced {
  if (rate === null || !(close > 0)) return { price_usd: null, volume_usd: null }
  const volume = volume_quote ?? (volume_base === null ? null : volume_base * close)
  return { price_usd: close * rate, volume_usd: volume === null ? null : volume * rate }
}

function sum(bars: readonly Priced[]): number | null {
  let total = 0
  for (const { volume_usd } of bars) {
    if (volume_usd === null) return null
    total += volume_usd
  }
  return total
}
