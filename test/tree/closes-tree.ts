import { compose } from '../../src/endpoints/compose.ts'
import { published } from '../../src/endpoints/table.ts'
import type { ClosesOfDay } from '../../src/contract/closes.ts'
import type { ExtendedCloses } from '../../src/history/closes.ts'
import { Tree } from '../../src/tree/tree.ts'
import { worldOf } from '../endpoints/worlds.ts'
import { assetOf } from '../feed/world.ts'

const DAY = 86_400_000
const ENDPOINTS = published.filter(({ name }) =>
  ['closes', 'closes-of-day', 'collector', 'manifest-part', 'manifest', 'index'].includes(name),
)

const closesOf = (day: string, close_usd: number): ClosesOfDay => ({
  day,
  basis: 'runs',
  runs: 1,
  asOf: `${day}T00:00:00Z`,
  count: 1,
  rows: [
    {
      slug: 'acme',
      close_usd,
      open_usd: 1,
      high_usd: 9,
      low_usd: 1,
      volume_24h_usd: null,
      market_cap_usd: null,
      runs: 1,
      rights: 'open',
    },
  ],
})
/** Returns so many days, the newest last. */
export const daysUntil = (newest: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(newest) - (count - 1 - at) * DAY).toISOString().slice(0, 10),
  )

/** Publishes the closes of these days, the same in each publication but those that `priceOf` changes. */
export function publishCloses(root: string, days: readonly string[], priceOf = (_: string) => 5): Tree {
  const tree = new Tree(root)
  const newest = days.at(-1) ?? ''
  const rows = days.toReversed().map((day) => ({ day, basis: 'runs' as const, listings: 1, runs: 1 }))
  const closes: ExtendedCloses = {
    list: { today: newest, missing: 0, keptDays: null, olderFrom: null, count: rows.length, rows },
    keys: days,
    isChanged: () => true,
    of: (day) => closesOf(day, priceOf(day)),
  }
  const world = { ...worldOf([[assetOf('acme')]]), closes, at: `${newest}T12:00:00Z` }
  tree.publish(
    compose({ endpoints: ENDPOINTS, attachments: [] }, world, {
      product: 'Quotetree',
      layout: null,
      before: (file) => tree.last(file),
      starts: tree.partStarts,
    }),
  )
  return tree
}
