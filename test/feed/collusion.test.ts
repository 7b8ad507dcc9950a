import { describe, expect, it } from 'vitest'
import { scaled } from '../scale.ts'
import * as fc from 'fast-check'
import type { Sighting } from '../../src/core/sources/source.ts'
import { type Storm, type StormRun, type Weather, QUOTED_IN, stormOf } from './storm.ts'

const FEW = ['coin-3', 'coin-5', 'coin-9', 'coin-12'] as const
const THREE = ['alpha', 'gamma', 'epsilon']

/** A market in which a few coins trade at three venues, and the first of two aggregators lists them. */
function fewVenues(aggregators: readonly string[] = ['list']): Storm {
  const storm = stormOf()
  for (const id of FEW) {
    const at = storm.coins.findIndex((coin) => coin.id === id)
    const coin = storm.coins[at]
    if (coin) storm.coins[at] = { ...coin, venues: THREE, aggregators }
  }
  return storm
}

const lie = (factor: number, ...venues: readonly string[]): Weather => ({
  lies: Object.fromEntries(
    venues.map((venue) => [venue, { coins: Object.fromEntries(FEW.map((id) => [id, factor])) }]),
  ),
})

/** Coins with a price that is wrong by more than 2 %, and a confidence above 0.3. */
const wronglySure = ({ off, asset }: StormRun): string[] =>
  FEW.filter((id) => off(id) > 0.0205 && (asset(id)?.price_confidence ?? 0) > 0.3)

describe('two of three venues that lie together', () => {
  it.each([1.03, 1.05, 1.2, 100])(
    'by a factor of %d move no price while the third, the aggregator and the last price contradict them',
    (factor) => {
      const storm = fewVenues()
      storm.run()
      for (let run = 0; run < 3; run++) {
        const { off, asset } = storm.run(lie(factor, 'alpha', 'gamma'))
        for (const id of FEW) {
          expect(off(id)).toBeLessThan(0.005)
          expect(asset(id)?.price_confidence).toBeLessThanOrEqual(0.3)
          expect(asset(id)?.price_basis.low_confidence_reason).not.toBeNull()
        }
      }
    },
  )

  it.each([1.025, 1.05, 3])(
    'by a factor of %d never make a confident price, without an aggregator or a past',
    (factor) => {
      for (const storm of [fewVenues(), fewVenues([])])
        expect(wronglySure(storm.run(lie(factor, 'alpha', 'gamma')))).toEqual([])
    },
  )

  it.each([1.05, 3])(
    'by a factor of %d move no price of a fresh tree that an aggregator seconds the third about',
    (factor) => {
      const { off } = fewVenues().run(lie(factor, 'alpha', 'gamma'))
      for (const id of FEW) expect(off(id)).toBeLessThan(0.005)
    },
  )

  it('cannot lead the last price away step by step with confidence', () => {
    const storm = fewVenues()
    storm.run()
    for (let factor = 1.01; factor < scaled(1.2, 1.5); factor *= 1.01)
      expect(wronglySure(storm.run(lie(factor, 'alpha', 'epsilon')))).toEqual([])
  })

  it('cannot release a jump from the quarantine, and say what would', () => {
    const storm = fewVenues(['list'])
    storm.run()
    const silent = { ...lie(100, 'alpha', 'gamma'), silent: ['list', 'index'] }
    const { asset, off } = storm.run(silent)
    for (const id of FEW) {
      expect(off(id)).toBeLessThan(0.001)
      expect(asset(id)).toMatchObject({ price_basis: { method: 'carried' } })
      expect(asset(id)?.held).toMatchObject([
        {
          rule: 'price_jump',
          source_ids: ['alpha', 'gamma'],
          reason: expect.stringContaining('2 of 3 venues and aggregators confirm it'),
        },
      ])
    }
  })
})

describe('a real move of a coin at three venues', () => {
  it.each([0.01, 0.4, 0.95, 1.3, 4, 100])('to %d times its price is published at once', (factor) => {
    const storm = fewVenues()
    storm.run()
    const move = Object.fromEntries(FEW.map((id) => [id, factor]))
    const { off, asset } = storm.run({ coins: move })
    for (const id of FEW) {
      expect(off(id)).toBeLessThan(0.001)
      expect(asset(id)?.price_confidence).toBeGreaterThan(0.3)
    }
  })

  it.each([0.4, 0.95, 4])('to %d times its price needs no aggregator, which is an hour behind', (factor) => {
    const storm = fewVenues()
    storm.run()
    const late = Object.fromEntries(FEW.map((id) => [id, 1 / factor]))
    const { off } = storm.run({
      coins: Object.fromEntries(FEW.map((id) => [id, factor])),
      lies: { list: { coins: late }, index: { coins: late } },
    })
    for (const id of FEW) expect(off(id)).toBeLessThan(0.001)
  })

  it('never waits for the market to stand still, though one venue is always higher and no aggregator answers', () => {
    const storm = fewVenues()
    const fall = Object.fromEntries(FEW.map((id) => [id, 0.8]))
    storm.run()
    for (let run = 0; run < 20; run++) {
      const { off } = storm.run({ ...lie(1.3, 'epsilon'), coins: fall, silent: ['list', 'index'] })
      for (const id of FEW) expect(off(id)).toBeLessThan(0.001)
    }
  })
})

describe('a lie about USDT/USD', () => {
  const QUOTED = ['bitcoin', 'coin-4', 'coin-7', 'coin-10']
  const venues = ['alpha', 'beta', 'gamma', 'epsilon', 'zeta']

  it.each<readonly [string, Weather]>([
    ['one of two venues', { lies: { gamma: { coins: { tether: 1.05 } } } }],
    [
      'one of two venues and an aggregator',
      { lies: { gamma: { coins: { tether: 1.05 } }, list: { coins: { tether: 1.05 } } }, silent: ['index'] },
    ],
    ['an aggregator', { lies: { list: { coins: { tether: 1.05 } } } }],
  ])('by %s moves no price of a fresh tree', (_, weather) => {
    const { off } = stormOf({ venues }).run(weather)
    for (const id of QUOTED) expect(off(id)).toBeLessThan(0.002)
  })

  it('by one of two venues moves no price while no aggregator answers and the last rate is old', () => {
    const storm = stormOf({ venues })
    storm.run()
    const { off, asset } = storm.run({
      hours: 3,
      lies: { gamma: { coins: { tether: 1.05 } } },
      silent: ['list', 'index'],
    })
    for (const id of QUOTED) {
      expect(off(id)).toBeLessThan(0.002)
      expect(asset(id)?.price_confidence).toBeLessThanOrEqual(0.3)
      expect(asset(id)?.price_basis.low_confidence_reason).toBe('weak_rate')
    }
  })
})

describe('a rate of one venue', () => {
  const venues = ['alpha', 'beta', 'gamma', 'epsilon']
  const jumped = ['coin-4', 'coin-7', 'coin-10']

  it('that jumps moves no price by itself: each venue is a witness in its own figures', () => {
    const storm = stormOf({ venues })
    storm.run()
    const silent = ['list', 'index']
    const { feed } = storm.run({ lies: { gamma: { coins: { tether: 3 } } }, silent })
    for (const id of jumped)
      expect(feed.snapshot.bySlug.get(id)?.asset.held).toMatchObject([{ field: 'price_usd', rule: 'price_jump' }])
  })

  it('holds no move back that the venues show', () => {
    const storm = stormOf({ venues })
    storm.run()
    const { feed, off } = storm.run({
      coins: Object.fromEntries(jumped.map((id) => [id, 0.3])),
      silent: ['list', 'index'],
    })
    expect(feed.snapshot.quarantine).toEqual([])
    for (const id of jumped) expect(off(id)).toBeLessThan(0.001)
  })
})

describe('two of six venues that lie together about everything', () => {
  it('never have an honest venue excluded, in however many runs', () => {
    const storm = stormOf()
    storm.run()
    for (const factor of [1.04, 1.08, 1.15, 1.25, 1.4]) {
      const lies = { alpha: { all: factor }, epsilon: { all: factor } }
      const { feed, medianOff } = storm.run({ lies, silent: ['index'] })
      const excluded = feed.snapshot.sources.flatMap(({ source_id, price_factor }) =>
        price_factor === null ? [] : source_id,
      )
      expect(excluded.filter((id) => id !== 'alpha' && id !== 'epsilon')).toEqual([])
      expect(medianOff).toBeLessThan(0.002)
    }
  })
})

const CALM_RUNS = 2
const [OLD, NEW] = ['coin-10', 'coin-10-2']

/** When, in runs after the calm ones, each kind of source gives the symbol of one coin to a new one. */
interface Reuse {
  /** What the new coin costs, over the price of the old one. */
  readonly factor: number
  readonly venuesAt: number
  readonly listAt: number
  readonly indexAt: number
  /** Whether the venues go on to trade the old coin under its new symbol. */
  readonly oldTrades: boolean
  /** How many venues trade the symbol. */
  readonly venues: number
}

/** Plays the reuse of a symbol until it is over for `after` runs, and hands each run to `look`. */
function play(reuse: Reuse, after: number, look: (run: ReturnType<ReturnType<typeof stormOf>['run']>) => void) {
  const storm = stormOf({ coins: stormOf().coins.slice(0, 12) })
  const old = storm.coins.find(({ id }) => id === OLD)
  if (!old) throw new Error('no such coin')
  const venues = Object.keys(QUOTED_IN).slice(0, reuse.venues)
  old.venues = venues
  storm.coins.push({ ...old, id: NEW, price: old.price * reuse.factor, venues: [], supply: 5, contracts: [] })
  const fresh = storm.coins.find(({ id }) => id === NEW)
  const named = (isOver: boolean) => ({
    sighting: (row: Sighting): Sighting | null =>
      row.id === NEW
        ? isOver
          ? { ...row, symbol: 'C10', name: OLD }
          : null
        : row.id === OLD && isOver
          ? { ...row, symbol: 'C10C', name: `${OLD} classic` }
          : row.id === OLD
            ? { ...row, symbol: 'C10', name: OLD }
            : row,
  })
  const last = Math.max(reuse.venuesAt, reuse.listAt, reuse.indexAt) + after
  for (let run = -CALM_RUNS; run <= last; run++) {
    if (run === reuse.venuesAt && fresh) {
      Object.assign(old, { symbol: 'C10C', venues: reuse.oldTrades ? venues : [] })
      Object.assign(fresh, { symbol: 'C10', venues })
    }
    look(storm.run({ lies: { list: named(run >= reuse.listAt), index: named(run >= reuse.indexAt) } }))
  }
  return storm
}

const calm: Reuse = { factor: 20, venuesAt: 0, listAt: 0, indexAt: 0, oldTrades: false, venues: 6 }

describe('a symbol that is given to a new coin', () => {
  it('moves to it with its markets in the run that sees the change', () => {
    const storm = play(calm, 0, ({ refused }) => expect(refused).toEqual([]))
    const { listings } = storm.previous()
    expect(listings.get(OLD)).toMatchObject({ asset: { symbol: 'C10C' }, markets: [] })
    expect(listings.get(NEW)).toMatchObject({ asset: { symbol: 'C10' } })
    expect(listings.get(NEW)?.markets).toHaveLength(10)
    expect(storm.run().mostOff).toBeLessThan(0.01)
  })

  const orders = fc.record({ venuesAt: fc.nat(3), listAt: fc.nat(3), indexAt: fc.nat(3) })
  it('is never priced with confidence where it is wrong, and right two runs after the last change', () => {
    fc.assert(
      fc.property(
        orders,
        fc.constantFrom(0.05, 5, 20),
        fc.boolean(),
        fc.constantFrom(2, 3, 6),
        (order, factor, oldTrades, venues) => {
          const wrong: string[] = []
          let end: (string | number)[] = []
          play({ ...order, factor, oldTrades, venues }, 2, ({ refused, asset, off }) => {
            wrong.push(...refused)
            end = []
            for (const id of [OLD, NEW]) {
              const { price_usd = null, price_confidence = null, price_basis } = asset(id) ?? {}
              if (price_usd === null) continue
              if (off(id) > 0.02 && (price_confidence ?? 1) > 0.3)
                wrong.push(`${id} ${price_usd} ${price_confidence} ${price_basis?.low_confidence_reason}`)
              end.push(id, off(id) > 0.01 ? price_usd : 'right')
            }
          })
          expect(wrong).toEqual([])
          expect(end).toEqual([OLD, 'right', NEW, 'right'])
        },
      ),
      { numRuns: 8 },
    )
  })
})
