import type { Asset } from '../contract/asset.ts'
import type { Sighting } from '../sources/source.ts'
import type { Identity } from './identify.ts'
import { STALENESS } from './market-rows.ts'
import type { PublishedPrice } from './price.ts'
import { hoursSince } from './time.ts'

/** A number that aggregators tell of an asset. */
type Figure = keyof Sighting & keyof Asset

/** What changes so seldom that it may be carried for longer. */
const FACTS = new Set<Figure>(['circulating_supply', 'total_supply', 'max_supply', 'ath_usd'])

/** The figures that the sources tell of one asset, and those that stand from an earlier run while they are silent. */
export interface ToldFigures {
  /** What the first source that knows tells in this run, rounded. */
  told(name: Figure, round: (value: number) => number): number | null
  /** What was known before, where no source names the asset in this run and it is young enough. Noted as carried. */
  keepIfSilent(name: Figure): number | null
  /** The one or the other. */
  pick(name: Figure, round: (value: number) => number): number | null
  carries(name: Figure): boolean
  /** Notes a figure that the reviewed registry tells. */
  reviewed(name: Figure, value: number | null): number | null
  /** The figures that stand as a source tells them in this run, by `source_id`. */
  toldBy(): Asset['told_by']
  /** What was carried and when it was true, by name; null where there is nothing. */
  carried(): Asset['carried']
}

/** Opens the figures of an asset. `heardAt` is when a source last told of it, as published. */
export function toldFigures(
  { before, sighted }: Identity,
  { heardAt, priced }: { readonly heardAt: string | null; readonly priced: PublishedPrice },
  now: number,
): ToldFigures {
  const old = before?.asset ?? null
  const isHeard = sighted.length > 0
  const carried = new Map<string, string>()
  if (priced.basis.method === 'carried' && old?.last_updated != null) carried.set('price_usd', old.last_updated)

  const keep = (name: Figure): number | null => {
    const [value, at] = [numberOf(old?.[name]), old?.carried?.[name] ?? heardAt]
    const hours = FACTS.has(name) ? STALENESS.fact_hours : STALENESS.carry_hours
    if (value === null || at === null || hoursSince(at, now) > hours) return null
    carried.set(name, at)
    return value
  }
  const tellers = new Map<Figure, string>()
  const told = (name: Figure, round: (value: number) => number): number | null => {
    for (const { source, sighting } of sighted) {
      const value = numberOf(sighting[name])
      if (value === null) continue
      tellers.set(name, source.id)
      return round(value)
    }
    return null
  }
  const keepIfSilent = (name: Figure): number | null => (isHeard ? null : keep(name))
  return {
    told,
    keepIfSilent,
    pick: (name, round) => (isHeard ? told(name, round) : keep(name)),
    reviewed: (name, value) => {
      if (value !== null) tellers.set(name, 'registry')
      return value
    },
    toldBy: () => {
      const figures: Record<string, string[]> = {}
      for (const source of [...new Set(tellers.values())].toSorted()) figures[source] = []
      for (const name of [...tellers.keys()].toSorted()) figures[tellers.get(name) ?? '']?.push(name)
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
