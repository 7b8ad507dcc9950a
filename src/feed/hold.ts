import { byKey, groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { Hearing } from './freshness.ts'
import type { Identity } from './identify.ts'
import type { HeldMatch } from './match.ts'

export type Hold = Omit<QuarantineRow, 'slug' | 'since' | 'releases_at'>

interface HoldTerms {
  /** How long the figure must be offered to be published without a witness; null, by default: however long. */
  readonly hours?: number | null
  /** Whether a value that was held back is the one that is offered now; given the one published meanwhile too. */
  readonly isSame?: (offered: QuarantineRow['offered_value'], held: QuarantineRow['held_value']) => boolean
}

/**
 * Returns the row of a figure that is held back, with the time since which it is, from the rows of the last publication of
 * the listing; null when it was offered for long enough.
 */
export function heldRow<Held extends Hold>(
  { slug, before }: Pick<Identity, 'slug' | 'before'>,
  hold: Held,
  now: number,
  { hours = null, isSame = (offered) => offered === hold.offered_value }: HoldTerms = {},
): (QuarantineRow & Pick<Held, 'field'>) | null {
  const same = before?.asset.held.find(
    ({ field, offered_value, held_value }) => field === hold.field && isSame(offered_value, held_value),
  )
  const since = same?.since ?? isoOf(now)
  const releases = hours === null ? null : Date.parse(since) + hours * HOUR_MS
  if (releases !== null && now >= releases) return null
  const offered_value = same ? same.offered_value : hold.offered_value
  return { ...hold, slug, offered_value, since, releases_at: releases === null ? null : isoOf(releases) }
}

/** The rows of what sources say under an id of the asset and that describes another. */
export const disputedIdentity = (identity: Identity, now: number): QuarantineRow[] =>
  identity.withheld.flatMap(({ source, sighting }) => {
    const { asset } = identity.before ?? {}
    const hold: Hold = {
      field: 'identity',
      held_value: asset ? `${asset.name} (${asset.symbol})` : null,
      offered_value: `${sighting.name} (${sighting.symbol.toUpperCase()})`,
      rule: 'identity_disputed',
      source_ids: [source.id],
      reason: `${source.label} describes another asset under this id: neither symbol nor name nor price agree.`,
      release: 'A second source that says the same, or a row with the symbol, the name or the price of this asset.',
    }
    return heldRow(identity, hold, now) ?? []
  })

/** The rows of an asset's markets that are held back, one for each symbol. A venue that gave no answer stays in the row. */
export function disputedMatches(
  identity: Identity,
  held: readonly HeldMatch[],
  { now, isSilent }: Pick<Hearing, 'now' | 'isSilent'>,
): QuarantineRow[] {
  const silent = (identity.before?.asset.held ?? []).flatMap(({ field, offered_value, source_ids }) =>
    field === 'matches' && typeof offered_value === 'string'
      ? source_ids.flatMap((venue) => (isSilent(venue) ? [{ venue, symbol: offered_value }] : []))
      : [],
  )
  return [...groupBy([...held, ...silent], ({ symbol }) => symbol)].toSorted(byKey).flatMap(([symbol, rows]) => {
    const hold: Hold = {
      field: 'matches',
      held_value: null,
      offered_value: symbol,
      rule: 'match_disputed',
      source_ids: [...new Set(rows.map(({ venue }) => venue))].toSorted(),
      reason: `It is open which asset these venues trade as ${symbol}: their price is not that of this one.`,
      release: 'A price that agrees with the aggregators about one asset of the symbol, or the venue’s own list.',
    }
    return heldRow(identity, hold, now) ?? []
  })
}
