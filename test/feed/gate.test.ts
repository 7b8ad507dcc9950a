import { describe, expect, it } from 'vitest'
import type { Feed } from '../../src/feed/feed.ts'
import { GATE } from '../../src/feed/gate-rules.ts'
import { refusalsOf } from '../../src/feed/gate.ts'
import { NOTHING_BEFORE } from '../../src/feed/listing.ts'
import type { Report } from '../../src/sources/collect.ts'
import {
  HOUR,
  NOW,
  entryOf,
  feedFrom,
  listOf,
  publishedBy,
  quoteOf,
  registryOf,
  sightingOf,
  silent,
  venueOf,
} from './world.ts'

const COUNT = 100
const ids = Array.from({ length: COUNT }, (_, number) => `coin${number}`)
const registry = registryOf(
  ...ids.map((id) => entryOf(id, { exchange_symbols: { '*': id.toUpperCase() }, external_ids: { coingecko: id } })),
)
const listing = (count = COUNT, price = 1): Report =>
  listOf('coingecko', ...ids.slice(0, count).map((id) => sightingOf(id, { price_usd: price })))
const trading = (id: string, count = COUNT, given: object = {}): Report =>
  venueOf(id, ...ids.slice(0, count).map((coin) => quoteOf(`${coin.toUpperCase()}/USD`, 1, given)))
const venues = ['a', 'b', 'c']

/** Rules that refuse a run of these reports after one of those. */
function refused(first: readonly Report[], second: readonly Report[], hours = 0.5): string[] {
  const options = { registry, previous: NOTHING_BEFORE }
  const last: Feed = feedFrom(first, options)
  const previous = publishedBy(last)
  const now = NOW + hours * HOUR
  const { snapshot } = feedFrom(second, { registry, previous, now })
  const reports = second.map((report) => ({ ...report, attemptedAt: now }))
  return refusalsOf({ previous, snapshot, reports, now }).map(({ rule }) => rule)
}
const all = [listing(), ...venues.map((id) => trading(id))]
const [, a, b, c] = all

describe('the gate', () => {
  it.each<readonly [string, readonly Report[], readonly string[]]>([
    ['lets an equal run through', all, []],
    ['lets a run through without a source that is silent', [silent(listing()), ...all.slice(1)], []],
    ['lets a run through when every venue is silent', [listing(), ...all.slice(1).map(silent)], []],
    ['lets a few listings go', [listing(COUNT - 5), ...all.slice(1)], []],
    ['lets a few markets go', [listing(), ...venues.map((id) => trading(id, COUNT - 20))], []],
    ['refuses half a market list', [listing(), ...venues.map((id) => trading(id, 40))], ['markets_fall']],
    [
      'refuses prices that all jumped',
      [listing(COUNT, 1.5)].concat(
        venues.map((id) => venueOf(id, ...ids.map((coin) => quoteOf(`${coin.toUpperCase()}/USD`, 1.5)))),
      ),
      ['median_move'],
    ],
  ])('%s', (_, second, rules) => expect(refused(all, second)).toEqual(rules))

  it('refuses half a list of an aggregator, and not what only it knew before it was silent', () => {
    const before = [listing()]
    const unlisted = registryOf()
    const previous = publishedBy(feedFrom(before, { registry: unlisted }))
    const now = NOW + HOUR
    const half = [listing(50)]
    const { snapshot } = feedFrom(half, { registry: unlisted, previous, now })
    const rules = refusalsOf({ previous, snapshot, reports: half, now }).map(({ rule }) => rule)
    expect(rules).toEqual(['listings_fall', 'priced_fall'])
  })

  it('refuses what most sources tell of long ago', () => {
    const old = { at: NOW - 24 * HOUR }
    expect(
      refused(all, [listing(), trading('a', COUNT, old), trading('b', COUNT, old), trading('c', COUNT, { at: NOW })]),
    ).toEqual(['old_data'])
  })

  it('refuses a clock that went back, and one that went ahead of all sources', () => {
    expect(refused(all, all, -2)).toEqual(['clock_back'])
    const dated = [listing(), ...venues.map((id) => trading(id, COUNT, { at: NOW }))]
    expect(refused(dated, dated, 24 * 365)).toContain('old_data')
  })

  it('lets prices move further over days', () => {
    const moved = [listing(COUNT, 1.5)]
    expect(refused([listing()], moved, 1)).toEqual(['median_move'])
    expect(refused([listing()], moved, 48)).toEqual([])
  })

  it('has nothing to hold the first snapshots against', () => {
    expect(GATE.least_listings).toBeGreaterThan(1)
    expect(a && b && c && refused([a], [])).toEqual([])
  })
})
