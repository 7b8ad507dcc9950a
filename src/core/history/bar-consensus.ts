import { consensusOf, within } from '../feed/consensus.ts'
import { type Weighted, centralMean } from '../feed/statistics.ts'
import { venueWeights } from '../feed/weights.ts'
import { type VenueBar, sumOf } from './answers.ts'

export type CombinedBar = VenueBar & { readonly venues: number }

/**
 * Returns the bar of some venues for one bucket; one bar is returned as it is. Bars without trades do not count beside
 * others. The venues whose close agrees with the majority are kept, as for prices. Each figure is the central mean of
 * theirs by the weights of prices, without outliers among them. Where two venues disagree about the high or the low, the
 * less extreme one counts, so that the wick of one venue is never the market's.
 */
export function combinedBar(bars: readonly VenueBar[]): CombinedBar | null {
  const [first] = bars
  if (first && bars.length === 1) return { venues: 1, ...first }
  const traded = bars.filter(({ volume }) => volume !== 0)
  const heard = traded.length > 0 ? traded : bars
  const closes = consensusOf(heard.map(({ close }) => close))
  const kept = heard.filter(({ close }) => within(closes, close))
  const [only] = kept
  if (!only) return null
  if (kept.length === 1) return { venues: 1, ...only }
  const weights = venueWeights(kept.map(({ close, volume }) => close * (volume ?? 0)))
  const open = figure(kept, 'open', weights, null)
  const close = figure(kept, 'close', weights, null)
  const high = figure(kept, 'high', weights, Math.min)
  const low = figure(kept, 'low', weights, Math.max)
  return {
    open,
    high: Math.max(high, open, close),
    low: Math.min(low, open, close),
    close,
    volume: kept.map(({ volume }) => volume).reduce(sumOf),
    volume_usd: kept.map(({ volume_usd }) => volume_usd).reduce(sumOf),
    venues: kept.length,
  }
}

/** Returns a figure of bars: of those within the majority, or without one what `split` makes of all, else their mean. */
function figure(
  bars: readonly VenueBar[],
  name: 'open' | 'high' | 'low' | 'close',
  weights: readonly number[],
  split: ((...values: readonly number[]) => number) | null,
): number {
  const values = bars.map((bar) => bar[name])
  const consensus = consensusOf(values)
  if (!consensus.majority && split) return split(...values)
  const kept: Weighted[] = []
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? Number.NaN
    if (within(consensus, value)) kept.push({ value, weight: weights[index] ?? 0 })
  }
  return centralMean(kept)
}
