import { beforeAll, describe, expect, it } from 'vitest'
import { LAWS, type LawTree, breachesOf, lawTree } from '../../src/check/laws.ts'
import { sharedSampleTree } from '../sample-tree.ts'
import { type Edit, type Files, edit, filesOf, mutated } from './mutations.ts'

let files: Files
const treeWith = async (...edits: readonly Edit[]): Promise<LawTree> => {
  const all = edits.length === 0 ? files : mutated(files, edits)
  const slugs = [...all.keys()].flatMap((file) => /^api\/mkt\/assets\/([^/=]+)\.json$/.exec(file)?.[1] ?? [])
  const tree = await lawTree(async (file) => all.get(file)?.toString() ?? null, slugs)
  if (!tree) throw new Error('the tree cannot be read')
  return tree
}
beforeAll(async () => {
  files = filesOf(await sharedSampleTree())
})

describe('the laws between published figures', () => {
  it('hold in the sample tree', async () => {
    const tree = await treeWith()
    expect(tree.listings.length).toBeGreaterThan(20)
    expect(Object.fromEntries(breachesOf(tree))).toEqual({})
  })

  const asset = 'mkt/assets/bitcoin.json'
  it.each([
    ['price_in_range', edit(asset, 'asset.high_24h_usd', () => 1)],
    ['price_below_all_time_high', edit(asset, 'asset.ath_usd', () => 1)],
    ['supply_within_maximum', edit(asset, 'asset.max_supply', () => 1)],
    ['cap_is_price_times_supply', edit(asset, 'asset.market_cap_usd', () => 1)],
    ['bars_cover_shorter_bars', edit('mkt/candles/bitcoin/days=7.json', 'rows[0].high_usd', () => 1e12)],
    ['bars_hold_their_prices', edit('mkt/candles/bitcoin/days=7.json', 'rows[0].low_usd', () => 1e11)],
    ['one_week_change', edit(asset, 'asset.percent_change_7d', () => 123)],
    ['totals_are_sums', edit('mkt/global.json', 'global.market_cap_usd', () => 1)],
    ['pools_once', edit('mkt/dex-pairs.json', 'rows[0].price_usd', () => 123)],
    [
      'silent_is_stale',
      edit('mkt/collector.json', 'rows[source_id=sample-a].last_success', () => '2020-01-01T00:00:00Z'),
    ],
    ['no_removed_source', edit('mkt/collector.json', 'rows[source_id=sample].source_id', () => 'other')],
    ['no_value_of_the_future', edit(asset, 'asset.last_updated', () => '2999-01-01T00:00:00Z')],
  ] as const)('name what breaks them: %s', async (name, one) => {
    const breaches = breachesOf(await treeWith(one))
    expect([...breaches.keys()]).toContain(name)
    expect(breaches.get(name)?.[0]).toMatch(/./)
  })

  it('have one name and one description each', () => {
    expect(new Set(LAWS.map(({ name }) => name)).size).toBe(LAWS.length)
    expect(LAWS.every(({ description }) => description.endsWith('.'))).toBe(true)
  })
})
