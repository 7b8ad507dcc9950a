import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { combinedBar } from '../../src/core/history/bar-consensus.ts'
import type { VenueBar } from '../../src/core/history/answers.ts'

const bar = (given: Partial<VenueBar> = {}): VenueBar => ({
  open: 100,
  high: 103,
  low: 98,
  close: 101,
  volume: 10,
  volume_usd: null,
  ...given,
})

it('returns the bar of a single venue as it is', () => {
  const own = bar({ high: 250, low: 1 })
  expect(combinedBar([own])).toEqual({ ...own, venues: 1 })
  expect(combinedBar([])).toBe(null)
})

it('adds up what the venues of a bar traded, and knows none where one does not tell', () => {
  expect(combinedBar([bar(), bar({ volume: 5 })])).toMatchObject({ volume: 15, venues: 2 })
  expect(combinedBar([bar(), bar({ volume: null })])).toMatchObject({ volume: null, venues: 2 })
})

it('leaves out a venue whose close the others contradict, with its volume', () => {
  const liar = bar({ open: 150, high: 151, low: 149, close: 150, volume: 1e9 })
  expect(combinedBar([bar(), liar, bar()])).toEqual({ ...bar(), volume: 20, venues: 2 })
})

it.each([
  ['of three', [bar(), bar(), bar({ high: 180, low: 20 })], 3],
  ['of two', [bar(), bar({ high: 180, low: 20 })], 2],
])('has no wick that only one venue saw, %s', (_, bars, venues) => {
  expect(combinedBar(bars)).toMatchObject({ high: 103, low: 98, venues })
})

it('does not count a bar without trades beside others', () => {
  expect(combinedBar([bar(), bar({ close: 99, low: 99, high: 99, open: 99, volume: 0 })])).toEqual({
    ...bar(),
    venues: 1,
  })
  expect(combinedBar([bar({ volume: 0 }), bar({ volume: 0 })])).toMatchObject({ volume: 0, venues: 2 })
})

const price = fc.double({ min: 1e-9, max: 1e9, noNaN: true })
const anyBar = fc
  .record({
    prices: fc.tuple(price, price, price, price),
    volume: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true })),
  })
  .map(({ prices: [open, close, up, down], volume }): VenueBar => ({
    open,
    close,
    high: Math.max(open, close, up),
    low: Math.min(open, close, down),
    volume,
    volume_usd: volume,
  }))

it('keeps every bar within those of its venues and its own low and high', () => {
  fc.assert(
    fc.property(fc.array(anyBar, { minLength: 1, maxLength: 5 }), (bars) => {
      const combined = combinedBar(bars)
      if (combined === null) throw new Error('no bar')
      const { open, high, low, close, venues } = combined
      expect(low).toBeLessThanOrEqual(Math.min(open, close))
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
      expect(high).toBeLessThanOrEqual(Math.max(...bars.map((one) => one.high)))
      expect(low).toBeGreaterThanOrEqual(Math.min(...bars.map((one) => one.low)))
      expect(venues).toBeLessThanOrEqual(bars.length)
    }),
  )
})
