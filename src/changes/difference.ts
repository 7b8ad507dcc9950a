import { compare } from '../contract/order.ts'
import type { ChangeEvent } from '../contract/changes.ts'
import { median } from '../feed/statistics.ts'
import { eventsBetween } from './events.ts'
import type { TreeReader } from '../tree/reader.ts'
import { treeFacts } from './tree-facts.ts'

/** Distribution of the price moves between two trees. */
export interface Ticks {
  readonly compared: number
  readonly moved: number
  /** Median of the absolute moves, in percent; null if nothing moved. */
  readonly median_percent: number | null
  readonly largest: { readonly slug: string; readonly percent: number } | null
  /** Listings that lost their price, and listings that gained one. */
  readonly lost: readonly string[]
  readonly gained: readonly string[]
}

/** Severity of a change for users of the data, in terms of semantic versioning. */
type Verdict = 'major' | 'minor' | 'patch' | 'none'

/** Difference between two trees. */
export interface Difference {
  readonly verdict: Verdict
  /** The labels of the two trees if they hold different kinds of data, such as a sample and live data. */
  readonly different_data: readonly [string, string] | null
  readonly events: readonly Omit<ChangeEvent, 'at'>[]
  readonly ticks: Ticks
}

/** Compares two trees. @throws ChangesError if one of them is not a published tree */
export async function differenceOf(
  before: { readonly name: string; readonly read: TreeReader },
  after: { readonly name: string; readonly read: TreeReader },
): Promise<Difference> {
  const old = await treeFacts(before.read, before.name)
  const now = await treeFacts(after.read, after.name, old.listings.keys())
  const events = eventsBetween(old, now)
  const isOther = old.label !== null && now.label !== null && old.label !== now.label
  return {
    verdict: verdictOf(events),
    different_data: isOther ? [old.label, now.label] : null,
    events,
    ticks: ticksBetween(old.prices, now.prices),
  }
}

const MAJOR = new Set<ChangeEvent['kind']>(['delisted', 'renamed'])

/** Returns the severity: major if a listing is gone, minor if one is new, patch for other facts, none for numbers only. */
export function verdictOf(events: readonly Pick<ChangeEvent, 'kind'>[]): Verdict {
  if (events.some(({ kind }) => MAJOR.has(kind))) return 'major'
  if (events.some(({ kind }) => kind === 'listed')) return 'minor'
  return events.length > 0 ? 'patch' : 'none'
}

type Prices = ReadonlyMap<string, number | null>

export function ticksBetween(before: Prices, after: Prices): Ticks {
  const both = [...after].flatMap(([slug, now]) => {
    const old = before.get(slug)
    return old === undefined ? [] : [{ slug, old, now }]
  })
  const moves = both.flatMap(({ slug, old, now }) =>
    old === null || now === null || old === now ? [] : [{ slug, percent: round((now / old - 1) * 100) }],
  )
  const strongest = moves.toSorted((a, b) => Math.abs(b.percent) - Math.abs(a.percent) || compare(a.slug, b.slug))
  return {
    compared: both.length,
    moved: moves.length,
    median_percent: moves.length === 0 ? null : round(median(moves.map(({ percent }) => Math.abs(percent)))),
    largest: strongest[0] ?? null,
    lost: both.flatMap(({ slug, old, now }) => (old !== null && now === null ? [slug] : [])),
    gained: both.flatMap(({ slug, old, now }) => (old === null && now !== null ? [slug] : [])),
  }
}

const round = (percent: number): number => Math.round(percent * 100) / 100
