import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { layoutWithin } from '../../src/service/block-plan.ts'
import { HOST_BUDGETS } from '../../src/service/budgets.ts'

/** Documents of a tree with some listings and their year of history. */
const counts = (listings: number) => ({
  listings,
  ofListings: 7 * listings,
  ofCandles: 5 * listings,
  ofNames: listings,
  others: 1370,
  lasting: 749,
})

it('gives every document its own file while there is room', () => {
  expect(layoutWithin(counts(1000), HOST_BUDGETS.cloudflare)).toBeNull()
  expect(layoutWithin(counts(20_000), HOST_BUDGETS.netlify)).toBeNull()
})

it.each([3000, 10_000, 20_000])('finds a layout for %i listings where files or writes are limited', (listings) => {
  expect(layoutWithin(counts(listings), HOST_BUDGETS.cloudflare)).not.toBeNull()
  expect(layoutWithin(counts(listings), HOST_BUDGETS.bucket)).not.toBeNull()
})

it('never plans more files and writes than four fifths of their limits', () => {
  const sizes = fc.record({
    listings: fc.integer({ min: 1, max: 50_000 }),
    candles: fc.integer({ min: 0, max: 50_000 }),
    symbols: fc.integer({ min: 0, max: 50_000 }),
    others: fc.integer({ min: 100, max: 3000 }),
    lasting: fc.integer({ min: 0, max: 4000 }),
    files: fc.integer({ min: 500, max: 100_000 }),
    writes: fc.integer({ min: 500, max: 100_000 }),
  })
  fc.assert(
    fc.property(sizes, ({ listings, candles, symbols, others, lasting, files, writes }) => {
      const ofCandles = 5 * Math.min(candles, listings)
      const size = { listings, ofListings: 7 * listings, ofCandles, ofNames: symbols, others, lasting }
      const layout = layoutWithin(size, { files, writes })
      if (layout === null) return
      const shards = layout.blocks.reduce((sum, block) => sum + block.shards, 0)
      const inBlocks = layout.blocks.some(({ folder }) => folder === 'history')
      const own = (inBlocks ? layout.ownFiles * 7 : 7 * listings + symbols) + Math.min(ofCandles, layout.ownFiles * 5)
      expect(own + shards + others + lasting).toBeLessThanOrEqual(0.8 * files)
      expect(own + shards + others).toBeLessThanOrEqual(0.8 * writes)
    }),
  )
})
