import { describe, expect, it } from 'vitest'
import { scaled } from '../scale.ts'
import { type Storm, type StormRun, type Weather, stormOf } from './storm.ts'

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
