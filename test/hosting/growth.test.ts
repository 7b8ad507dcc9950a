import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { layoutWithin } from '../../src/hosting/block-plan.ts'
import { fittingCadence, growthPlan, printGrowth } from '../../src/hosting/growth.ts'
import { HOST_LIMITS } from '../../src/hosting/host-limits.ts'

const onHost = (listings: number, name: string) => growthPlan(listings).find(({ host }) => host === name)

it.each([1000, 3000, 10_000, 20_000])('fits %i listings into the files of Cloudflare', (listings) => {
  const plan = onHost(listings, 'cloudflare')
  expect(plan?.excess).toEqual([])
  expect(plan?.files).toBeLessThanOrEqual(20_000)
  expect(plan?.largest).toBeLessThan(25 * 2 ** 20)
})

it('gives every document its own file while there is room', () => {
  expect(onHost(1000, 'cloudflare')?.layout).toBe(null)
  expect(onHost(20_000, 'netlify')?.layout).toBe(null)
})

it('never plans more files than four fifths of the limit', () => {
  const counts = fc.record({
    listings: fc.integer({ min: 1, max: 50_000 }),
    candles: fc.integer({ min: 0, max: 500 }),
    symbols: fc.integer({ min: 0, max: 50_000 }),
    others: fc.integer({ min: 100, max: 3000 }),
    files: fc.integer({ min: 500, max: 100_000 }),
  })
  fc.assert(
    fc.property(counts, ({ listings, candles, symbols, others, files }) => {
      const ofCandles = 5 * Math.min(candles, listings)
      const size = { listings, ofListings: 7 * listings, ofCandles, ofSymbols: symbols, others }
      const layout = layoutWithin(size, { files, bytes: null, file_bytes: null, folder_files: null })
      if (layout === null) return
      const shards = layout.blocks.reduce((sum, block) => sum + block.shards, 0)
      const own = layout.ownFiles * 7 + Math.min(ofCandles, layout.ownFiles * 5)
      expect(own + shards + others).toBeLessThanOrEqual(0.8 * files)
    }),
  )
})

it('names the page of each limit and the day it was read', () => {
  const text = printGrowth(3000, 48)
  for (const { address } of Object.values(HOST_LIMITS).flat()) expect(text).toContain(address)
  expect(text).toContain('2026-11-22')
})

it('names the cadence that the deployments of a free plan allow, and none where they are not counted', () => {
  expect(fittingCadence(HOST_LIMITS.vercel)).toBe(15)
  expect(fittingCadence(HOST_LIMITS.netlify)).toBe(2160)
  expect(fittingCadence(HOST_LIMITS['github-pages'])).toBeNull()
})

it('prints a month of half hours: what breaks a plan is said, and GitHub Pages alone is none of it', () => {
  const text = printGrowth(1252, 48)
  const [, pages = ''] = /\ngithub-pages: ([\s\S]*?)\n\n/.exec(text) ?? []
  expect(pages).toMatch(/^fits\n/)
  expect(pages).not.toContain('too many')
  expect(text).toMatch(/netlify:[\s\S]*?too many deployments; the shortest cadence that fits is 2,160 minutes/)
  expect(text).toContain('A month: 1,440 runs and deployments, about 7,200 minutes')
})
