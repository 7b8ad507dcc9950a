import type { ReferenceRate } from '../contract/collector.ts'
import { roundShare } from '../contract/numbers.ts'
import { REFERENCE, type Rates, nearReference, recomputeRate, valueOf } from '../feed/rates.ts'
import { venueWeights } from '../feed/weights.ts'
import type { Comparison } from './deviation.ts'
import { API_FOLDER } from '../contract/prefix.ts'

/** Compares each reference rate and its weights with its published inputs. A carried rate has none. */
export function compareRates(rates: Rates, comparison: Comparison): void {
  for (const [index, rate] of [...rates.values()].entries()) {
    const same = (member: string, published: unknown, recomputed: unknown, rule: string) =>
      comparison.same(
        { document: `${API_FOLDER}/collector.json`, member: `referenceRates[${index}].${member}` },
        { published, recomputed, rule: `${rate.symbol}: ${rule}` },
      )
    if (rate.method === 'definition') same('price_usd', rate.price_usd, 1, 'one US dollar')
    if (rate.method === 'definition' || rate.method === 'carried') continue
    same('price_usd', rate.price_usd, recomputeRate(rate, rates), 'the mean of the middle fifth of the inputs')
    const venues = rate.inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0)
    same('quotes', rate.quotes, venues.length, 'venues among the inputs with a weight')
    compareCrossCheck(rate, rates, same)
    const weights = rate.inputs.map(({ weight }) => weight)
    same('inputs', weights, weightsOf(rate), 'weights by credible volume, or equal ones below the quorum')
  }
}

/** Compares a rate with that of the central bank that it was checked against. */
function compareCrossCheck(
  { symbol, method, as_of, inputs, cross_check: bank }: ReferenceRate,
  rates: Rates,
  same: (member: string, published: unknown, recomputed: unknown, rule: string) => void,
): void {
  if (method === 'reference') same('as_of', as_of, bank?.as_of, 'the day of the rate of the central bank')
  const [lone, ...others] = inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0)
  if (!bank || !lone || others.length > 0) return
  const isNear = nearReference(valueOf(lone, symbol, rates) ?? Number.NaN, bank)
  same('cross_check', isNear, true, 'a lone venue lies within the tolerance of the central bank')
}

function weightsOf({ inputs }: ReferenceRate): number[] {
  const heard = inputs.filter(({ weight }) => weight > 0)
  const volumes = heard.flatMap(({ volume_24h_usd }) => volume_24h_usd ?? [])
  const isQuorum = volumes.length === heard.length && volumes.length >= REFERENCE.quorum
  const weights = isQuorum ? venueWeights(volumes) : heard.map(() => 1 / heard.length)
  return inputs.map((input) => roundShare(input.weight > 0 ? (weights[heard.indexOf(input)] ?? 0) : 0))
}
