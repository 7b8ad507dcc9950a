import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { BlockFolder } from '../../src/contract/blocks.ts'
import { layoutOfOwn, layoutWithin } from '../../src/service/block-plan.ts'
import { HOST_BUDGETS } from '../../src/service/budgets.ts'

/** Documents of a tree with some listings and their year of history. */
const counts = (listings: number, others = 1370, lasting = 749) => {
  const byFolder = new Map<BlockFolder, number>([
    ['assets', listings],
    ['markets', listings],
    ['history', 5 * listings],
    ['candles', 5 * listings],
    ['daily', listings],
    ['symbols', listings],
  ])
  return { listings, byFolder, others, lasting }
}
const foldersOf = (layout: ReturnType<typeof layoutWithin>) => layout?.blocks.map(({ folder }) => folder)

it('gives every document its own file while there is room', () => {
  expect(layoutWithin(counts(800), HOST_BUDGETS.cloudflare)).toBeNull()
})

it('puts what readers rarely ask for by its file into blocks first, and profiles last', () => {
  expect(foldersOf(layoutWithin(counts(1252), HOST_BUDGETS.cloudflare))).toEqual(['candles'])
  expect(foldersOf(layoutWithin(counts(3000), HOST_BUDGETS.cloudflare))).not.toContain('assets')
  expect(foldersOf(layoutOfOwn(20, false))).not.toContain('assets')
})

it.each([3000, 10_000, 20_000])('finds a layout for %i listings where files or writes are limited', (listings) => {
  expect(layoutWithin(counts(listings), HOST_BUDGETS.cloudflare)).not.toBeNull()
  expect(layoutWithin(counts(listings), HOST_BUDGETS.bucket)).not.toBeNull()
})

it('never plans more files and writes than four fifths of their limits', () => {
  const sizes = fc.record({
    listings: fc.integer({ min: 1, max: 50_000 }),
    others: fc.integer({ min: 100, max: 3000 }),
    lasting: fc.integer({ min: 0, max: 4000 }),
    files: fc.integer({ min: 500, max: 100_000 }),
    writes: fc.integer({ min: 500, max: 100_000 }),
  })
  fc.assert(
    fc.property(sizes, ({ listings, others, lasting, files, writes }) => {
      const given = counts(listings, others, lasting)
      const layout = layoutWithin(given, { files, writes })
      if (layout === null) return
      const shards = layout.blocks.reduce((sum, block) => sum + block.shards, 0)
      const own = [...given.byFolder].filter(([folder]) => !foldersOf(layout)?.includes(folder))
      const all = own.reduce((sum, [, count]) => sum + count, shards + others)
      expect(all + lasting).toBeLessThanOrEqual(0.8 * files)
      expect(all).toBeLessThanOrEqual(0.8 * writes)
    }),
  )
})
