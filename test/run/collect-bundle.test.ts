import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type Bundle, encodeBundle } from '../../src/observations/bundle.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import { type Collection, collectBundle } from '../../src/run/collect-bundle.ts'
import { readPastPlan } from '../../src/run/past-plan.ts'
import { planRun } from '../../src/run/plan-run.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../../src/sources/sample/sample.ts'
import type { Source } from '../../src/sources/source.ts'
import { observedRun, readOf } from '../observations/bundles.ts'
import { NOON, leanRun, newFolder } from '../sample-tree.ts'

const HALF_HOUR = 1_800_000
const registry = openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS })
const collection = (given: Partial<Collection> & Pick<Collection, 'sources'>): Promise<Bundle> =>
  collectBundle({
    state: newFolder(),
    kind: 'sample',
    all: given.sources,
    registry,
    now: NOON,
    elapsed: () => performance.now(),
    signal: new AbortController().signal,
    connect: () => ({
      stats: { requests: 0, retries: 0, bytes: 0 },
      json: () => Promise.reject(new Error('the sample asks nobody')),
      close: async () => {},
    }),
    listings: null,
    cadenceMs: HALF_HOUR,
    region: null,
    commit: null,
    planned: null,
    ...given,
  })
const Series = z.object({ rows: z.array(z.unknown()) })
const yearOf = (root: string): number =>
  Series.parse(JSON.parse(readFileSync(join(root, 'api/mkt/history/bitcoin/days=365.json'), 'utf8'))).rows.length

it('past prices that one merge plans are collected in parts and filled in by the next', async () => {
  const { bundle } = await observedRun({ history: { perRun: 0, perSource: 0 } })
  const root = newFolder()
  const history = { perRun: 60, perSource: 60 }
  await leanRun(root, { bundles: [readOf(encodeBundle(bundle))], history })
  expect(readPastPlan(root).length).toBeGreaterThan(10)
  expect(yearOf(root)).toBe(1)

  const now = NOON + HALF_HOUR
  const sources = sampleSources(now, 8)
  const { plan } = await planRun({
    root,
    from: [],
    kind: 'sample',
    sources,
    registry,
    now,
    cadenceMs: HALF_HOUR,
    listings: null,
    regions: [{ name: 'us', runs_on: 'ubuntu-24.04', country: 'US', addresses: 4 }],
    mostShards: 4,
    leastShards: 1,
    seconds: 2e-6,
  })
  expect(plan.shards.length).toBeGreaterThan(1)
  expect(plan.shards.flatMap(({ gaps }) => gaps)).toHaveLength(readPastPlan(root).length)
  const bundles = await Promise.all(
    plan.shards.map((shard) => {
      const own = sources.filter(({ id }) => shard.sources.includes(id))
      return collection({ sources: own, all: sources, now, planned: { plan, shard } })
    }),
  )
  // A machine that only has past prices of a source does not speak for its lists.
  expect(bundles.flatMap(({ header }) => header.sources.filter(({ listed }) => listed))).toHaveLength(sources.length)
  expect(bundles.some(({ header }) => header.sources.some(({ listed }) => !listed))).toBe(true)
  const read = bundles.map((one) => readOf(encodeBundle(one)))
  const { outcome, reports } = await leanRun(root, { now, bundles: read, history })
  expect([outcome, reports.filter(({ error }) => error !== null)]).toEqual(['published', []])
  expect(yearOf(root)).toBeGreaterThan(300)
})

it('a source that fails is in the bundle with its reason, and no request goes beyond what the plan allows', async () => {
  const [first] = sampleSources(NOON, 8)
  if (!first) throw new Error('the sample has no source')
  const stats = { requests: 0, retries: 0, bytes: 0 }
  const asking: Source = {
    ...first,
    async observe(http) {
      for (let request = 0; request < 5; request++) await http.json('/x', z.unknown())
      return []
    },
  }
  const shard = { name: '001', region: 'us', runs_on: 'x', country: null, sources: [asking.id], gaps: [] }
  const planned = {
    source_id: asking.id,
    most: 3,
    profiles: { most: 0, updated: {}, refused: [] },
    tokens: [],
    currencies: false,
  }
  const plan = {
    format: 'quotetree-plan' as const,
    version: 1 as const,
    run: 'a run',
    kind: 'sample' as const,
    cadence_ms: HALF_HOUR,
    listings: null,
    sources: [planned],
    shards: [shard, { ...shard, name: '002', sources: ['elsewhere'] }],
  }
  const { header } = await collection({
    sources: [asking],
    planned: { plan, shard },
    connect: () => ({
      stats,
      async json(_, schema) {
        stats.requests++
        return schema.parse(null)
      },
      close: async () => {},
    }),
  })
  expect(header).toMatchObject({
    run: 'a run',
    expected: [asking.id, 'elsewhere'],
    sources: [{ error: { code: 'source_rate_limited' }, requests: 3, rows: 0 }],
  })
})
