import type { Asset } from '../contract/asset.ts'
import { slugOf } from '../contract/names.ts'
import { roundPercent } from '../contract/numbers.ts'
import { PEG, type PegRow } from '../contract/pegs.ts'
import { isFiat } from '../registry/known-assets.ts'
import type { Snapshot } from './snapshot.ts'
import { isWithin } from './statistics.ts'

const STABLE = /(?:^|-)stablecoins?$/
/** Their price grows by design. */
const GROWING = /^yield-bearing-/

/**
 * Returns the stablecoins of the feed, largest first. The currency of one is that of its tag ("EUR Stablecoin"), else one
 * whose code is in its symbol, else the dollar. A new one far from that is left out, since its currency is not known.
 */
export function pegsAfter(before: ReadonlyMap<string, PegRow>, { listed, rates, at }: Snapshot): PegRow[] {
  const values = new Map(rates.filter(({ symbol }) => isFiat(symbol)).map((rate) => [rate.symbol, rate.price_usd]))
  return listed.flatMap(({ asset }) => {
    const own = before.get(asset.slug)
    const currency = currencyOf(asset, [...values.keys()], own)
    if (currency === null) return []
    const { slug, symbol, name, price_usd, price_confidence, price_basis } = asset
    const rate_usd = values.get(currency) ?? null
    const isKnown = price_usd !== null && rate_usd !== null && price_basis.method !== 'carried'
    if (!own && !(isKnown && isWithin(PEG.plausible_percent, price_usd, rate_usd))) return []
    const deviation_percent = isKnown ? roundPercent((price_usd / rate_usd - 1) * 100) : null
    const since = own?.beyond_since ?? null
    const limit = since === null ? PEG.beyond_percent : PEG.back_percent
    const beyond_since = deviation_percent === null ? since : Math.abs(deviation_percent) > limit ? (since ?? at) : null
    return [{ slug, symbol, name, price_usd, price_confidence, currency, rate_usd, deviation_percent, beyond_since }]
  })
}

function currencyOf({ tags, symbol }: Asset, currencies: readonly string[], before?: PegRow): string | null {
  const own = tags.map(slugOf).filter((tag) => STABLE.test(tag))
  if (own.length === 0 || own.some((tag) => GROWING.test(tag))) return null
  const tagged = currencies.find((code) => own.some((tag) => tag.startsWith(`${code.toLowerCase()}-`)))
  return tagged ?? before?.currency ?? currencies.find((code) => symbol.toUpperCase().includes(code)) ?? 'USD'
}
