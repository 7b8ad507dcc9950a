import { beforeEach, describe, expect, it } from 'vitest'
import type { Feed } from '../../src/feed/feed.ts'
import { GATE } from '../../src/feed/gate-rules.ts'
import { NOTHING_REFUSED } from '../../src/feed/gate-record.ts'
import { gate, refusalsOf } from '../../src/feed/gate.ts'
import { NOTHING_BEFORE, type Previous } from '../../src/feed/listing.ts'
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

it.each([
  [COUNT, []],
  [COUNT + 1, ['listings_floor']],
])('a first publication of %i listings at least', (leastListings, rules) => {
  const { snapshot } = feedFrom(all, { registry, previous: NOTHING_BEFORE })
  const judged = { previous: NOTHING_BEFORE, snapshot, reports: all, now: NOW, leastListings }
  expect(refusalsOf(judged).map(({ rule }) => rule)).toEqual(rules)
  // It does not heal by being offered again, and a publication that stands is no longer measured by it.
  const again = gate({ ...judged, now: NOW + 48 * HOUR }, gate(judged, NOTHING_REFUSED).record)
  expect(again.refusals.map(({ rule }) => rule)).toEqual(rules)
  const previous = publishedBy(feedFrom(all, { registry, previous: NOTHING_BEFORE }))
  expect(refusalsOf({ ...judged, previous }).map(({ rule }) => rule)).toEqual([])
})

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

  it('refuses data that most sources report with old times', () => {
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

/** Enough for every rule, and quick. */
const FEW = 44

/** A world that is fed run after run, half an hour each, as a tree would be. */
function worldOf(registry = registryOf()) {
  let previous: Previous = NOTHING_BEFORE
  let record = NOTHING_REFUSED
  let now = NOW
  return {
    /** The rules that refuse a run of these reports; none where it is published. */
    run(...reports: readonly Report[]): string[] {
      const dayAgo = previous.listings
      const feed = feedFrom(reports, { registry, previous, now })
      const verdict = gate(
        {
          previous,
          snapshot: feed.snapshot,
          reports: reports.map((report) => ({ ...report, attemptedAt: now })),
          now,
          priceDayAgo: (slug) => first?.get(slug)?.asset.price_usd ?? dayAgo.get(slug)?.asset.price_usd ?? null,
        },
        record,
      )
      record = verdict.record
      now += HOUR / 2
      if (verdict.refusals.length > 0) return verdict.refusals.map(({ rule }) => rule)
      previous = publishedBy(feed)
      first ??= previous.listings
      return []
    },
    wait: (hours: number) => (now += hours * HOUR),
    names: () => [...previous.listings.keys()],
  }
}
let first: Previous['listings'] | undefined
beforeEach(() => {
  first = undefined
})

const gecko = (count: number, price = 1): Report =>
  listOf('coingecko', ...ids.slice(0, count).map((id) => sightingOf(id, { price_usd: price })))
const paprika = (count: number, price = 1): Report =>
  listOf('coinpaprika', ...ids.slice(0, count).map((id) => sightingOf(id, { price_usd: price })))
const spam = (count: number): Report =>
  listOf(
    'coingecko',
    ...ids.slice(0, FEW).map((id) => sightingOf(id, { price_usd: 1 })),
    ...Array.from({ length: count }, (_, number) => sightingOf(`spam${number}`, { price_usd: 1 })),
  )

describe('the limits of the gate', () => {
  const names = (count: number, priced = count) =>
    listOf(
      'coingecko',
      ...Array.from({ length: count }, (_, index) =>
        sightingOf(`coin${index}`, { price_usd: index < priced ? 1 : null }),
      ),
    )
  const venueRows = (id: string, count: number, at: number | null = null) => trading(id, count, { at })
  /** Rules that refuse the second run, with a registry that names nothing. */
  const rulesOf = (first: Report, second: Report, hours = 0.5): string[] => {
    const previous = publishedBy(feedFrom([first]))
    const now = NOW + hours * HOUR
    const { snapshot } = feedFrom([second], { previous, now })
    return refusalsOf({ previous, snapshot, reports: [{ ...second, attemptedAt: now }], now }).map(({ rule }) => rule)
  }

  it.each<readonly [string, (amount: number) => readonly string[], number, number]>([
    ['listings_fall', (lost) => rulesOf(names(100), names(100 - lost)), 10, 11],
    ['priced_fall', (lost) => rulesOf(names(100), names(100, 100 - lost)), 20, 21],
    ['markets_fall', (lost) => refused([venueRows('a', 100)], [venueRows('a', 100 - lost)]), 50, 51],
    ['listings_growth', (added) => rulesOf(names(220), names(220 + added)), 22, 23],
    ['listings_growth', (added) => rulesOf(names(100), names(100 + added)), 20, 21],
    ['median_move', (percent) => rulesOf(gecko(100), gecko(100, 1 + percent / 100)), 30, 30.1],
    ['median_move', (percent) => rulesOf(gecko(100), gecko(100, 1 + percent / 100), 48), 60, 60.1],
    ['clock_back', (hours) => rulesOf(names(100), names(100), -hours), 1, 1.001],
    [
      'old_data',
      (old) => {
        const rows = ['a', 'b', 'c', 'd'].map((id, index) => venueRows(id, 100, index < old ? NOW - 24 * HOUR : NOW))
        return refused(
          ['a', 'b', 'c', 'd'].map((id) => venueRows(id, 100)),
          [listing(), ...rows],
        )
      },
      2,
      3,
    ],
  ])('let through what is at that of %s, and refuse what is above', (rule, rules, most, above) => {
    expect(rules(most)).not.toContain(rule)
    expect(rules(above)).toContain(rule)
  })

  it('do not apply to a list with too few rows to judge', () => {
    expect(rulesOf(names(20), names(1))).toContain('listings_fall')
    expect(rulesOf(names(19), names(1))).toEqual([])
  })
})

describe('growth', () => {
  it('of one source alone is refused, and the truth after it is not', () => {
    const world = worldOf()
    expect(world.run(gecko(FEW))).toEqual([])
    expect(world.run(spam(130))).toEqual(['listings_growth'])
    expect(world.run(gecko(FEW))).toEqual([])
  })

  it('that came in under the limit is no loss when it is gone', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    expect(world.run(spam(12))).toEqual([])
    expect(world.names()).toHaveLength(FEW + 12)
    expect(world.run(gecko(FEW))).toEqual([])
  })

  it("is accepted from a source's first answer, and from two sources that agree", () => {
    const world = worldOf()
    world.run(gecko(15))
    expect(world.run(gecko(15), paprika(FEW))).toEqual([])
    const both = worldOf()
    both.run(gecko(15), paprika(15))
    expect(both.run(gecko(FEW), paprika(FEW))).toEqual([])
  })

  it('does not apply when an aggregator repeats its rows', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    const { source, sightings } = gecko(FEW)
    expect(world.run(listOf(source.id, ...sightings, ...sightings))).toEqual([])
    expect(world.names()).toHaveLength(FEW)
  })
})

describe('a refusal', () => {
  const half = (...names: readonly string[]) => names.map((name) => (name === 'gecko' ? gecko(22) : paprika(22)))

  it('ends when the same is offered long enough by one source', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    const refusals = Array.from({ length: 7 }, () => world.run(...half('gecko')).length > 0)
    // Six runs make two and a half hours: it takes three.
    expect(refusals).toEqual([true, true, true, true, true, true, false])
  })

  it('ends sooner when two sources agree', () => {
    const world = worldOf()
    world.run(gecko(FEW), paprika(FEW))
    const refusals = Array.from({ length: 4 }, () => world.run(...half('gecko', 'paprika')).length > 0)
    expect(refusals).toEqual([true, true, false, false])
  })

  it('restarts when other data is offered', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    const other = listOf('coingecko', ...ids.slice(22, FEW).map((id) => sightingOf(id, { price_usd: 1 })))
    for (let runs = 0; runs < 10; runs++) expect(world.run(runs % 2 === 0 ? gecko(22) : other)).not.toEqual([])
  })

  it('ends after a day without a publication, because the published data is too old by then', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    world.run(gecko(22))
    world.wait(24)
    expect(world.run(gecko(22))).toEqual([])
  })

  it('is lifted by name', () => {
    const previous = publishedBy(feedFrom([gecko(FEW)]))
    const judged = {
      previous,
      snapshot: feedFrom([gecko(22)], { previous, now: NOW + HOUR }).snapshot,
      reports: [gecko(22)],
      now: NOW + HOUR,
    }
    const { refusals, lifted } = gate(judged, NOTHING_REFUSED, new Set(['listings_fall', 'priced_fall'] as const))
    expect([refusals, lifted.map(({ rule }) => rule)]).toEqual([[], ['listings_fall', 'priced_fall']])
  })
})

describe('prices that every run moves a little further', () => {
  it('are held by their sum', () => {
    const world = worldOf()
    const rules = [1, 1.29, 1.66, 2.15, 2.77].map((price) => world.run(gecko(FEW, price)))
    expect(rules.slice(0, 3)).toEqual([[], [], ['median_move']])
    // From twice the price on each value is held back by itself, and none is confirmed.
    expect(rules.slice(3)).toEqual([['median_move'], ['priced_fall']])
  })

  it('are published where they come to rest, and stay so', () => {
    const world = worldOf()
    const prices = [1, 1.29, 1.66, ...Array.from({ length: 12 }, () => 1.67)]
    const rules = prices.map((price) => world.run(gecko(FEW, price)))
    expect(rules.slice(0, 2)).toEqual([[], []])
    expect(rules.slice(-5)).toEqual([[], [], [], [], []])
  })

  it('is accepted where two sources confirm the fall', () => {
    const world = worldOf()
    const rules = [1, 0.6, 0.6, 0.61, 0.6, 0.59].map((price) => world.run(gecko(FEW, price), paprika(FEW, price)))
    expect(rules).toEqual([[], ['median_move'], ['median_move'], [], [], []])
  })
})

describe('a clock that went back', () => {
  const dated = (at: number) => [gecko(FEW), trading('a', FEW, { at }), trading('b', FEW, { at })]
  it('is ahead of the clock, when the sources agree on it', () => {
    const world = worldOf(registry)
    world.wait(24 * 365)
    world.run(gecko(FEW))
    world.wait(-24 * 365)
    const rules = [1, 2, 3].map((run) => world.run(...dated(NOW + (run * HOUR) / 2)))
    expect(rules).toEqual([['clock_back'], ['clock_back'], []])
  })
})
