import { healthOf } from '../../src/core/feed/health.ts'
import { describe, expect, it } from 'vitest'
import { isoOf } from '../../src/core/contract/time.ts'
import type { Asset } from '../../src/core/contract/asset.ts'
import { isFrozen, keepTime, lastSeenOf, withUnchangedSince } from '../../src/core/feed/carry.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import type { QuarantineRow } from '../../src/core/contract/quarantine.ts'
import { withoutRemoved } from '../../src/core/feed/listing.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import { heldPrice } from '../../src/core/feed/market-rows.ts'
import * as fc from 'fast-check'
import type { Sighting } from '../../src/core/sources/source.ts'
import { AT, HOUR, NOW, assetOf, before, entryOf, feedFrom, listOf, marketOf, poolOf, publishedBy } from './world.ts'
import { quoteOf, registryOf, reportOf, sightingOf, silent, sourceOf, venueOf } from './world.ts'

const acmeOf = ({ snapshot }: Feed) => snapshot.bySlug.get('acme')

describe('a price', () => {
  const gecko = listOf('coingecko', sightingOf('acme', { price_usd: 2 }))
  const published = publishedBy(feedFrom([gecko]))
  const after = (hours: number) =>
    acmeOf(feedFrom([silent(gecko)], { previous: published, now: NOW + hours * HOUR }))?.asset

  it('whose source is silent is kept and marked as carried', () => {
    expect(after(24)).toMatchObject({
      price_usd: 2,
      last_updated: AT,
      listing_status: 'active',
      price_basis: { method: 'carried', sources: [{ source_id: 'coingecko', price_usd: 2 }] },
    })
  })

  it('that was carried before keeps the time it was true', () => {
    const first = feedFrom([silent(gecko)], { previous: published, now: NOW + 20 * HOUR })
    const second = acmeOf(feedFrom([silent(gecko)], { previous: publishedBy(first), now: NOW + 25 * HOUR }))
    expect(second?.asset).toMatchObject({ price_usd: null, last_updated: null })
  })

  it('is unknown when it is older than a day', () => {
    expect(after(24.5)).toMatchObject({
      price_usd: null,
      last_updated: null,
      price_confidence: null,
      listing_status: 'inactive',
      price_basis: { method: 'none', sources: [] },
    })
  })

  it('is confirmed by no witness while it is carried', () => {
    expect(after(0.5)?.price_confidence).toBe(0)
  })
})

describe('what no source reports in a run', () => {
  const told = {
    price_usd: 2,
    percent_change_24h: 3,
    high_24h_usd: 4,
    circulating_supply: 1000,
    ath_usd: 9,
    ath_at: NOW - 1000 * HOUR,
  }
  const gecko = listOf('coingecko', sightingOf('acme', told))
  const published = publishedBy(feedFrom([gecko]))
  const after = (hours: number) =>
    acmeOf(feedFrom([silent(gecko)], { previous: published, now: NOW + hours * HOUR }))?.asset

  it('is kept with the time of its last report', () => {
    expect(after(1)).toMatchObject({ percent_change_24h: 3, high_24h_usd: 4, circulating_supply: 1000, ath_usd: 9 })
    expect(after(1)?.carried).toEqual({
      ath_usd: AT,
      circulating_supply: AT,
      high_24h_usd: AT,
      percent_change_24h: AT,
      price_usd: AT,
    })
  })

  it('keeps that time over several runs', () => {
    const second = feedFrom([silent(gecko)], { previous: published, now: NOW + HOUR })
    const third = feedFrom([silent(gecko)], { previous: publishedBy(second), now: NOW + 2 * HOUR })
    expect(acmeOf(third)?.asset.carried).toMatchObject({ circulating_supply: AT, price_usd: AT })
  })

  it('is unknown after a day where it moves by the hour, after two weeks where it is a fact', () => {
    expect(after(25)).toMatchObject({
      percent_change_24h: null,
      high_24h_usd: null,
      circulating_supply: 1000,
      ath_usd: 9,
      carried: { ath_usd: AT, circulating_supply: AT },
    })
    expect(after(15 * 24)).toMatchObject({ circulating_supply: null, ath_usd: null, ath_date: null, carried: null })
  })

  it('does not apply to a listing that a source reports', () =>
    expect(acmeOf(feedFrom([gecko], { previous: published, now: NOW + HOUR }))?.asset.carried).toBeNull())

  it('yields to the venues of the run', () => {
    const registry = registryOf(entryOf('acme', { exchange_symbols: { '*': 'ACME' } }))
    const at = (volume: number) => [venueOf('a', quoteOf('ACME/USD', 2, { volume_24h_base: volume }))]
    const first = publishedBy(feedFrom(at(1000), { registry }))
    const second = feedFrom(at(5000), { registry, previous: first, now: NOW + HOUR })
    expect(acmeOf(second)?.asset).toMatchObject({ volume_24h_usd: 10_000, carried: null })
  })
})

describe('a listing that vanished', () => {
  const both = listOf('coingecko', sightingOf('acme', { price_usd: 2 }), sightingOf('other', { price_usd: 3 }))
  const without = listOf('coingecko', sightingOf('other', { price_usd: 3 }))
  const first = publishedBy(feedFrom([both]))
  const gone = publishedBy(feedFrom([without], { previous: first, now: NOW + HOUR }))

  it('was last seen in the last run that named it', () => {
    expect(gone.listings.get('acme')?.asset).toMatchObject({ last_seen: AT, listing_status: 'active' })
  })

  it.each([
    [72, 'inactive', ['other']],
    [73, 'delisted', ['other']],
  ])('is %i hours later %s', (hours, listing_status) => {
    const feed = feedFrom([without], { previous: gone, now: NOW + hours * HOUR })
    expect(acmeOf(feed)?.asset).toMatchObject({ last_seen: AT, listing_status })
    expect(feed.snapshot.listed.some(({ asset }) => asset.slug === 'acme')).toBe(listing_status !== 'delisted')
  })

  it('is back when it is named again', () => {
    const delisted = publishedBy(feedFrom([without], { previous: gone, now: NOW + 80 * HOUR }))
    const feed = feedFrom([both], { previous: delisted, now: NOW + 81 * HOUR })
    expect(acmeOf(feed)?.asset).toMatchObject({ last_seen: null, listing_status: 'active', first_listed: AT })
  })
})

describe('when a listing was last seen', () => {
  const at = '2026-11-21T12:00:00Z'
  const identity = (given: Partial<Asset> = {}) => ({
    slug: 'acme',
    entry: null,
    before: { asset: assetOf('acme', { external_ids: { coingecko: 'acme' }, ...given }), markets: [] },
    sighted: [],
    withheld: [],
  })
  const hearing = (isSilent: boolean) => ({ now: Date.parse(at), isSilent: () => isSilent, lastHeard: () => null })
  const [entry = null] = registryOf(entryOf('acme')).assets

  it.each([
    ['is not told of one the registry names', lastSeenOf({ ...identity(), entry }, hearing(false)), null],
    ['is not told while a source that knew it is silent', lastSeenOf(identity(), hearing(true)), null],
    ['stays while a source that knew it is silent', lastSeenOf(identity({ last_seen: AT }), hearing(true)), AT],
    ['stays once told', lastSeenOf(identity({ last_seen: AT }), hearing(false)), AT],
    ['is now when it is unknown', lastSeenOf(identity(), hearing(false)), at],
  ])('%s', (_, told, expected) => {
    expect(told).toBe(expected)
  })
})

describe('the markets of a silent venue', () => {
  const registry = registryOf(entryOf('acme', { exchange_symbols: { '*': 'ACME' } }))
  const venues = ['a', 'b', 'c'].map((id) => venueOf(id, quoteOf('ACME/USD', 2)))
  const first = publishedBy(feedFrom(venues, { registry }))
  const [a, ...others] = venues
  const later = (hours: number) =>
    acmeOf(feedFrom(a ? [silent(a), ...others] : [], { registry, previous: first, now: NOW + hours * HOUR }))

  it('are kept as they were, stale and unused', () => {
    const listing = later(1)
    const carried = listing?.markets.find(({ exchange_id }) => exchange_id === 'a')
    expect(carried).toMatchObject({ price: 2, is_stale: true, used_in_price: false, weight: null, collected_at: AT })
    expect(carried?.quality_reasons).toContain('stale')
    expect(listing?.asset.price_basis).toMatchObject({
      method: 'exchanges',
      excluded: [{ source_id: 'a', pair: 'ACME/USD', reason: 'stale' }],
    })
  })

  it('are gone after a day', () => {
    expect(later(24.5)?.markets.map(({ exchange_id }) => exchange_id)).toEqual(['b', 'c'])
  })

  it('are stale too when it answers with old rows', () => {
    const old = venueOf('a', quoteOf('ACME/USD', 9, { at: NOW - 2 * HOUR }))
    const feed = feedFrom([old, ...others], { registry, previous: first })
    expect(acmeOf(feed)?.markets.find(({ exchange_id }) => exchange_id === 'a')).toMatchObject({
      price: 2,
      is_stale: true,
    })
    expect(feed.snapshot.sources[0]).toMatchObject({ source_id: 'a', status: 'stale', error: { code: 'source_stale' } })
  })
})

describe('the pools of a silent source', () => {
  const TOKEN = `0x${'a'.repeat(40)}`
  const address = (digit: string) => `0x${digit.repeat(40)}`
  const contracts = [{ chain: 'ethereum', address: TOKEN, decimals: 18 }]
  const registry = registryOf(entryOf('acme', { contracts }))
  const one = (...pools: Parameters<typeof poolOf>[1][]) =>
    reportOf(sourceOf('dexscreener', 'dex'), { pools: pools.map((pool) => poolOf(TOKEN, pool)) })
  const two = (price_usd: number, ...pools: string[]) =>
    reportOf(sourceOf('geckoterminal', 'dex'), {
      pools: pools.map((pool) => poolOf(TOKEN, pool, { platform: 'eth', price_usd, liquidity_usd: 20_000 })),
    })
  const first = feedFrom([one(address('1')), two(2)], { registry })
  const run = (feed: Feed, hours: number, ...reports: Parameters<typeof feedFrom>[0]) =>
    feedFrom(reports, { registry, previous: publishedBy(feed), now: NOW + hours * HOUR })

  it('are stale from the first run on, and make no price', () => {
    expect(acmeOf(first)?.asset).toMatchObject({ price_usd: 2, price_basis: { method: 'dex' }, last_updated: AT })
    let feed = first
    for (const hours of [0.5, 1, 6, 12, 23.5]) {
      feed = run(feed, hours, silent(one()), two(2))
      expect(feed.snapshot.pairs).toMatchObject([{ is_stale: true, collected_at: AT }])
      expect(acmeOf(feed)?.markets).toMatchObject([{ is_stale: true, used_in_price: false, collected_at: AT }])
      expect(acmeOf(feed)?.asset).toMatchObject({
        price_usd: 2,
        last_updated: AT,
        carried: { price_usd: AT },
        price_basis: { method: 'carried' },
      })
    }
    feed = run(feed, 24.5, silent(one()), two(2))
    expect(feed.snapshot.pairs).toEqual([])
    expect(acmeOf(feed)).toMatchObject({ asset: { price_usd: null, last_updated: null }, markets: [] })
  })

  it('yield to the same pool of a source that answers', () => {
    const feed = run(first, 0.5, silent(one()), two(3, address('1')))
    expect(feed.snapshot.pairs).toMatchObject([{ source_label: 'GECKOTERMINAL', price_usd: 3, is_stale: false }])
    expect(acmeOf(feed)?.asset).toMatchObject({ price_usd: 3, last_updated: '2026-11-20T12:30:00Z', carried: null })
  })

  it('set no price beside a fresh pool that is less deep', () => {
    const feed = run(first, 0.5, silent(one()), two(3, address('2')))
    expect(feed.snapshot.pairs).toMatchObject([{ is_stale: true }, { is_stale: false }])
    expect(acmeOf(feed)?.asset).toMatchObject({ price_usd: 3, market_count: 2, carried: null })
  })

  it('are those of a listing whose documents say that its source is silent', () => {
    const { snapshot } = run(first, 0.5, silent(one()), two(2))
    expect(healthOf(snapshot.listings, snapshot.sources).get('acme')).toMatchObject({
      sourceStatus: 'stale',
      sourceError: { sources: ['dexscreener'] },
    })
  })
})

describe('a figure whose source is silent while another source lists the asset', () => {
  const gecko = listOf('coingecko', sightingOf('acme', { price_usd: 2, ath_usd: 9, high_24h_usd: 3 }))
  const lore = listOf('coinlore', sightingOf('acme', { price_usd: 2 }))
  const first = publishedBy(feedFrom([gecko, lore]))

  it('is carried with its time and its source, run after run', () => {
    const second = feedFrom([silent(gecko), lore], { previous: first, now: NOW + HOUR })
    const third = feedFrom([silent(gecko), lore], { previous: publishedBy(second), now: NOW + 2 * HOUR })
    for (const feed of [second, third])
      expect(acmeOf(feed)?.asset).toMatchObject({
        ath_usd: 9,
        high_24h_usd: 3,
        carried: { ath_usd: AT, high_24h_usd: AT },
        told_by: { coingecko: ['ath_usd', 'high_24h_usd'] },
      })
  })

  it('is unknown once its source answers without it', () => {
    const without = listOf('coingecko', sightingOf('acme', { price_usd: 2 }))
    const second = feedFrom([without, lore], { previous: first, now: NOW + HOUR })
    expect(acmeOf(second)?.asset).toMatchObject({ ath_usd: null, high_24h_usd: null, carried: null })
  })
})

describe('the time a row was collected at', () => {
  const row = marketOf('a', 2)
  const at = (hours: number, given: object = {}) => ({ ...row, collected_at: isoOf(NOW + hours * HOUR), ...given })

  it.each([
    ['stays while its figures do', at(0.5), row, AT],
    [
      'stays when only the judgement of it changed',
      at(0.5, { weight: 0.5, used_in_price: true, is_outlier: true }),
      row,
      AT,
    ],
    ['moves with its figures', at(0.5, { price: 3 }), row, at(0.5).collected_at],
    ['moves after an hour', at(1), row, at(1).collected_at],
    ['is its own without a row before', at(0.5), undefined, at(0.5).collected_at],
  ])('%s', (_, now, before, expected) => {
    expect(keepTime(now, before, Date.parse(now.collected_at)).collected_at).toBe(expected)
  })
})

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

describe('the price of a market', () => {
  it.each([
    ['is its last trade within its book', { last: 10, bid: 9, ask: 11 }, 10],
    ['is the bid where the last trade is below it', { last: 8, bid: 9, ask: 11 }, 9],
    ['is the ask where the last trade is above it', { last: 12, bid: 9, ask: 11 }, 11],
    ['is held by the one side there is', { last: 8, bid: 9, ask: null }, 9],
    ['is its last trade without a book', { last: 8, bid: null, ask: null }, 8],
    ['is its last trade where the book is crossed', { last: 8, bid: 11, ask: 9 }, 8],
  ])('%s', (_, given, expected) => {
    expect(heldPrice(given)).toBe(expected)
  })
})

describe('a market', () => {
  it('keeps the time since when price, book and volume are the same', () => {
    const row = marketOf('a', 1)
    const later = '2026-11-20T13:00:00Z'
    expect(withUnchangedSince(row, { ...row, unchanged_since: AT }, later).unchanged_since).toBe(AT)
    expect(withUnchangedSince(row, { ...row, ask: 2, unchanged_since: AT }, later).unchanged_since).toBe(later)
    expect(withUnchangedSince(row, undefined, later).unchanged_since).toBe(later)
  })

  it('is frozen after an hour and a half while another venue moved, and not before', () => {
    const still = marketOf('a', 1, { unchanged_since: AT })
    const moved = marketOf('b', 1, { unchanged_since: '2026-11-20T12:30:00Z' })
    expect(isFrozen(still, [still, moved], NOW + 1.5 * HOUR)).toBe(true)
    expect(isFrozen(still, [still, moved], NOW + HOUR)).toBe(false)
    expect(isFrozen(still, [still, { ...moved, unchanged_since: AT }], NOW + 2 * HOUR)).toBe(false)
    expect(isFrozen(still, [still, { ...moved, exchange_id: 'a' }], NOW + 2 * HOUR)).toBe(false)
  })

  it('that does not move beside one that is itself left out keeps its price', () => {
    const wide = { bid: 1, ask: 1.5 }
    const run = (step: number) => [
      listOf('coingecko', sightingOf('acme', { price_usd: 1 })),
      venueOf('still', quoteOf('ACME/USD', 1)),
      venueOf('wide', quoteOf('ACME/USD', 1 + step / 1000, wide)),
    ]
    let feed = feedFrom(run(0))
    for (const step of [1, 2, 3, 4])
      feed = feedFrom(run(step), { previous: publishedBy(feed), now: NOW + (step * HOUR) / 2 })
    const markets = feed.snapshot.bySlug.get('acme')?.markets ?? []
    expect(markets.map(({ is_stale }) => is_stale)).toEqual([false, false])
  })

  it('that does not move over several runs is excluded, and has no trade time', () => {
    const list = listOf('coingecko', sightingOf('acme', { price_usd: 1 }))
    const run = (step: number) => [
      list,
      venueOf('frozen', quoteOf('ACME/USD', 1, { at: NOW + (step * HOUR) / 2 })),
      ...['a', 'b', 'c'].map((id) => venueOf(id, quoteOf('ACME/USD', 1 + step / 1000))),
    ]
    let feed = feedFrom(run(0))
    for (const step of [1, 2, 3])
      feed = feedFrom(run(step), { previous: publishedBy(feed), now: NOW + (step * HOUR) / 2 })
    const frozen = feed.snapshot.bySlug.get('acme')?.markets.find(({ exchange_id }) => exchange_id === 'frozen')
    expect(frozen).toMatchObject({ is_stale: true, used_in_price: false, last_traded_at: null, unchanged_since: AT })
  })
})

const YEAR_AGO = NOW - 8760 * HOUR
const listed = (source: string, given: Partial<Sighting>) => listOf(source, sightingOf('acme', given))
const assetFrom = (...reports: Parameters<typeof feedFrom>[0]) => feedFrom(reports).snapshot.bySlug.get('acme')?.asset

describe('the ranges of an asset', () => {
  it.each([
    ['hold the price as they are', { high_24h_usd: 3, low_24h_usd: 1, ath_usd: 9 }, [3, 1, 9]],
    ['end at a price above the high', { high_24h_usd: 1.95, low_24h_usd: 1, ath_usd: 9 }, [2, 1, 9]],
    ['begin at a price below the low', { high_24h_usd: 3, low_24h_usd: 2.05, ath_usd: 9 }, [3, 2, 9]],
    ['have no all-time high below the price', { high_24h_usd: null, low_24h_usd: null, ath_usd: 1.9 }, [null, null, 2]],
    ['have no all-time high below the high', { high_24h_usd: 3, low_24h_usd: 1, ath_usd: 2.5 }, [3, 1, 3]],
    [
      'are unknown where high and low contradict each other',
      { high_24h_usd: 1, low_24h_usd: 3, ath_usd: 9 },
      [null, null, 9],
    ],
  ] as const)('%s', (_, given, [high_24h_usd, low_24h_usd, ath_usd]) => {
    const asset = assetFrom(listed('coingecko', { price_usd: 2, ath_at: YEAR_AGO, ...given }))
    expect(asset).toMatchObject({ price_usd: 2, high_24h_usd, low_24h_usd, ath_usd })
  })

  it('say of a replaced figure neither a source nor its date', () => {
    const given = { price_usd: 2, high_24h_usd: 3, low_24h_usd: 2.05, ath_usd: 2.5, ath_at: YEAR_AGO }
    expect(assetFrom(listed('coingecko', given))).toMatchObject({
      told_by: { coingecko: ['high_24h_usd'] },
      ath_date: null,
    })
    expect(assetFrom(listed('coingecko', { price_usd: 2, ath_usd: 1, ath_at: YEAR_AGO }))?.ath_date).toBe(AT)
    expect(assetFrom(listed('coingecko', { price_usd: 2, ath_usd: 9, ath_at: NOW + HOUR }))?.ath_date).toBeNull()
  })

  it('are not those of a source that reports another price', () => {
    const first = listed('coingecko', { price_usd: 9, high_24h_usd: 10, low_24h_usd: 8, ath_usd: 20 })
    const others = ['coinpaprika', 'coinlore'].map((id) =>
      listed(id, { price_usd: 2, high_24h_usd: 3, low_24h_usd: 1, ath_usd: 5, ath_at: YEAR_AGO }),
    )
    const external_ids = { coingecko: 'acme', coinpaprika: 'acme', coinlore: 'acme' }
    const { snapshot } = feedFrom([first, ...others], { registry: registryOf(entryOf('acme', { external_ids })) })
    expect(snapshot.bySlug.get('acme')?.asset).toMatchObject({
      price_usd: 2,
      high_24h_usd: 3,
      low_24h_usd: 1,
      ath_usd: 5,
      ath_date: isoOf(YEAR_AGO),
    })
  })

  it('hold a price that is carried, with its time', () => {
    const gecko = listed('coingecko', { price_usd: 2 })
    const lore = listed('coinlore', { high_24h_usd: 1.9, low_24h_usd: 1 })
    const previous = publishedBy(feedFrom([gecko, lore]))
    const feed = feedFrom([silent(gecko), lore], { previous, now: NOW + HOUR })
    expect(feed.snapshot.bySlug.get('acme')?.asset).toMatchObject({
      price_usd: 2,
      high_24h_usd: 2,
      carried: { price_usd: AT, high_24h_usd: AT },
    })
  })

  it('keep the date of an all-time high that is carried', () => {
    const gecko = listed('coingecko', { price_usd: 2, ath_usd: 9, ath_at: YEAR_AGO })
    const lore = listed('coinlore', { price_usd: 2 })
    const previous = publishedBy(feedFrom([gecko, lore]))
    const asset = feedFrom([silent(gecko), lore], { previous, now: NOW + HOUR }).snapshot.bySlug.get('acme')?.asset
    expect(asset).toMatchObject({ ath_usd: 9, ath_date: isoOf(YEAR_AGO), carried: { ath_usd: AT } })
  })

  it('keep an all-time high that was our own price, with its time, where sources know a lower one', () => {
    const at = (price_usd: number, ath_usd = 2.95) => listed('coingecko', { price_usd, ath_usd, ath_at: YEAR_AGO })
    const later = feedFrom([at(2.8)], { previous: publishedBy(feedFrom([at(3)])), now: NOW + HOUR })
    const after = feedFrom([at(2)], { previous: publishedBy(later), now: NOW + 48 * HOUR })
    for (const feed of [later, after]) expect(acmeOf(feed)?.asset).toMatchObject({ ath_usd: 3, ath_date: AT })
    // A wrong price does not stay the highest.
    const wrong = feedFrom([at(2, 2)], { previous: publishedBy(later), now: NOW + 48 * HOUR })
    expect(acmeOf(wrong)?.asset).toMatchObject({ ath_usd: 2, ath_date: isoOf(YEAR_AGO) })
  })

  it('never contradict the price, whatever sources report', () => {
    const money = fc.option(fc.double({ min: 0.01, max: 1e6, noNaN: true, noDefaultInfinity: true }), { freq: 3 })
    const figures = fc.record({ price_usd: money, high_24h_usd: money, low_24h_usd: money, ath_usd: money })
    fc.assert(
      fc.property(fc.array(figures, { minLength: 1, maxLength: 3 }), (all) => {
        const asset = assetFrom(...all.map((given, index) => listed(`source-${index}`, given)))
        const {
          price_usd: price = null,
          high_24h_usd: high = null,
          low_24h_usd: low = null,
          ath_usd = null,
        } = asset ?? {}
        const known = [low, price, high, ath_usd].filter((value) => value !== null)
        expect(known).toEqual(known.toSorted((a, b) => a - b))
      }),
      { numRuns: 60 },
    )
  })
})
