import { describe, expect, it } from 'vitest'
import { scaled } from '../scale.ts'
import { type Coin, type Storm, type Weather, stormOf } from './storm.ts'

it('publishes a calm market at its true prices, with every coin matched', () => {
  const storm = stormOf()
  for (let run = 0; run < 3; run++) {
    const { refused, mostOff, asset, verdict } = storm.run()
    expect(refused).toEqual([])
    expect(mostOff).toBeLessThan(0.001)
    expect(asset('coin-7')?.price_basis.method).toBe('exchanges')
    expect(verdict.moved).toBeNull()
  }
})

describe('a market that moves, as every source shows in its own figures', () => {
  it.each<readonly [string, number, number]>([
    ['falls by 5 % in each of some runs', 0.95, scaled(10, 40)],
    ['falls by 2 % in each of some runs', 0.98, scaled(10, 40)],
    ['falls by 60 % at once', 0.4, 1],
    ['rises by 300 % at once', 4, 1],
  ])('%s, and is published in every run', (_, all, runs) => {
    const storm = stormOf()
    storm.run()
    for (let run = 0; run < runs + 3; run++) {
      const { refused, medianOff, verdict } = storm.run(run < runs ? { all } : {})
      expect(refused).toEqual([])
      expect(medianOff).toBeLessThan(0.01)
      if (run < runs && all !== 0.98)
        expect(verdict.moved).toMatchObject({ confirmed: 8, of: 8, percent: expect.closeTo((all - 1) * 100, 0) })
    }
  })

  it('is published while a source repeats its last prices', () => {
    const storm = stormOf()
    storm.run()
    const { refused, medianOff, verdict } = storm.run({ all: 0.4, lies: { list: { all: 2.5 }, alpha: { all: 2.5 } } })
    expect(refused).toEqual([])
    expect(medianOff).toBeLessThan(0.01)
    expect(verdict.moved).toMatchObject({ confirmed: 6, of: 8 })
  })

  it('is published after runs that were refused or did not take place', () => {
    const storm = stormOf()
    storm.run()
    for (const hours of [6, 20, 30]) {
      const { refused, medianOff } = storm.run({ all: 0.5, hours })
      expect(refused).toEqual([])
      expect(medianOff).toBeLessThan(0.01)
    }
  })
})

describe('a lie', () => {
  /** A market where one aggregator alone knows most coins. */
  const lonely = (): Storm => {
    const storm = stormOf({ hours: 1 })
    const [coin] = storm.coins.slice(-1)
    const lone = (number: number): Coin[] =>
      coin
        ? [
            {
              ...coin,
              id: `lone-${number}`,
              name: `lone-${number}`,
              symbol: `L${number}`,
              venues: [],
              aggregators: ['list'],
              contracts: [],
            },
          ]
        : []
    storm.coins.push(...Array.from({ length: 60 }, (_, number) => lone(number)).flat())
    return storm
  }

  it.each<readonly [string, Weather]>([
    ['of one venue about the rate of USDT', { lies: { gamma: { coins: { tether: 1.05 } } } }],
    ['of one aggregator about the rate of USDT', { lies: { list: { coins: { tether: 1.05 } } } }],
    ['of one aggregator about all prices, doubled', { lies: { list: { all: 2 } } }],
    ['of one aggregator about all prices, half as high again', { lies: { list: { all: 1.5 } } }],
    ['of one venue about all prices, doubled', { lies: { alpha: { all: 2 } } }],
    ['of one venue about all prices, 5 % too high', { lies: { alpha: { all: 1.05 } } }],
  ])('%s is never published, and stops no other price', (_, weather) => {
    const storm = lonely()
    storm.run()
    for (let run = 0; run < scaled(4, 8); run++) {
      const { refused, mostOff } = storm.run(weather)
      expect(refused).toEqual([])
      expect(mostOff).toBeLessThan(0.01)
    }
    const { refused, mostOff } = storm.run()
    expect([refused, mostOff < 0.01]).toEqual([[], true])
  })

  it('of one aggregator is held back asset by asset, and says why and until when', () => {
    const storm = lonely()
    storm.run()
    const { asset, feed } = storm.run({ all: 0.9, lies: { list: { all: 2 } } })
    expect(asset('lone-3')).toMatchObject({
      price_basis: { method: 'carried' },
      held: [
        {
          rule: 'source_distrusted',
          source_ids: ['list'],
          reason: 'Only list reports a price, and its prices of other assets are far from those of the venues.',
          release: 'Prices of list within 5 % of the venues in the median, or another source.',
        },
      ],
    })
    expect(asset('coin-7')?.held).toEqual([])
    expect(feed.snapshot.sources.find(({ source_id }) => source_id === 'list')?.price_factor).toBeCloseTo(2, 2)
    expect(storm.run().asset('lone-3')?.held).toEqual([])
  })
})
