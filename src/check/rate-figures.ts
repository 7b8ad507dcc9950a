import type { ReferenceRate } from '../core/contract/collector.ts'
import { roundShare } from '../core/contract/numbers.ts'
import { LIMITS } from '../core/feed/methodology.ts'
import { type Rates, nearReference, recomputeRate, valueOf } from '../core/feed/rates.ts'
import { venueWeights } from '../core/feed/weights.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import type { Comparison } from './deviation.ts'

/**
 * Compares each reference rate and its weights with its published inputs. A carried rate has none.
 *
 * @param sources ids of the sources of the feed
 */
export function compareRates(rates: Rates, sources: ReadonlySet<string>, comparison: Comparison): void {
  for (const [index, rate] of [...rates.values()].entries()) {
    const { symbol, method, inputs, cross_check: bank } = rate
    const compare = comparison.membersOf(LAYOUT.collector, rate, `referenceRates[${index}]`)
    const ofFeed = inputs.filter(
      ({ source_id }) => sources.has(source_id) || ['previous', 'parity'].includes(source_id),
    )
    compare({ inputs: ofFeed }, `${symbol}: every input is of a source of the feed`)
    if (method === 'definition') compare({ price_usd: 1 }, `${symbol}: one US dollar`)
    if (method === 'definition' || method === 'carried') continue
    compare({ price_usd: recomputeRate(rate, rates) }, `${symbol}: the mean of the middle fifth of the inputs`)
    const venues = inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0)
    compare({ quotes: venues.length }, `${symbol}: venues among the inputs with a weight`)
    compare({ inputs: weighted(rate) }, `${symbol}: weights by credible volume, or equal ones below the quorum`)
    if (method === 'reference') compare({ as_of: bank?.as_of }, `${symbol}: the day of the rate of the central bank`)
    const [lone, ...others] = venues
    if (bank && lone && others.length === 0 && !nearReference(valueOf(lone, symbol, rates) ?? Number.NaN, bank))
      compare({ cross_check: null }, `${symbol}: a lone venue lies within the tolerance of the central bank`)
  }
}

function weighted({ inputs }: ReferenceRate): ReferenceRate['inputs'] {
  const heard = inputs.filter(({ weight }) => weight > 0)
  const volumes = heard.flatMap(({ volume_24h_usd }) => volume_24h_usd ?? [])
  const isQuorum = volumes.length === heard.length && volumes.length >= LIMITS.quorum
  const weights = isQuorum ? venueWeights(volumes) : heard.map(() => 1 / heard.length)
  const weightOf = new Map(heard.map((input, place) => [input, weights[place] ?? 0]))
  return inputs.map((input) => ({ ...input, weight: roundShare(weightOf.get(input) ?? 0) }))
}
