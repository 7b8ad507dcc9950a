import { consensusOf, within } from '../feed/consensus.ts'
import { centralMean } from '../feed/statistics.ts'
import { venueWeights } from '../feed/weights.ts'
import type { VenueBar } from './answers.ts'

export type CombinedBar = VenueBar & { readonly venues: number }

/**
 * Returns the bar of some venues for one bucket; one bar is returned as it is. Bars without trades do not count beside
 * others. The venues whose close agrees with the majority are kept, as for prices. Each figure is the central mean of
 * theirs by the weights of prices, without outliers among them. Where two venues disagree about the high or the low, the
 * less extreme one counts, so that the wick of one venue is never the market's.
 */
export function combinedBar(bars: readonly VenueBar[]): CombinedBar | null {
  const traded = bars.filter(({ volume_base }) => volume_base !== 0)
  const heard = traded.length > 0 ? traded : bars
  const closes = consensusOf(heard.map(({ close_usd }) => close_usd))
  const kept = heard.filter(({ close_usd }) => within(closes, close_usd))
  const [only] = kept
  if (!only) return null
  if (kept.length === 1) return { venues: 1, ...only }
  const weights = venueWeights(kept.map(({ close_usd, volume_base }) => close_usd * (volume_base || 0)))
  const open = figure(kept, 'open_usd', weights, null)
  const close = figure(kept, 'close_usd', weights, null)
  const high = figure(kept, 'high_usd', weights, Math.min)
  const low = figure(kept, 'low_usd', weights, Math.max)
  return {
    open_usd: open,
    high_usd: Math.max(high, open, close),
    low_usd: Math.min(low, open, close),
    close_usd: close,
    volume_base: kept.reduce((total, { volume_base }) => total + volume_base, 0),
    volume_usd: kept.reduce((total, { volume_usd }) => total + volume_usd, 0),
    venues: kept.length,
  }
}

/** Returns a figure of bars: of those within the majority, or without one what `split` makes of all, else their mean. */
function figure(
  bars: readonly VenueBar[],
  name: Exclude<keyof VenueBar, `volume_${string}`>,
  weights: readonly number[],
  split: ((...values: readonly number[]) => number) | null,
): number {
  const values = bars.map((bar) => bar[name])
  const consensus = consensusOf(values)
  if (!consensus.majority && split) return split(...values)
  const weighted = values.map((value, index) => ({ value, weight: weights[index] ?? 0 }))
  return centralMean(weighted.filter(({ value }) => within(consensus, value)))
}
