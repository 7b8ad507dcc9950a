import { groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { Hearing } from './freshness.ts'
import type { Identity } from './identify.ts'
import type { Listing } from './listing.ts'
import type { HeldMatch } from './match.ts'

/** A figure that a rule holds back in this run. */
export type Hold = Omit<QuarantineRow, 'since' | 'releases_at'>

/**
 * Returns the row of a figure that is held back, with the time since which it is; null when it was offered for long enough.
 *
 * @param before the last publication of the listing, whose rows have the time since which a figure is held back
 * @param hours how long the figure must be offered to be published without a witness; null: however long
 * @param isSame whether a value that was held back is the one that is offered now; given the one published meanwhile too
 */
export function heldRow(
  hold: Hold,
  before: Listing | null,
  {
    now,
    hours,
    isSame,
  }: {
    readonly now: number
    readonly hours: number | null
    readonly isSame: (offered: QuarantineRow['offered_value'], held: QuarantineRow['held_value']) => boolean
  },
): QuarantineRow | null {
  const same = before?.asset.held.find(
    ({ field, offered_value, held_value }) => field === hold.field && isSame(offered_value, held_value),
  )
  const since = same?.since ?? isoOf(now)
  const releases = hours === null ? null : Date.parse(since) + hours * HOUR_MS
  if (releases !== null && now >= releases) return null
  const { slug, field, held_value, rule, source_ids, reason, release } = hold
  const offered_value = same ? same.offered_value : hold.offered_value
  const releases_at = releases === null ? null : isoOf(releases)
  return { slug, field, held_value, offered_value, rule, source_ids, reason, since, releases_at, release }
}

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
