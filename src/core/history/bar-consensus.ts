import { consensusOf, within } from '../feed/consensus.ts'
import { centralMean } from '../feed/statistics.ts'
import { venueWeights } from '../feed/weights.ts'
import type { Ms } from '../contract/time.ts'
import type { VenueBars } from './answers.ts'

export type CombinedBar = NonNullable<ReturnType<typeof combinedBar>>

/**
 * Returns the bar of some venues for one bucket; one bar is returned as it is. Bars without trades do not count beside
 * others. The venues whose close agrees with the majority are kept, as for prices. Each figure is the central mean of
 * theirs by the weights of prices, without outliers among them. Where two venues disagree about the high or the low, the
 * less extreme one counts, so that the wick of one venue is never the market's.
 */
export function combinedBar(venues: readonly VenueBars[], start: Ms) {
  const traded = venues.filter((own) => own.at('volume_base', start) !== 0)
  const heard = traded.length > 0 ? traded : venues
  const closes = consensusOf(heard.map((own) => own.at('close_usd', start)))
  const kept = heard.filter((own) => within(closes, own.at('close_usd', start)))
  if (kept.length === 0) return null
  const weights = venueWeights(kept.map((own) => own.at('close_usd', start) * (own.at('volume_base', start) || 0)))
  const figure = (name: Figure, split: Split | null) =>
    meanOf(
      kept.map((own) => own.at(name, start)),
      weights,
      split,
    )
  const [open, close] = [figure('open_usd', null), figure('close_usd', null)]
  return {
    open_usd: open,
    high_usd: Math.max(figure('high_usd', Math.min), open, close),
    low_usd: Math.min(figure('low_usd', Math.max), open, close),
    close_usd: close,
    volume_base: kept.reduce((total, own) => total + own.at('volume_base', start), 0),
    volume_usd: kept.reduce((total, own) => total + own.at('volume_usd', start), 0),
    venues: kept.length,
  }
}

type Figure = 'open_usd' | 'high_usd' | 'low_usd' | 'close_usd'
type Split = (...values: readonly number[]) => number

/** Returns the mean of figures: of those within the majority, or without one what `split` makes of all. One is returned as it is. */
function meanOf(values: readonly number[], weights: readonly number[], split: Split | null): number {
  const [only = Number.NaN] = values
  if (values.length === 1) return only
  const consensus = consensusOf(values)
  if (!consensus.majority && split) return split(...values)
  const weighted = values.map((value, index) => ({ value, weight: weights[index] ?? 0 }))
  return centralMean(weighted.filter(({ value }) => within(consensus, value)))
}
