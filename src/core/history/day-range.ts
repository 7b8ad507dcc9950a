import type { Asset } from '../contract/asset.ts'
import type { ListingPast, PastClock } from './past.ts'
import { windowOf } from './grid.ts'

/** Returns the lowest and the highest published price of the last day, in US dollars; null without one. */
export function dayRange({ points }: ListingPast, { grid, latest }: Pick<PastClock, 'grid' | 'latest'>) {
  const { from, to } = windowOf(1, grid[1], latest)
  const prices = points.get(grid[1])?.values('price_usd', from, to) ?? []
  const known = prices.filter((price) => !Number.isNaN(price))
  return known.length === 0 ? null : { low: Math.min(...known), high: Math.max(...known) }
}

const RANGE = ['high_24h_usd', 'low_24h_usd', 'ath_usd'] as const

/** Returns an asset whose range of 24 hours and all-time high, where a source reports them, hold the history of the day. */
export function holdingDay(asset: Asset, range: ReturnType<typeof dayRange>): Asset {
  const { high_24h_usd: high, low_24h_usd: low, ath_usd: ath } = asset
  if (range === null) return asset
  const held = {
    high_24h_usd: high && Math.max(high, range.high),
    low_24h_usd: low && Math.min(low, range.low),
    ath_usd: ath && Math.max(ath, range.high),
  }
  const wider = new Set<string>(RANGE.filter((name) => held[name] !== asset[name]))
  if (wider.size === 0) return asset
  const told = Object.entries(asset.told_by).map(
    ([source, names]) => [source, names.filter((name) => !wider.has(name))] as const,
  )
  const carried = Object.entries(asset.carried ?? {}).filter(([name]) => !wider.has(name))
  return {
    ...asset,
    ...held,
    ath_date: wider.has('ath_usd') ? null : asset.ath_date,
    told_by: Object.fromEntries(told.filter(([, names]) => names.length > 0)),
    carried: carried.length === 0 ? null : Object.fromEntries(carried),
  }
}
