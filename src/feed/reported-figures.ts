import { byKey } from '../contract/order.ts'
import type { Asset } from '../contract/asset.ts'
import type { Sighting } from '../sources/source.ts'
import { heardAtOf } from './carry.ts'
import type { Identity } from './identify.ts'
import { type Aged, type Hearing, STALENESS, carried } from './freshness.ts'
import type { PublishedPrice } from './price.ts'

/** A number that aggregators report for an asset. */
type Figure = keyof Sighting & keyof Asset

/** Figures that change seldom, which may be carried for longer. */
const FACTS = new Set<Figure>(['circulating_supply', 'total_supply', 'max_supply', 'ath_usd'])

/** Whether a source's figures of an asset are used. */
type IsCredible = (sighting: Sighting) => boolean

/** The figures that sources report for one asset, and those carried from an earlier run while their source is silent. */
export type ReportedFigures = ReturnType<typeof reportedFigures>

/** Returns the figures of an asset. */
export function reportedFigures(
  identity: Identity,
  { hearing, priced }: { readonly hearing: Hearing; readonly priced: PublishedPrice },
) {
  const { before, sighted } = identity
  const old = before?.asset ?? null
  const keptSince = new Map<string, string>()
  if (priced.basis.method === 'carried' && old?.last_updated != null) keptSince.set('price_usd', old.last_updated)
  const reporters = new Map<string, string>()

  const lastOf = lastFigures(identity, hearing)
  const noted = (name: Figure, kept: Aged<number> | null): number | null => {
    if (kept === null) return null
    keptSince.set(name, kept.seenAt)
    if (kept.source !== null) reporters.set(name, kept.source)
    return kept.value
  }
  /** Returns the published value, and notes it as carried, if it may be: see {@link carried}. */
  const keepIfSilent = (name: Figure): number | null => {
    const last = lastOf(name)
    // Where several sources made a figure, any that lists the asset could report it again.
    if (last?.source === null && sighted.length > 0) return null
    return noted(name, carried(last, hearing, FACTS.has(name) ? STALENESS.fact_hours : STALENESS.carry_hours))
  }
  /** Returns the value of the first source that reports it in this run, rounded. */
  const reported = (name: Figure, round: (value: number) => number, isCredible?: IsCredible): number | null => {
    for (const { source, sighting } of sighted) {
      const value = numberOf(sighting[name])
      if (value === null || isCredible?.(sighting) === false) continue
      reporters.set(name, source.id)
      return round(value)
    }
    return null
  }
  return {
    reported,
    keepIfSilent,
    /** Returns the reported value, or the kept one if no source reports it. */
    pick: (name: Figure, round: (value: number) => number, isCredible?: IsCredible): number | null =>
      reported(name, round, isCredible) ?? keepIfSilent(name),
    /** Notes that a figure is published as our own price, or not at all, instead of as it was picked. */
    replace: (name: Figure, by: 'price' | null): void => {
      reporters.delete(name)
      keptSince.delete(name)
      const pricedSince = by === null ? undefined : keptSince.get('price_usd')
      if (pricedSince !== undefined) keptSince.set(name, pricedSince)
    },
    /** Returns the published value, and notes it as carried. */
    keep: (name: Figure): number | null => noted(name, lastOf(name)),
    /** Returns a value, and notes that a source, or the registry, reports it. */
    reportedBySource: (name: Figure, source: string, value: number): number => {
      reporters.set(name, source)
      return value
    },
    /** Returns the figures that are published as a source reports them in this run, or last reported them, by `source_id`. */
    reportedBy: (): Asset['told_by'] => {
      const figures: Record<string, string[]> = {}
      for (const source of [...new Set(reporters.values())].toSorted()) figures[source] = []
      for (const name of [...reporters.keys()].toSorted()) figures[reporters.get(name) ?? '']?.push(name)
      return figures
    },
    carries: (name: Figure): boolean => keptSince.has(name),
    /** Returns the carried figures with the time they were last reported, by name; null if there are none. */
    carried: (): Asset['carried'] => {
      const names = [...keptSince].toSorted(byKey)
      return names.length === 0 ? null : Object.fromEntries(names)
    },
  }
}

/** Returns a function that reads a published figure, with the source that reported it and the time it last did. */
export function lastFigures(identity: Identity, hearing: Hearing) {
  const old = identity.before?.asset
  const heardAt = heardAtOf(identity, hearing)
  const reporters = new Map(
    Object.entries(old?.told_by ?? {}).flatMap(([source, names]) => names.map((name) => [name, source] as const)),
  )
  return (name: Figure): Aged<number> | null => {
    const value = numberOf(old?.[name])
    const source = reporters.get(name) ?? null
    const seenAt = old?.carried?.[name] ?? (source === null ? null : hearing.lastHeard(source)) ?? heardAt
    return value === null || seenAt === null ? null : { value, seenAt, source }
  }
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
