import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Hearing } from './freshness.ts'
import { groupBy } from './group-by.ts'
import { heldRow } from './hold.ts'
import type { Identity } from './identify.ts'
import type { HeldMatch } from './match.ts'

/** The rows of what sources say under an id of the asset and that describes another. */
export const disputedIdentity = ({ slug, before, withheld }: Identity, now: number): QuarantineRow[] =>
  withheld.flatMap(({ source, sighting }) => {
    const described = `${sighting.name} (${sighting.symbol.toUpperCase()})`
    const row = heldRow(
      {
        slug,
        field: 'identity',
        held_value: before === null ? null : `${before.asset.name} (${before.asset.symbol})`,
        offered_value: described,
        rule: 'identity_disputed',
        source_ids: [source.id],
        reason: `${source.label} describes another asset under this id: neither symbol nor name nor price agree.`,
        release: 'A second source that says the same, or a row with the symbol, the name or the price of this asset.',
      },
      before,
      { now, hours: null, isSame: (offered) => offered === described },
    )
    return row ?? []
  })

/** The rows of an asset's markets that are held back, one for each symbol. A venue that gave no answer stays in the row. */
export function disputedMatches(
  { slug, before }: Identity,
  held: readonly HeldMatch[],
  { now, isSilent }: Pick<Hearing, 'now' | 'isSilent'>,
): QuarantineRow[] {
  const silent = (before?.asset.held ?? []).flatMap(({ field, offered_value, source_ids }) =>
    field === 'matches' && typeof offered_value === 'string'
      ? source_ids.flatMap((venue) => (isSilent(venue) ? [{ venue, symbol: offered_value }] : []))
      : [],
  )
  const bySymbol = groupBy([...held, ...silent], ({ symbol }) => symbol)
  return [...bySymbol.keys()].toSorted().flatMap((symbol) => {
    const venues = new Set((bySymbol.get(symbol) ?? []).map(({ venue }) => venue))
    const row = heldRow(
      {
        slug,
        field: 'matches',
        held_value: null,
        offered_value: symbol,
        rule: 'match_disputed',
        source_ids: [...venues].toSorted(),
        reason: `It is open which asset these venues trade as ${symbol}: their price is not that of this one.`,
        release: 'A price that agrees with the aggregators about one asset of the symbol, or the venue’s own list.',
      },
      before,
      { now, hours: null, isSame: (offered) => offered === symbol },
    )
    return row ?? []
  })
}
