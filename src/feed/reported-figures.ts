import type { Asset } from '../contract/asset.ts'
import type { Sighting } from '../sources/source.ts'
import type { Identity } from './identify.ts'
import { STALENESS } from './market-rows.ts'
import type { PublishedPrice } from './price.ts'
import { hoursSince } from './time.ts'

/** A number that aggregators report for an asset. */
type Figure = keyof Sighting & keyof Asset

/** Figures that change seldom, which may be carried for longer. */
const FACTS = new Set<Figure>(['circulating_supply', 'total_supply', 'max_supply', 'ath_usd'])

/** The figures that sources report for one asset, and those kept from an earlier run while no source reports any. */
export interface ReportedFigures {
  /** Returns the value of the first source that reports it in this run, rounded. */
  reported(name: Figure, round: (value: number) => number): number | null
  /** Returns the published value, and notes it as carried, if no source lists the asset in this run and it is recent enough. */
  keepIfSilent(name: Figure): number | null
  /** Returns the reported value, or the kept one if no source lists the asset. */
  pick(name: Figure, round: (value: number) => number): number | null
  carries(name: Figure): boolean
  /** Returns a figure of the reviewed registry, and notes its origin. */
  reviewed(name: Figure, value: number | null): number | null
  /** Returns the figures that are published as a source reports them in this run, by `source_id`. */
  reportedBy(): Asset['told_by']
  /** Returns the carried figures with the time they were last reported, by name; null if there are none. */
  carried(): Asset['carried']
}

/** Returns the figures of an asset. `lastSightedAt` is the published time at which a source last listed it. */
export function reportedFigures(
  { before, sighted }: Identity,
  { lastSightedAt, priced }: { readonly lastSightedAt: string | null; readonly priced: PublishedPrice },
  now: number,
): ReportedFigures {
  const old = before?.asset ?? null
  const isSighted = sighted.length > 0
  const carried = new Map<string, string>()
  if (priced.basis.method === 'carried' && old?.last_updated != null) carried.set('price_usd', old.last_updated)

  const keep = (name: Figure): number | null => {
    const [value, at] = [numberOf(old?.[name]), old?.carried?.[name] ?? lastSightedAt]
    const hours = FACTS.has(name) ? STALENESS.fact_hours : STALENESS.carry_hours
    if (value === null || at === null || hoursSince(at, now) > hours) return null
    carried.set(name, at)
    return value
  }
  const reporters = new Map<Figure, string>()
  const reported = (name: Figure, round: (value: number) => number): number | null => {
    for (const { source, sighting } of sighted) {
      const value = numberOf(sighting[name])
      if (value === null) continue
      reporters.set(name, source.id)
      return round(value)
    }
    return null
  }
  const keepIfSilent = (name: Figure): number | null => (isSighted ? null : keep(name))
  return {
    reported,
    keepIfSilent,
    pick: (name, round) => (isSighted ? reported(name, round) : keep(name)),
    reviewed: (name, value) => {
      if (value !== null) reporters.set(name, 'registry')
      return value
    },
    reportedBy: () => {
      const figures: Record<string, string[]> = {}
      for (const source of [...new Set(reporters.values())].toSorted()) figures[source] = []
      for (const name of [...reporters.keys()].toSorted()) figures[reporters.get(name) ?? '']?.push(name)
      return figures
    },
    carries: (name) => carried.has(name),
    carried: () => {
      const names = [...carried].toSorted(([a], [b]) => (a < b ? -1 : 1))
      return names.length === 0 ? null : Object.fromEntries(names)
    },
  }
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
