import { type Days, gridOf } from '../../src/contract/history.ts'
import { type Extension, type Observed, extend, withLastSeen } from '../../src/history/extend.ts'
import type { Series } from '../../src/history/series.ts'

/** The series of one asset as they stand in the tree. */
export type Published = ReadonlyMap<Days, Series>

export const OWN = 'Test index'
export const SLUG = 'bitcoin'
/** Of runs every half hour. */
export const GRID = gridOf(30 * 60_000)
export const nothing: Published = new Map()

export const seen = (at: number, price_usd: number): Observed => ({ at, price_usd, volume_24h_usd: null })

/** One run over what is published: what it changed, what stands then, and which ranges it had to read. */
export function watch(published: Published, more: Partial<Extension> & { readonly now: number }) {
  const asked: Days[] = []
  const read = (days: Days): Series | null => {
    asked.push(days)
    return published.get(days) ?? null
  }
  const changed = extend({ slug: SLUG, label: OWN, observations: [], grid: GRID, read, ...more })
  return { asked, changed, published: new Map([...published, ...changed]) }
}

/** The series with the value that their last bucket has when it closes: that of the finest series. */
export function asSeen(published: Published): Published {
  const finest = published.get(1)
  return new Map(
    [...published].map(([days, series]) => [days, finest && days >= 30 ? withLastSeen(series, finest) : series]),
  )
}

/** What stands after a run that sees these prices at its own time. */
export const run = (published: Published, now: number, ...prices: readonly number[]): Published =>
  watch(published, { now, observations: prices.map((price) => seen(now, price)) }).published

export const prices = (published: Published, days: Days): readonly (readonly [string, number])[] =>
  (published.get(days)?.rows ?? []).map(({ timestamp, price_usd }) => [timestamp, price_usd])
