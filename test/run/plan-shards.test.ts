import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlannedGap } from '../../src/run/past-plan.ts'
import { type Region, type Sharding, planShards } from '../../src/run/plan-shards.ts'

const region = (name: string, country: string | null, addresses: number): Region => ({
  name,
  runs_on: `${name}-runner`,
  country,
  addresses,
})
type Facts = Sharding['sources'][number]
const source = (id: string, given: Partial<Facts> = {}): Facts => ({
  id,
  host: `${id}.example`,
  pace: { requests: 1, perSeconds: 1 },
  ...given,
})
const gaps = (source_id: string, count: number): PlannedGap[] =>
  Array.from({ length: count }, (_, index) => ({
    slug: `asset-${index}`,
    days: 7,
    interval: '1h',
    source_id,
    market: `M${index}`,
    quote: 'USD',
    requests: [{ market: `M${index}`, interval: '1h', from: 0, to: 1 }],
  }))
const plan = (given: Partial<Sharding>) =>
  planShards({ sources: [], gaps: [], regions: [region('us', 'US', 20)], mostShards: 256, seconds: 300, ...given })

it('is one shard as long as no host takes longer than a machine may', () => {
  const sources = ['a', 'b', 'c'].map((id) => source(id))
  expect(plan({ sources, gaps: gaps('a', 300) })).toMatchObject([{ sources: ['a', 'b', 'c'], gaps: { length: 300 } }])
})

it('spreads sources among as many machines as are asked for', () => {
  const sources = ['a', 'b', 'c'].map((id) => source(id))
  expect(plan({ sources, leastShards: 2 }).map((shard) => shard.sources)).toEqual([['a', 'c'], ['b']])
})

it('divides the past prices of a slow host among machines, each with an address of its own', () => {
  const shards = plan({
    sources: [source('slow'), source('fast', { pace: { requests: 100, perSeconds: 1 } })],
    gaps: [...gaps('slow', 1000), ...gaps('fast', 1000)],
  })
  expect(shards.map((shard) => shard.gaps.filter(({ source_id }) => source_id === 'slow').length)).toEqual([
    250, 250, 250, 250,
  ])
  expect(shards.filter((shard) => shard.gaps.some(({ source_id }) => source_id === 'fast'))).toHaveLength(1)
  expect(shards.flatMap((shard) => shard.sources).toSorted()).toEqual(['fast', 'slow'])
})

it('asks a source from a region that it answers, or at its other host', () => {
  const refusing = { unavailableFrom: { countries: ['US'], evidence: 'https://x.example' } }
  const elsewhere = { unavailableFrom: { ...refusing.unavailableFrom, fallbackHost: 'y.example' } }
  const shards = plan({
    sources: [source('a'), source('b', refusing), source('c', elsewhere)],
    regions: [region('us', 'US', 3), region('eu', 'DE', 1)],
  })
  expect(shards.map(({ region, runs_on, country, sources }) => ({ region, runs_on, country, sources }))).toEqual([
    { region: 'us', runs_on: 'us-runner', country: 'US', sources: ['a', 'c'] },
    { region: 'eu', runs_on: 'eu-runner', country: 'DE', sources: ['b'] },
  ])
})

it('never divides a source whose quota counts by key or month', () => {
  const quota = { requests: 10_000, per: 'month' as const, evidence: 'https://x.example', list: () => 6 }
  expect(plan({ sources: [source('a', { quota })], gaps: gaps('a', 5000) })).toHaveLength(1)
})

describe('whatever the sources, gaps and regions', () => {
  const sharding = fc.record({
    hosts: fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
    counts: fc.array(fc.nat(900), { minLength: 8, maxLength: 8 }),
    addresses: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
    mostShards: fc.integer({ min: 1, max: 20 }),
  })

  it('each list is asked for once, each gap once, and no host twice on a machine that shares its address', () => {
    fc.assert(
      fc.property(sharding, ({ hosts, counts, addresses, mostShards }) => {
        const sources = hosts.map((host, index) => source(`s${index}`, { host: `${host}.example` }))
        const all = sources.flatMap(({ id }, index) => gaps(id, counts[index] ?? 0))
        const regions = addresses.map((count, index) => region(`r${index}`, null, count))
        const shards = plan({ sources, gaps: all, regions, mostShards })
        expect(shards.flatMap((shard) => shard.sources).toSorted()).toEqual(sources.map(({ id }) => id).toSorted())
        expect(shards.reduce((sum, shard) => sum + shard.gaps.length, 0)).toBe(all.length)
        expect(new Set(shards.flatMap((shard) => shard.gaps)).size).toBe(all.length)
        expect(shards.length).toBeLessThanOrEqual(Math.max(mostShards, addresses.length))
        for (const { name, addresses: own } of regions)
          expect(shards.filter((shard) => shard.region === name).length).toBeLessThanOrEqual(own)
        expect(new Set(shards.map(({ name }) => name)).size).toBe(shards.length)
      }),
      { numRuns: 60 },
    )
  })
})
