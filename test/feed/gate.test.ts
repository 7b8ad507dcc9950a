import { describe, expect, it } from 'vitest'
import type { Feed } from '../../src/core/feed/feed.ts'
import { type Judged, type Refusal, GATE, NOTHING_REFUSED, gateVerdict, testimonies } from '../../src/core/feed/gate.ts'
import { type Previous, NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { HOUR, NOW, assetOf, basisOf, entryOf, feedFrom, listOf } from './world.ts'
import { publishedBy, quoteOf, ratesOf, registryOf, sightingOf, silent, venueOf } from './world.ts'

const COUNT = 100
const ids = Array.from({ length: COUNT }, (_, number) => `coin${number}`)
const registry = registryOf(
  ...ids.map((id) => entryOf(id, { exchange_symbols: { '*': id.toUpperCase() }, external_ids: { coingecko: id } })),
)
const listing = (count = COUNT, price = 1): Report =>
  listOf('coingecko', ...ids.slice(0, count).map((id) => sightingOf(id, { price_usd: price })))
const trading = (id: string, count = COUNT, given: object = {}, price = 1): Report =>
  venueOf(id, ...ids.slice(0, count).map((coin) => quoteOf(`${coin.toUpperCase()}/USD`, price, given)))
const venues = ['a', 'b', 'c']

const refusedBy = (judged: Judged): string[] => gateVerdict(judged, NOTHING_REFUSED).refusals.map(({ rule }) => rule)

function refused(first: readonly Report[], second: readonly Report[], hours = 0.5): string[] {
  const options = { registry, previous: NOTHING_BEFORE }
  const last: Feed = feedFrom(first, options)
  const previous = publishedBy(last)
  const now = NOW + hours * HOUR
  const { snapshot } = feedFrom(second, { registry, previous, now })
  const reports = second.map((report) => ({ ...report, attemptedAt: now }))
  return refusedBy({ previous, snapshot, reports, now })
}
const all = [listing(), ...venues.map((id) => trading(id))]
const [, a, b, c] = all

it.each([
  [COUNT, []],
  [COUNT + 1, ['listings_floor']],
])('a first publication of %i listings at least', (leastListings, rules) => {
  const { snapshot } = feedFrom(all, { registry, previous: NOTHING_BEFORE })
  const judged = { previous: NOTHING_BEFORE, snapshot, reports: all, now: NOW, leastListings }
  expect(refusedBy(judged)).toEqual(rules)
  // It does not heal by being offered again, and a publication that is out is no longer measured by it.
  const again = gateVerdict({ ...judged, now: NOW + 48 * HOUR }, gateVerdict(judged, NOTHING_REFUSED).record)
  expect(again.refusals.map(({ rule }) => rule)).toEqual(rules)
  const previous = publishedBy(feedFrom(all, { registry, previous: NOTHING_BEFORE }))
  expect(refusedBy({ ...judged, previous })).toEqual([])
})

it('a first publication by a clock that is years ahead of its sources is refused', () => {
  const dated = [listing(), ...venues.map((id) => trading(id, COUNT, { at: NOW }))]
  const now = NOW + 3 * 365 * 24 * HOUR
  const { snapshot } = feedFrom(dated, { registry, previous: NOTHING_BEFORE, now })
  expect(refusedBy({ previous: NOTHING_BEFORE, snapshot, reports: dated, now })).toEqual(['old_data'])
})

const half = (id: string): Report => trading(id, 40)

describe('the gate', () => {
  it.each<readonly [string, readonly Report[], readonly string[]]>([
    ['lets an equal run through', all, []],
    ['lets a run through without a source that is silent', [silent(listing()), ...all.slice(1)], []],
    ['lets a run through when every venue is silent', [listing(), ...all.slice(1).map(silent)], []],
    ['lets a few listings go', [listing(COUNT - 5), ...all.slice(1)], []],
    ['lets a few markets go', [listing(), ...venues.map((id) => trading(id, COUNT - 20))], []],
    ['publishes that every venue dropped half of its markets', [listing(), ...venues.map(half)], []],
    ['publishes that two of three venues did', [listing(), half('a'), half('b'), trading('c')], []],
    ['publishes prices that all jumped', [listing(COUNT, 1.5), ...venues.map((id) => trading(id, COUNT, {}, 1.5))], []],
  ])('%s', (_, second, rules) => expect(refused(all, second)).toEqual(rules))

  it('refuses the loss of most markets by one venue of three, and by two of four', () => {
    const units = ['USD', 'EUR', 'GBP', 'JPY', 'CHF']
    const large = (id: string) =>
      venueOf(id, ...ids.flatMap((coin) => units.map((unit) => quoteOf(`${coin.toUpperCase()}/${unit}`, 1))))
    const small = ['c', 'd'].map((id) => trading(id))
    expect(refused([large('a'), ...small], [trading('a', 20), ...small])).toEqual(['markets_fall'])
    const two = [trading('a', 20), trading('b', 20)]
    expect(refused([large('a'), large('b'), ...small], [...two, ...small])).toEqual(['markets_fall'])
  })

  it('refuses half a list of an aggregator, and not what only it knew before it was silent', () => {
    const before = [listing()]
    const unlisted = registryOf()
    const previous = publishedBy(feedFrom(before, { registry: unlisted }))
    const now = NOW + HOUR
    const half = [listing(50)]
    const { snapshot } = feedFrom(half, { registry: unlisted, previous, now })
    expect(refusedBy({ previous, snapshot, reports: half, now })).toEqual(['listings_fall', 'priced_fall'])
  })

  it('publishes that two aggregators dropped the same listings, and refuses that one of them did not', () => {
    const world = worldOf()
    world.run(gecko(FEW), paprika(FEW))
    expect(world.run(gecko(22), paprika(22))).toEqual([])
    // It still names them, so that what is missing is missing by a fault of the feed.
    const previous = publishedBy(feedFrom([gecko(FEW), paprika(FEW)]))
    const { snapshot } = feedFrom([gecko(22), paprika(22)], { previous, now: NOW + HOUR })
    const judged = { previous, snapshot, now: NOW + HOUR }
    expect(refusedBy({ ...judged, reports: [gecko(22), paprika(22)] })).toEqual([])
    // A list that ends where it was asked to says nothing of the others.
    expect(refusedBy({ ...judged, reports: [gecko(22), paprika(22)], listings: 22 })).toContain('listings_fall')
    expect(refusedBy({ ...judged, reports: [gecko(22), paprika(FEW)] })).toContain('listings_fall')
  })

  it('does not miss a listing that has another slug', () => {
    const renamedTo = (count: number) =>
      registryOf(
        ...ids.map((id, index) =>
          entryOf(index < count ? `new-${id}` : id, {
            exchange_symbols: { '*': id.toUpperCase() },
            external_ids: { coingecko: id },
          }),
        ),
      )
    const previous = publishedBy(feedFrom(all, { registry }))
    const now = NOW + HOUR
    const { snapshot } = feedFrom(all, { registry: renamedTo(60), previous, now })
    expect(snapshot.bySlug.get('coin1')?.asset.replaced_by).toBe('new-coin1')
    expect(refusedBy({ previous, snapshot, reports: all, now })).toEqual([])
  })

  it('does not miss prices that are held back by themselves', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    expect(world.run(gecko(FEW, 3))).toEqual([])
    expect(world.price('coin1')).toBe(1)
    const unpriced = listOf('coingecko', ...ids.slice(0, FEW).map((id) => sightingOf(id)))
    const other = worldOf()
    other.run(gecko(FEW))
    expect(other.run(unpriced, paprika(FEW, 3))).toEqual([])
    expect(other.price('coin1')).toBe(1)
  })

  it('refuses data if most sources agree that it is another time', () => {
    const old = { at: NOW - 24 * HOUR }
    const [x, y, z] = [trading('a', COUNT, old), trading('b', COUNT, old), trading('c', COUNT, { at: NOW })]
    expect(refused(all, [listing(), x, y, z])).toEqual(['old_data'])
    const ahead = { at: NOW + 5 * HOUR }
    expect(refused(all, [listing(), trading('a', COUNT, ahead), trading('b', COUNT, ahead), z])).toEqual(['old_data'])
    // What a source said before it failed is none of its answers.
    const error = new SourceError('source_timeout', 'no answer')
    const failed = [x, y].map((report) => ({ ...report, error }))
    expect(refused(all, [listing(), ...failed, z])).not.toContain('old_data')
    // Venues that are merely out of date do not agree on the time.
    expect(refused(all, [listing(), x, trading('b', COUNT, { at: NOW - 9 * HOUR }), z])).toEqual([])
  })

  it('refuses a clock that went back, and one that went ahead of all sources', () => {
    expect(refused(all, all, -2)).toEqual(['clock_back'])
    const dated = [listing(), ...venues.map((id) => trading(id, COUNT, { at: NOW }))]
    expect(refused(dated, dated, 24 * 365)).toContain('old_data')
  })

  it('refuses a large move of the prices of a single source, unless nothing was published for long', () => {
    const moved = [listing(COUNT, 1.5)]
    expect(refused([listing()], moved, 1)).toEqual(['median_move'])
    expect(refused([listing()], moved, 48)).toEqual([])
  })

  it('has nothing to hold the first snapshots against', () => {
    expect(GATE.least_listings).toBeGreaterThan(1)
    expect(a && b && c && refused([a], [])).toEqual([])
  })
})

describe('the gateVerdict of a feed of few listings', () => {
  const few = [listing(8), trading('a', 8), trading('b', 8)]
  const unlisted = registryOf()

  it.each([
    [8, 7, []],
    [8, 4, ['listings_fall', 'priced_fall']],
    [3, 1, ['listings_fall', 'priced_fall']],
    [2, 1, []],
  ])('after a list of %i publishes or refuses one of %i: %j', (before, after, rules) => {
    const previous = publishedBy(feedFrom([listing(before)], { registry: unlisted }))
    const now = NOW + HOUR
    const { snapshot } = feedFrom([listing(after)], { registry: unlisted, previous, now })
    expect(refusedBy({ previous, snapshot, reports: [listing(after)], now })).toEqual(rules)
  })

  it('refuses a large move that a single source reports, and publishes one that several do', () => {
    expect(refused([listing(5)], [listing(5, 1.5)], 1)).toEqual(['median_move'])
    expect(refused(few, [listing(8, 1.5), trading('a', 8, {}, 1.5), trading('b', 8, {}, 1.5)])).toEqual([])
  })

  it('refuses a wrong clock', () => {
    expect(refused(few, few, -2)).toEqual(['clock_back'])
  })

  it('holds a price back that doubles with one witness', () => {
    const world = worldOf()
    world.run(gecko(5))
    expect(world.run(gecko(5, 3))).toEqual([])
    expect(world.price('coin1')).toBe(1)
  })
})

describe('witnesses', () => {
  const inUnit = (id: string, unit: string, price = 1): Report =>
    venueOf(id, quoteOf('USDT/USD', 1), ...ids.map((coin) => quoteOf(`${coin.toUpperCase()}/${unit}`, price)))
  const world = (...prices: readonly number[]): Report[] =>
    prices.map((price, at) => (at === 0 ? listing(COUNT, price) : inUnit(`v${at}`, at === 1 ? 'USD' : 'USDT', price)))
  const calm = (count: number) => world(...Array.from({ length: count }, () => 1))

  /** What the gateVerdict says where every published price moved by a factor, and the rate of USDT by another. */
  function verdictOn(reports: readonly Report[], factor: number, rateFactor = 1) {
    const previous = publishedBy(feedFrom(calm(reports.length), { registry }))
    const now = NOW + HOUR
    const { snapshot } = feedFrom(calm(reports.length), { registry, previous, now })
    const bySlug = new Map(
      snapshot.listings.map(({ asset, markets }) => {
        const price_usd = asset.price_usd === null ? null : asset.price_usd * factor
        return [asset.slug, { asset: { ...asset, price_usd }, markets }] as const
      }),
    )
    const rates = snapshot.rates.map((rate) =>
      rate.symbol === 'USDT' ? { ...rate, price_usd: rate.price_usd * rateFactor } : rate,
    )
    const moved = { ...snapshot, bySlug, listings: [...bySlug.values()], rates }
    return gateVerdict({ previous, snapshot: moved, reports, now }, NOTHING_REFUSED)
  }
  const said = (reports: readonly Report[], factor: number, rateFactor = 1) => {
    const { refusals, moved } = verdictOn(reports, factor, rateFactor)
    return refusals[0]?.message.replace(/^.*publication, /, '') ?? (moved ? [moved.confirmed, moved.of] : null)
  }

  it('refuse what arrives through one rate, however little and however many are quoted in it', () => {
    expect(said(calm(5), 1.045, 1.045)).toBe('against the own figures of 2 of 2 witnesses: v1, coingecko')
    expect(said(calm(5), 1.045)).toBe('against the own figures of 5 of 5 witnesses: v1, v2, v3, v4, coingecko')
    expect(said(calm(5), 1.015, 1.015)).toBeNull()
  })

  it('publish what more than half of them confirm, and do not take exactly half for a majority', () => {
    expect(said(world(1.5, 1.5, 1.5, 1), 1.5)).toEqual([3, 4])
    expect(said(world(1.5, 1.5, 1, 1), 1.5)).toContain('which 2 of 4 witnesses confirm')
    expect(said(world(1.5, 1, 1, 1), 1.5)).toContain('against the own figures of 3 of 4')
    // Half of them neither confirm nor refuse a move within the limit.
    expect(said(world(1.2, 1.2, 1, 1), 1.2)).toBeNull()
    expect(said(world(1.2, 1), 1.2)).toBeNull()
  })

  it('take two at least', () => {
    expect(said(world(1.5, 1), 1.5)).toContain('which 1 of 2 witnesses confirm')
    expect(said(world(1.5, 1.5), 1.5)).toEqual([2, 2])
    expect(said(world(1.5), 1.5)).toContain('which 0 of 0 witnesses confirm')
  })

  it('end no refusal while they contradict the prices', () => {
    const { refusals, record } = verdictOn(calm(5), 1.045, 1.045)
    expect(refusals[0]?.release).toMatch(/^It ends by data that does not break the rule, or by no publication until/)
    expect(record.refused).toMatchObject([{ rule: 'median_move', runs: 1, lifted: false }])
  })
})

/** Enough for every rule, and quick. */
const FEW = 44

/** A world that is fed run after run, half an hour each, as a tree would be. */
function worldOf(registry = registryOf()) {
  let previous: Previous = NOTHING_BEFORE
  let record = NOTHING_REFUSED
  let now = NOW
  let refusals: readonly Refusal[] = []
  return {
    /** The rules that refuse a run of these reports; none where it is published. */
    run(...reports: readonly Report[]): string[] {
      const feed = feedFrom(reports, { registry, previous, now })
      const verdict = gateVerdict(
        {
          previous,
          snapshot: feed.snapshot,
          reports: reports.map((report) => ({ ...report, attemptedAt: now })),
          now,
        },
        record,
      )
      record = verdict.record
      refusals = verdict.refusals
      now += HOUR / 2
      if (verdict.refusals.length > 0) return verdict.refusals.map(({ rule }) => rule)
      previous = publishedBy(feed)
      return []
    },
    wait: (hours: number) => (now += hours * HOUR),
    names: () => [...previous.listings.keys()],
    price: (slug: string) => previous.listings.get(slug)?.asset.price_usd,
    status: (slug: string) => previous.listings.get(slug)?.asset.listing_status,
    refusals: () => refusals,
  }
}

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
  const rulesOf = (first: Report, second: Report, hours = 0.5): string[] => {
    const previous = publishedBy(feedFrom([first]))
    const now = NOW + hours * HOUR
    const { snapshot } = feedFrom([second], { previous, now })
    return refusedBy({ previous, snapshot, reports: [{ ...second, attemptedAt: now }], now })
  }

  it.each<readonly [string, (amount: number) => readonly string[], number, number]>([
    ['listings_fall', (lost) => rulesOf(names(100), names(100 - lost)), 10, 11],
    ['priced_fall', (lost) => rulesOf(names(100), names(100, 100 - lost)), 20, 21],
    ['markets_fall', (lost) => refused([venueRows('a', 100)], [venueRows('a', 100 - lost)]), 50, 51],
    ['listings_growth', (added) => rulesOf(names(220), names(220 + added)), 22, 23],
    ['listings_growth', (added) => rulesOf(names(100), names(100 + added)), 20, 21],
    ['median_move', (percent) => rulesOf(gecko(100), gecko(100, 1 + percent / 100)), 30, 30.1],
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

  it('is accepted from a source that listed nothing before', () => {
    const world = worldOf()
    world.run(gecko(FEW), listOf('coinpaprika'))
    const added = Array.from({ length: FEW }, (_, number) => sightingOf(`new${number}`, { price_usd: 1 }))
    expect(world.run(gecko(FEW), listOf('coinpaprika', ...added))).toEqual([])
    expect(world.names()).toHaveLength(2 * FEW)
  })

  it("is accepted from a source's first answer, and from two sources that agree", () => {
    const world = worldOf()
    world.run(gecko(15))
    expect(world.run(gecko(15), paprika(FEW))).toEqual([])
    const both = worldOf()
    both.run(gecko(15), paprika(15))
    expect(both.run(gecko(FEW), paprika(FEW))).toEqual([])
  })

  it('is measured from the last answer of a source that was silent', () => {
    const hours = (silence: number, added: number) => {
      const world = worldOf()
      const list = (count: number) => listOf('coingecko', ...spam(FEW + count).sightings.slice(FEW))
      world.run(list(176), paprika(FEW))
      for (let run = 0; run < 6; run++) {
        world.wait(silence / 6)
        world.run(silent(list(176)), paprika(FEW))
      }
      return world.run(list(176 + added), paprika(FEW))
    }
    expect(hours(0, 23)).toEqual(['listings_growth'])
    expect(hours(0, 22)).toEqual([])
    expect(hours(47, 46)).toEqual([])
    expect(hours(47, 47)).toEqual(['listings_growth'])
  })

  it('is none where a source lists again what was delisted', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    for (let day = 0; day < 5; day++) {
      world.wait(24)
      world.run(gecko(22))
    }
    expect(world.status('coin30')).toBe('delisted')
    expect(world.run(gecko(FEW))).toEqual([])
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
  it('ends when the same is offered long enough by one source', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    const refusals = Array.from({ length: 7 }, () => world.run(gecko(22)).length > 0)
    // Six runs make two and a half hours: it takes three.
    expect(refusals).toEqual([true, true, true, true, true, true, false])
  })

  it('begins again after a run that was not refused', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    for (let run = 0; run < 5; run++) expect(world.run(gecko(22))).not.toEqual([])
    world.run(gecko(FEW))
    for (let run = 0; run < 5; run++) expect(world.run(gecko(22))).not.toEqual([])
  })

  it('ends in a market that does not stop to fall', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    const rules = Array.from({ length: 9 }, (_, run) => world.run(gecko(FEW, 0.65 * 0.99 ** run)))
    expect(rules.map((one) => one.length)).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0])
  })

  it('says since when it refuses, and what releases it', () => {
    const world = worldOf()
    world.run(gecko(FEW))
    world.run(gecko(FEW, 1.5))
    world.run(gecko(FEW, 1.6))
    expect(world.refusals()).toEqual([
      {
        rule: 'median_move',
        message:
          'prices moved by a median of 60 % since the last publication, which 0 of 0 witnesses confirm; without a majority of two the limit is 30 %',
        since: '2026-11-20T12:30:00Z',
        release:
          'It ends by data that does not break the rule, or by 6 runs in a row that find the same (2 so far), from ' +
          '2026-11-20T15:30:00Z on, or by no publication until 2026-11-21T12:00:00Z, or by --accept median_move',
      },
    ])
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
    const { refusals, lifted } = gateVerdict(
      judged,
      NOTHING_REFUSED,
      new Set(['listings_fall', 'priced_fall'] as const),
    )
    expect([refusals, lifted.map(({ rule }) => rule)]).toEqual([[], ['listings_fall', 'priced_fall']])
  })
})

describe('a clock that went back', () => {
  const dated = (at: number) => [gecko(FEW), trading('a', FEW, { at }), trading('b', FEW, { at })]
  it('is right when most sources agree with it', () => {
    const world = worldOf(registry)
    world.wait(24 * 365)
    world.run(gecko(FEW))
    world.wait(-24 * 365)
    const rules = [1, 2, 3].map((run) => world.run(...dated(NOW + (run * HOUR) / 2)))
    expect(rules).toEqual([[], [], []])
  })

  it('is wrong when no more than half of them do', () => {
    const world = worldOf(registry)
    world.wait(24 * 365)
    world.run(gecko(FEW))
    world.wait(-24 * 365)
    const late = [9, 30].map((hours) => trading(`late${hours}`, FEW, { at: NOW - hours * HOUR }))
    expect(world.run(...dated(NOW + HOUR / 2), ...late)).toContain('clock_back')
  })
})

const rates = ratesOf({ USD: 1 })

/** How far prices that moved `from` and `to` are away from aggregators that say these two in their own figures. */
function heard(from: number, to: number, said: Readonly<Record<string, readonly [before: number, now: number]>>) {
  const sources = Object.entries(said).map(([source_id, [price_usd]]) => ({
    source_id,
    pair: 'ACME/USD',
    price_usd,
    weight: 1,
  }))
  const price_basis = { ...basisOf('aggregators'), sources }
  const listing = (slug: string, price_usd: number) => {
    const external_ids = Object.fromEntries(sources.map(({ source_id }) => [source_id, slug]))
    return { asset: assetOf(slug, { price_usd, price_basis, external_ids }), markets: [] }
  }
  const slugs = Array.from({ length: GATE.witness_figures }, (_, index) => `coin-${index}`)
  const moves = slugs.map((slug) => ({ before: listing(slug, from), now: listing(slug, to), from, to }))
  const own = new Map(
    Object.entries(said).map(([source, [, now]]) => [source, new Map(slugs.map((slug) => [slug, now]))]),
  )
  const made = testimonies(moves, own, { before: rates, now: [...rates.values()] })
  return made.map(({ source_id, away }) => `${source_id} ${away.toFixed(2)}`)
}

describe('a witness of the published prices', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'is where they were, if it moved as they did',
      heard(100, 50, { a: [100, 50], b: [102, 51] }),
      ['a 0.00', 'b 0.00'],
    ],
    ['is away from what it does not say', heard(100, 50, { a: [100, 50], b: [100, 100] }), ['a 0.00', 'b 0.69']],
    ['is not away from what comes closer to it', heard(50, 100, { a: [100, 100], b: [50, 50] }), ['a 0.00', 'b 0.69']],
    ['says nothing of what it alone prices', heard(100, 50, { a: [100, 50] }), []],
  ])('%s', (_, actual, expected) => {
    expect(actual).toEqual(expected)
  })
})
