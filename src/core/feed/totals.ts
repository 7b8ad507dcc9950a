import { fsum } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { compare, groupBy } from '../contract/order.ts'
import { slugOf } from '../contract/names.ts'

export const isCounted = ({ market_cap_rank, market_cap_usd, verification_status, market_flag }: Asset): boolean =>
  market_cap_rank !== null && market_cap_usd !== null && verification_status !== 'flagged' && market_flag === null

/** Every partial sum is kept, so that the order of the listings moves no cent. */
const sumOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : roundMoney(fsum(known))
}

export const totalsOf = (counted: readonly Asset[]) => ({
  market_cap_usd: sumOf(counted.map(({ market_cap_usd }) => market_cap_usd)),
  volume_24h_usd: sumOf(counted.map(({ volume_24h_usd }) => volume_24h_usd)),
})

/**
 * Returns the change of the market cap of counted listings in 24 hours, in percent, as if their supplies had stayed: each
 * cap is taken back by the change of its price. Null if no change is known.
 */
export function capChangeOf(counted: readonly Asset[]): number | null {
  let [now, before] = [0, 0]
  for (const { market_cap_usd, percent_change_24h } of counted) {
    if (market_cap_usd === null || percent_change_24h === null || percent_change_24h <= -100) continue
    now += market_cap_usd
    before += market_cap_usd / (1 + percent_change_24h / 100)
  }
  return before > 0 ? roundPercent((now / before - 1) * 100) : null
}

/** Returns the categories of assets, largest market cap first. Tags with the same slug are one. */
export function categoriesOf(assets: readonly Asset[]) {
  const ids = new Map([...new Set(assets.flatMap(({ tags }) => tags))].map((tag) => [tag, slugOf(tag)] as const))
  const tagged = groupBy(
    assets.flatMap((asset) => asset.tags.map((tag) => ({ id: ids.get(tag) ?? '', tag, asset }))),
    ({ id }) => id,
  )
  tagged.delete('')
  const categories = [...tagged].map(([id, rows]) => {
    const own = [...new Set(rows.map(({ asset }) => asset))]
    const counted = own.filter(isCounted)
    return {
      row: {
        category_id: id,
        name: mostUsed(rows.map(({ tag }) => tag)),
        listing_count: own.length,
        ...totalsOf(counted),
        percent_change_24h: capChangeOf(counted),
      },
      assets: own,
    }
  })
  const byCap = categories.toSorted(
    ({ row: a }, { row: b }) =>
      (b.market_cap_usd ?? -1) - (a.market_cap_usd ?? -1) || compare(a.category_id, b.category_id),
  )
  return new Map(byCap.map((category) => [category.row.category_id, category]))
}

const mostUsed = (tags: readonly string[]): string =>
  [...groupBy(tags, (tag) => tag)].toSorted(
    ([a, own], [b, others]) => others.length - own.length || compare(a, b),
  )[0]?.[0] ?? ''
