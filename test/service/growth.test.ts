import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { layoutWithin } from '../../src/service/block-plan.ts'
import { fittingCadence, growthPlan, printGrowth } from '../../src/service/growth.ts'
import { HOST_LIMITS } from '../../src/service/host-limits.ts'

const onHost = (listings: number, name: string) => growthPlan(listings, 48).find(({ host }) => host === name)

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

it('never plans more files and writes than four fifths of their limits', () => {
  const counts = fc.record({
    listings: fc.integer({ min: 1, max: 50_000 }),
    candles: fc.integer({ min: 0, max: 50_000 }),
    symbols: fc.integer({ min: 0, max: 50_000 }),
    others: fc.integer({ min: 100, max: 3000 }),
    lasting: fc.integer({ min: 0, max: 4000 }),
    files: fc.integer({ min: 500, max: 100_000 }),
    writes: fc.integer({ min: 500, max: 100_000 }),
  })
  fc.assert(
    fc.property(counts, ({ listings, candles, symbols, others, lasting, files, writes }) => {
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

it.each([1252, 3000, 10_000, 20_000])(
  'finds a layout for %i listings that changes less than a run may write to a bucket',
  (listings) => {
    const plan = onHost(listings, 'bucket')
    expect(plan?.layout).not.toBe(null)
    expect(plan?.changing).toBeLessThanOrEqual(2000)
  },
)

it('names the page of each limit and the day it was read', () => {
  const text = printGrowth(3000, 48)
  for (const { address } of Object.values(HOST_LIMITS).flat()) expect(text).toContain(address)
  expect(text).toContain('2026-11-22')
})

it('says what a plan charges or forbids beside its limits', () => {
  const text = printGrowth(1252, 48)
  const ofHost = (host: string) => text.split('\n\n').find((part) => part.startsWith(`${host}: `))
  expect(ofHost('netlify')).toContain('transfer (20 a GB)')
  expect(ofHost('vercel')).toContain('non-commercial')
})

it('names the cadence that the deployments of a free plan allow, and none where they are not counted', () => {
  expect(fittingCadence(HOST_LIMITS.vercel)).toBe(15)
  expect(fittingCadence(HOST_LIMITS.netlify)).toBe(2160)
  expect(fittingCadence(HOST_LIMITS['github-pages'])).toBeNull()
  expect(fittingCadence(HOST_LIMITS['r2-free'], 2000)).toBe(87)
})

it('prints a month of half hours: what breaks a plan is said, and GitHub Pages alone is none of it', () => {
  const text = printGrowth(1252, 48)
  const [, pages = ''] = /\ngithub-pages: ([\s\S]*?)\n\n/.exec(text) ?? []
  expect(pages).toMatch(/^fits\n/)
  expect(pages).not.toContain('too many')
  expect(text).toContain(
    'netlify: does not fit: too many deployments or writes; the shortest cadence that fits is 2,160 minutes',
  )
  expect(text).toContain('A month: 1,440 runs and deployments, about 7,200 minutes')
})

it('fits no host whose deployments or writes cannot keep up, at any cadence', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 288 }), (runsPerDay) => {
      for (const { changing, limits, excess } of growthPlan(122, runsPerDay)) {
        const least = fittingCadence(limits, changing)
        if (least !== null && 1440 / runsPerDay < least) expect(excess).not.toEqual([])
      }
    }),
  )
})

it('says what a month costs, and what is free', () => {
  const text = printGrowth(122, 48)
  expect(text).toContain('US$0.006 for each further one: US$31 a month')
  // 72 blocks, a twelfth of 122 pages of two, 100 badges and 200 others: 393, 1,440 times.
  expect(text).toContain('about US$2.83 a month: about 393 requests a run')
  const [free] = growthPlan(122, 4).filter(({ host }) => host === 'r2-free')
  expect(free).toMatchObject({ dollarsPerMonth: 0, excess: [] })
})
