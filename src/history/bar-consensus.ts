import { type Consensus, consensusOf, within } from '../feed/consensus.ts'
import { PRICE } from '../feed/price.ts'
import { centralMean } from '../feed/statistics.ts'
import { venueWeights } from '../feed/weights.ts'
import type { VenueBar } from './venue-bars.ts'

/** A bar made of those of venues. */
export interface CombinedBar extends VenueBar {
  /** Number of venues that it is made of. */
  readonly venues: number
}

/**
 * Returns the bar of some venues for one bucket; one bar is returned as it is. Bars without trades do not count beside
 * others. The venues whose close agrees with the majority are kept, as for prices. Each figure is the central mean of
 * theirs by the weights of prices, without outliers among them. Where two venues disagree about the high or the low, the
 * less extreme one stands, so that the wick of one venue is never the market's.
 */
export function combinedBar(bars: readonly VenueBar[]): CombinedBar | null {
  const traded = bars.filter(({ volume }) => volume !== 0)
  const heard = traded.length > 0 ? traded : bars
  const closes = consensusOf(heard.map(({ close }) => close))
  const kept = heard.filter(({ close }) => within(closes, close))
  const [only] = kept
  if (!only) return null
  if (kept.length === 1) return { ...only, venues: 1 }
  const weights = venueWeights(kept.map(({ close, volume }) => close * (volume ?? 0)))
  const figure = (of: (bar: VenueBar) => number, split: (values: readonly number[]) => number): number => {
    const values = kept.map(of)
    const consensus = consensusOf(values)
    return consensus.majority ? meanWithin(consensus, values, weights) : split(values)
  }
  const mean = (values: readonly number[]) => meanWithin({ ...closes, reach: Infinity }, values, weights)
  const open = figure((bar) => bar.open, mean)
  const close = figure((bar) => bar.close, mean)
  const high = figure(
    (bar) => bar.high,
    (values) => Math.min(...values),
  )
  const low = figure(
    (bar) => bar.low,
    (values) => Math.max(...values),
  )
  return {
    open,
    high: Math.max(high, open, close),
    low: Math.min(low, open, close),
    close,
    volume: kept.reduce<number | null>((sum, { volume }) => (sum === null || volume === null ? null : sum + volume), 0),
    venues: kept.length,
  }
}

const meanWithin = (consensus: Consensus, values: readonly number[], weights: readonly number[]): number =>
  centralMean(
    values.flatMap((value, index) => (within(consensus, value) ? [{ value, weight: weights[index] ?? 0 }] : [])),
    PRICE.central_share / 2,
  )
