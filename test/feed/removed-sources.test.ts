import { describe, expect, it } from 'vitest'
import type { QuarantineRow } from '../../src/core/contract/quarantine.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import { withoutRemoved } from '../../src/core/feed/listing.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import {
  AT,
  HOUR,
  NOW,
  assetOf,
  before,
  entryOf,
  feedFrom,
  listOf,
  poolOf,
  publishedBy,
  quoteOf,
  registryOf,
  reportOf,
  sightingOf,
  silent,
  sourceOf,
  venueOf,
} from './world.ts'

const TOKEN = `0x${'a'.repeat(40)}`
const registry = registryOf(
  entryOf('acme', {
    exchange_symbols: { '*': 'ACME' },
    contracts: [{ chain: 'ethereum', address: TOKEN, decimals: 18 }],
  }),
)
const venues = ['gate', 'kucoin', 'okx'].map((id, index) =>
  venueOf(id, quoteOf('ACME/USD', 2 + index / 1000), quoteOf('FOO/ACME', 1)),
)
const gecko = listOf('coingecko', sightingOf('acme', { price_usd: 2, ath_usd: 9, percent_change_24h: 3 }))
const dex = reportOf(sourceOf('dexscreener', 'dex'), { pools: [poolOf(TOKEN, `0x${'1'.repeat(40)}`)] })
const all = [gecko, ...venues, dex]

const run = (configured: readonly Report[], asked: readonly Report[], last: Feed | null, hours = 0) =>
  feedFrom(asked, {
    registry,
    now: NOW + hours * HOUR,
    configured: configured.map(({ source }) => source),
    ...(last ? { previous: publishedBy(last) } : {}),
  })
const without = (...ids: readonly string[]) => all.filter(({ source }) => !ids.includes(source.id))
const first = run(all, all, null)

/** Sources whose id or label occurs in anything that is published, but for ids and texts of listings. */
const mentioned = ({ snapshot }: Feed, id: string): boolean => {
  const { sources, rates, pairs, listings } = snapshot
  const figures = listings.map(({ asset: { external_ids: _, source_label: __, ...asset }, markets }) => [
    asset,
    markets,
  ])
  const text = JSON.stringify([sources, rates, pairs, figures])
  return text.includes(`"${id}"`) || text.includes(`"${id.toUpperCase()}"`)
}

describe('a source that is no longer configured', () => {
  it.each(['gate', 'coingecko', 'dexscreener'])('leaves nothing behind: %s', (id) => {
    expect(mentioned(first, id)).toBe(true)
    const rest = without(id)
    const second = run(rest, rest, first, 0.5)
    expect(mentioned(second, id)).toBe(false)
    const third = run(rest, rest.map(silent), second, 1)
    expect(mentioned(third, id)).toBe(false)
  })

  it('leaves nothing behind while every other source is silent', () => {
    const rest = without('gate', 'dexscreener', 'coingecko')
    const feed = run(rest, rest.map(silent), first, 0.5)
    for (const id of ['gate', 'dexscreener', 'coingecko']) expect(mentioned(feed, id)).toBe(false)
    const asset = feed.snapshot.bySlug.get('acme')?.asset
    expect(asset?.price_basis).toMatchObject({ method: 'carried', sources: [{ weight: 0.5 }, { weight: 0.5 }] })
    expect(asset).toMatchObject({ price_usd: 2.0015, ath_usd: null, percent_change_24h: null })
  })

  it('does not keep a listing that it alone knew', () => {
    const lone = listOf('coingecko', sightingOf('acme', { price_usd: 2 }), sightingOf('alone', { price_usd: 1 }))
    const known = run(all, [lone, ...venues, dex], null)
    const rest = without('coingecko')
    const second = run(rest, rest, known, 0.5)
    const later = run(rest, rest, second, 80)
    expect(second.snapshot.bySlug.get('alone')?.asset.price_usd).toBeNull()
    expect(later.snapshot.bySlug.get('alone')?.asset.listing_status).toBe('delisted')
  })
})

describe('the figures of a listing', () => {
  const kept = { since: AT, releases_at: null, reason: 'Held.', release: 'Another source.' }
  const held = (field: QuarantineRow['field'], source_ids: string[]): QuarantineRow => ({
    ...kept,
    slug: 'acme',
    field,
    held_value: 1,
    offered_value: 2,
    rule: 'lone_supply',
    source_ids,
  })
  const asset = assetOf('acme', {
    ath_usd: 9,
    total_supply: 5,
    told_by: { coingecko: ['ath_usd'], coinpaprika: ['total_supply'] },
    carried: { ath_usd: AT, total_supply: AT },
    held: [
      held('max_supply', ['coingecko']),
      held('total_supply', []),
      held('circulating_supply', ['coingecko', 'okx']),
    ],
  })
  const { sources } = publishedBy(first)
  const after = withoutRemoved(
    { ...before({ asset, markets: [] }), sources },
    new Set(['gate', 'kucoin', 'okx']),
  ).listings.get('acme')?.asset

  it('are carried no longer where a removed source reported them, and others are', () => {
    expect(after).toMatchObject({ ath_usd: null, total_supply: 5, carried: { total_supply: AT } })
    expect(Object.keys(after?.carried ?? {})).toEqual(['total_supply'])
  })

  it('are held back no longer where only removed sources offer another', () => {
    expect(after?.held.map(({ field }) => field)).toEqual(['total_supply', 'circulating_supply'])
  })
})

describe('a source that is not asked in a run', () => {
  const spared = (hours: number) => run(all, without('gate'), first, hours)

  it('keeps its row, its markets and the count of them until they are too old', () => {
    const row = (feed: Feed) => feed.snapshot.sources.find(({ source_id }) => source_id === 'gate')
    const markets = (feed: Feed) =>
      feed.snapshot.bySlug.get('acme')?.markets.filter(({ exchange_id }) => exchange_id === 'gate')
    expect(row(spared(1))).toMatchObject({ status: 'ok', market_count: 1, asset_count: 1 })
    expect(markets(spared(1))).toMatchObject([{ is_stale: true, used_in_price: false }])
    expect(row(spared(25))).toMatchObject({ status: 'down', market_count: 0, asset_count: 0 })
    expect(markets(spared(25))).toEqual([])
  })
})

it('the last publication is left as it is while every source is configured', () => {
  const previous = publishedBy(first)
  expect(withoutRemoved(previous, new Set(all.map(({ source }) => source.id)))).toBe(previous)
})
