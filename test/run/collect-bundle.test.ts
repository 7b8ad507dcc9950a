import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { type Bundle, encodeBundle } from '../../src/core/sources/bundle.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { type Collection, collectBundle } from '../../src/core/run/recording.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../../src/core/sources/sample/sample.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { observedRun, readOf } from '../sources/bundles.ts'
import { NOON, leanRun, newFolder } from '../sample-tree.ts'

const HALF_HOUR = 1_800_000
const registry = openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS })
const collection = (given: Partial<Collection> & Pick<Collection, 'sources'>): Promise<Bundle> =>
  collectBundle({
    root: newFolder(),
    from: [],
    kind: 'sample',
    registry,
    now: NOON,
    elapsed: () => performance.now(),
    signal: new AbortController().signal,
    connect: () => ({
      stats: { requests: 0, retries: 0, bytes: 0 },
      json: () => Promise.reject(new Error('the sample makes no request')),
      close: async () => {},
    }),
    listings: null,
    cadenceMs: HALF_HOUR,
    tell: () => {},
    ...given,
  })
const Series = z.object({ rows: z.array(z.unknown()) })
const yearOf = (root: string): number =>
  Series.parse(JSON.parse(readFileSync(join(root, 'api/mkt/history/bitcoin/days=365.json'), 'utf8'))).rows.length

it('asks for the past prices that the recordings lack, and records them for a replay', async () => {
  const { bundle } = await observedRun({ history: { perRun: 0, perSource: 0 } })
  const bundles = [readOf(encodeBundle(bundle))]
  const [merged, replayed] = [newFolder(), newFolder()]
  let recorded: Bundle | null = null
  const history = { perRun: 60, perSource: 60 }
  const { historyRequests } = await leanRun(merged, { recordings: bundles, history, record: (one) => (recorded = one) })
  expect(historyRequests).toBeGreaterThan(10)
  expect(yearOf(merged)).toBeGreaterThan(300)
  const recording = [readOf(encodeBundle(recorded ?? bundle))]
  const again = await leanRun(replayed, { recordings: recording, history: { perRun: 0, perSource: 0 } })
  expect(again.historyRequests).toBe(0)
  for (const file of ['api/mkt/manifest.json', 'api/mkt/history/bitcoin/days=365.json'])
    expect(readFileSync(join(replayed, file), 'utf8')).toBe(readFileSync(join(merged, file), 'utf8'))
})

it('records sources one by one for a merge that has all of them', async () => {
  const sources = sampleSources(NOON, 8)
  const recordings = await Promise.all(sources.map((source) => collection({ sources: [source] })))
  const { outcome, reports } = await leanRun(newFolder(), {
    recordings: recordings.map((one) => readOf(encodeBundle(one))),
  })
  expect(outcome).toBe('published')
  expect(reports.map(({ source, error }) => [source.id, error])).toEqual(sources.map(({ id }) => [id, null]))
})

it('has a source that fails with its reason', async () => {
  const [first] = sampleSources(NOON, 8)
  if (!first) throw new Error('the sample has no source')
  const failing: Source = { ...first, observe: (http) => http.json('/x', z.unknown()).then(() => []) }
  const { header } = await collection({
    sources: [failing],
    connect: () => ({
      stats: { requests: 1, retries: 0, bytes: 0 },
      json: () => Promise.reject(new SourceError('source_rate_limited', 'too many')),
      close: async () => {},
    }),
  })
  expect(header).toMatchObject({
    expected: [failing.id],
    sources: [{ error: { code: 'source_rate_limited' }, requests: 1, rows: 0 }],
  })
})
