import { describe, expect, it } from 'vitest'
import { stormOf } from './storm.ts'

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
    ['falls by 5 % in each of 40 runs', 0.95, 40],
    ['falls by 2 % in each of 40 runs', 0.98, 40],
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

  it('is published while a source tells its last prices', () => {
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
