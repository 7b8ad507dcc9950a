import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { VenueBars } from '../../src/core/history/answers.ts'
import * as consensus from '../../src/core/history/bar-consensus.ts'
import { Columns } from '../../src/core/history/columns.ts'
import { VENUE_BAR_COLUMNS } from '../../src/core/history/past.ts'

type VenueBar = Omit<consensus.CombinedBar, 'venues'>
function columnsOf(own: VenueBar): VenueBars {
  const columns: VenueBars = new Columns(1, [...VENUE_BAR_COLUMNS, 'volume_usd'])
  columns.assign(0, own)
  return columns
}
const combinedBar = (bars: readonly VenueBar[]) => consensus.combinedBar(bars.map(columnsOf), 0)

const bar = (given: Partial<VenueBar> = {}): VenueBar => ({
  open_usd: 100,
  high_usd: 103,
  low_usd: 98,
  close_usd: 101,
  volume_base: 10,
  volume_usd: Number.NaN,
  ...given,
})

it('returns the bar of a single venue as it is', () => {
  const own = bar({ high_usd: 250, low_usd: 1 })
  expect(combinedBar([own])).toEqual({ ...own, venues: 1 })
  expect(combinedBar([])).toBe(null)
})

it('adds up what the venues of a bar traded, and knows none where one does not tell', () => {
  expect(combinedBar([bar(), bar({ volume_base: 5 })])).toMatchObject({ volume_base: 15, venues: 2 })
  expect(combinedBar([bar(), bar({ volume_base: Number.NaN })])).toMatchObject({ volume_base: Number.NaN, venues: 2 })
})

it('leaves out a venue whose close the others contradict, with its volume', () => {
  const liar = bar({ open_usd: 150, high_usd: 151, low_usd: 149, close_usd: 150, volume_base: 1e9 })
  expect(combinedBar([bar(), liar, bar()])).toEqual({ ...bar(), volume_base: 20, venues: 2 })
})

it.each([
  ['of three', [bar(), bar(), bar({ high_usd: 180, low_usd: 20 })], 3],
  ['of two', [bar(), bar({ high_usd: 180, low_usd: 20 })], 2],
])('has no wick that only one venue saw, %s', (_, bars, venues) => {
  expect(combinedBar(bars)).toMatchObject({ high_usd: 103, low_usd: 98, venues })
})

it('does not count a bar without trades beside others', () => {
  const still = bar({ close_usd: 99, low_usd: 99, high_usd: 99, open_usd: 99, volume_base: 0 })
  expect(combinedBar([bar(), still])).toEqual({ ...bar(), venues: 1 })
  expect(combinedBar([bar({ volume_base: 0 }), bar({ volume_base: 0 })])).toMatchObject({ volume_base: 0, venues: 2 })
})

const price = fc.double({ min: 1e-9, max: 1e9, noNaN: true })
const anyBar = fc
  .record({
    prices: fc.tuple(price, price, price, price),
    volume: fc.double({ min: 0, max: 1e12 }),
  })
  .map(({ prices: [open, close, up, down], volume }): VenueBar => ({
    open_usd: open,
    close_usd: close,
    high_usd: Math.max(open, close, up),
    low_usd: Math.min(open, close, down),
    volume_base: volume,
    volume_usd: volume,
  }))

it('keeps every bar within those of its venues and its own low and high', () => {
  fc.assert(
    fc.property(fc.array(anyBar, { minLength: 1, maxLength: 5 }), (bars) => {
      const combined = combinedBar(bars)
      if (combined === null) throw new Error('no bar')
      const { open_usd: open, high_usd: high, low_usd: low, close_usd: close, venues } = combined
      expect(low).toBeLessThanOrEqual(Math.min(open, close))
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
      expect(high).toBeLessThanOrEqual(Math.max(...bars.map((one) => one.high_usd)))
      expect(low).toBeGreaterThanOrEqual(Math.min(...bars.map((one) => one.low_usd)))
      expect(venues).toBeLessThanOrEqual(bars.length)
    }),
  )
})
