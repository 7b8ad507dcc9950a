import { expect, it } from 'vitest'
import { stormOf } from './storm.ts'

it('publishes a calm market at its true prices, with every coin matched', () => {
  const storm = stormOf()
  for (let run = 0; run < 3; run++) {
    const { refused, mostOff, asset } = storm.run()
    expect(refused).toEqual([])
    expect(mostOff).toBeLessThan(0.001)
    expect(asset('coin-7')?.price_basis.method).toBe('exchanges')
  }
})
