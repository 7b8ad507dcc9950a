import { extent } from 'd3-array'
import type { Asset, WeekBasis } from '../contract/asset.ts'
import { recomputeWeek } from '../feed/change.ts'
import { timestampOf, windowOf } from './grid.ts'
import type { ListingPast, PastClock } from './past.ts'

type Clock = Pick<PastClock, 'grid' | 'latest'>

/**
 * Returns an asset whose figures agree with its published history: the 7-day change is measured from the price with which the
 * history of 7 days begins, and the range of 24 hours and the all-time high, where a source reports them, hold that of a day.
 */
export function agreeingWith(past: ListingPast, clock: Clock, asset: Asset): Asset {
  const figures = Object.assign({}, weekFrom(past, clock, asset), rangeOfDay(past, clock, asset))
  const replaced = new Set(Object.keys(figures))
  if (replaced.size === 0) return asset
  const told = Object.entries(asset.told_by).map(
    ([source, names]) => [source, names.filter((name) => !replaced.has(name))] as const,
  )
  const carried = Object.entries(asset.carried ?? {}).filter(([name]) => !replaced.has(name))
  return {
    ...asset,
    ...figures,
    told_by: Object.fromEntries(told.filter(([, names]) => names.length > 0)),
    carried: carried.length === 0 ? null : Object.fromEntries(carried),
  }
}

function weekFrom({ points }: ListingPast, { latest }: Clock, { price_usd, price_basis }: Asset): Partial<Asset> {
  const { from } = windowOf(7, '1h', latest)
  const then = points.get('1h')?.value('price_usd', from) ?? null
  if (then === null || price_usd === null || price_basis.method === 'carried') return {}
  const week_basis: WeekBasis = { method: 'history', since: timestampOf(from), price_usd: then }
  return { percent_change_7d: recomputeWeek(week_basis, price_usd), week_basis }
}

function rangeOfDay({ points }: ListingPast, { grid, latest }: Clock, asset: Asset): Partial<Asset> {
  const { from, to } = windowOf(1, grid[1], latest)
  const [least, most] = extent(points.get(grid[1])?.values('price_usd', from, to) ?? [])
  if (least === undefined) return {}
  const { high_24h_usd: high, low_24h_usd: low, ath_usd: ath } = asset
  return {
    ...(high !== null && high < most && { high_24h_usd: most }),
    ...(low !== null && low > least && { low_24h_usd: least }),
    ...(ath !== null && ath < most && { ath_usd: most, ath_date: null }),
  }
}
