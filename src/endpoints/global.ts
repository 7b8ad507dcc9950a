import { GlobalMembers } from '../contract/global.ts'
import { roundPercent } from '../contract/numbers.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { capChangeOf, isCounted, totalsOf } from '../feed/totals.ts'
import { endpoint } from './endpoint.ts'

const LARGEST = 10
const TYPES = ['coin', 'token', null] as const

/** Returns the totals of the whole market. */
export function globalOf({ listed, venues, coverage }: Pick<Snapshot, 'listed' | 'venues' | 'coverage'>) {
  const counted = listed.map(({ asset }) => asset).filter(isCounted)
  const totals = totalsOf(counted)
  const cap = totals.market_cap_usd ?? 0
  return {
    listings: listed.length,
    priced: coverage.priced,
    ranked: counted.length,
    venues: [...venues.values()].filter(({ markets }) => markets.length > 0).length,
    ...totals,
    percent_change_24h: capChangeOf(counted),
    dominance: counted
      .slice(0, LARGEST)
      .flatMap(({ slug, symbol, market_cap_usd }) =>
        market_cap_usd === null || cap === 0
          ? []
          : [{ slug, symbol, percent: roundPercent((market_cap_usd / cap) * 100) }],
      ),
    by_type: TYPES.map((type) => {
      const own = counted.filter(({ asset_type }) => asset_type === type)
      return { asset_type: type, ranked: own.length, ...totalsOf(own) }
    }),
  }
}

export const global = endpoint({
  name: 'global',
  group: 'Lists',
  path: '/global',
  description: 'The whole market: market cap, volume, change, dominance and counts, over ranked, unflagged listings.',
  example: '/global',
  parameters: {},
  members: GlobalMembers,
  body: (world) => ({ global: globalOf(world) }),
})
