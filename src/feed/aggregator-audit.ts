import { groupBy } from '../contract/order.ts'
import { consensusOf } from './consensus.ts'
import type { DatedOpinion, Opinions } from './expectations.ts'
import { type Hold, heldRow } from './hold.ts'
import type { Identity } from './identify.ts'
import { PRICE } from './price.ts'
import type { Matched } from './quotes.ts'
import { median } from './statistics.ts'

export const AGGREGATOR_AUDIT = {
  rule:
    'An aggregator is compared with the venues that are believed, over all listings where the `quorum` of the price rule or ' +
    'more have a price and most of them agree. If its median deviation from them over `listings` listings or more ' +
    'exceeds `tolerance_percent`, none of its prices is used in this run. A price that it alone reports is held back.',
  listings: 5,
  tolerance_percent: 5,
} as const

/**
 * By how much each aggregator is off whose prices are not believed in this run: its typical price over the true one.
 *
 * @param distrusted venues that are not believed
 */
export function auditAggregators(
  opinions: Opinions,
  matched: readonly Matched[],
  distrusted: ReadonlyMap<string, number>,
): Map<string, number> {
  const live = matched.filter(({ market }) => !market.is_stale && !distrusted.has(market.exchange_id))
  const logs = [...groupBy(live, (row) => row.slug)].flatMap(([slug, rows]) => {
    const price = priceOfVenues(rows)
    if (price === null) return []
    return (opinions.get(slug) ?? []).map(({ source_id, price_usd }) => ({
      source_id,
      log: Math.log(price_usd / price),
    }))
  })
  const tolerance = Math.log(1 + AGGREGATOR_AUDIT.tolerance_percent / 100)
  return new Map(
    [...groupBy(logs, ({ source_id }) => source_id)].flatMap(([source_id, own]) => {
      const off = median(own.map(({ log }) => log))
      return own.length < AGGREGATOR_AUDIT.listings || Math.abs(off) <= tolerance
        ? []
        : [[source_id, Math.exp(off)] as const]
    }),
  )
}

/** What most venues of a quorum agree on, in dollars, one opinion each; null if they do not. */
function priceOfVenues(rows: readonly Matched[]): number | null {
  const priced = rows.flatMap(({ market: { exchange_id, price_usd } }) =>
    price_usd === null ? [] : [{ exchange_id, price_usd }],
  )
  const byVenue = [...groupBy(priced, ({ exchange_id }) => exchange_id).values()]
  if (byVenue.length < PRICE.quorum) return null
  const { center, majority } = consensusOf(byVenue.map((own) => median(own.map(({ price_usd }) => price_usd))))
  return majority ? center : null
}

/** The price of a listing that only aggregators report that are not believed in this run; null without one. */
export function distrustedPrice(identity: Identity, opinions: readonly DatedOpinion[], now: number) {
  const [first] = opinions
  if (!first) return null
  const source_ids = opinions.map(({ source_id }) => source_id)
  const hold: Hold = {
    field: 'price_usd',
    held_value: identity.before?.asset.price_usd ?? null,
    offered_value: first.price_usd,
    rule: 'source_distrusted',
    source_ids,
    reason: `Only ${source_ids.join(', ')} reports a price, and its prices of other assets are far from those of the venues.`,
    release: `Prices of ${first.source_id} within ${AGGREGATOR_AUDIT.tolerance_percent} % of the venues in the median, or another source.`,
  }
  return heldRow(identity, hold, now, { isSame: () => true })
}
