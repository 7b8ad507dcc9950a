import { setMaxListeners } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { SourceRow } from '../../src/core/contract/collector.ts'
import type { SourceErrorCode } from '../../src/core/contract/words.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import type { RunReport } from '../../src/core/run/run.ts'
import { connect } from '../../src/core/sources/http.ts'
import { VOLUME } from '../../src/core/sources/source.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { errorsIn as allErrorsIn } from '../check/findings.ts'
import { BASICS, NOON, ONE_LIMITED_LIST, copyTree, newFolder, runOnce } from '../sample-tree.ts'
import { FAULTS, type Fault, MOST_BYTES, faultyUpstream } from './upstream.ts'

/** What becomes of a source with each fault: its error, or null where it answers all the same. */
const OUTCOME: Readonly<Record<Fault, SourceErrorCode | null>> = {
  refuse: 'source_unreachable',
  '429': 'source_rate_limited',
  '500': 'source_unreachable',
  '503': 'source_unreachable',
  html: 'source_invalid',
  truncate: 'source_unreachable',
  empty: 'source_invalid',
  null: 'source_invalid',
  hang: 'source_timeout',
  slow: null,
  garbage: 'source_invalid',
  huge: 'source_invalid',
}

const DEADLINE_MS = 10 * 60_000
const sources = liveSources({})
let upstream: Awaited<ReturnType<typeof faultyUpstream>>
let good: string

/** Short where nothing will come, long where a busy machine may take its time. */
const patienceWith = (host: string) =>
  [upstream.failing.get(host), upstream.failing.get('*')].includes('hang')
    ? { headersMs: 100, bodyMs: 100 }
    : { headersMs: 20_000, bodyMs: 20_000 }

/** A run over a tree. Waits of the pace and of retries pass at once: the clock is put forward instead. */
async function run(root: string, now: number): Promise<{ readonly report: RunReport; readonly ms: number }> {
  let skipped = 0
  const elapsed = () => performance.now() + skipped
  const begun = elapsed()
  const end = new AbortController()
  // Every source listens to it, and there are more sources than Node takes for a leak.
  setMaxListeners(0, end.signal)
  const connections: ReturnType<typeof connect>[] = []
  try {
    const report = await runOnce({
      root,
      ...BASICS,
      kind: 'live',
      sources,
      registry: openRegistry(),
      now,
      wallNow: Date.now(),
      elapsed,
      signal: end.signal,
      connect(source) {
        const volume = { ...VOLUME, bytes: MOST_BYTES }
        const connection = connect(
          { ...source, volume },
          {
            upstream: upstream.url,
            userAgent: 'test',
            deadline: { at: begun + DEADLINE_MS, signal: end.signal },
            now: elapsed,
            random: () => 0.5,
            pause: async (ms) => (skipped += ms),
            limits: { retries: 1, ...patienceWith(source.host) },
          },
        )
        connections.push(connection)
        return connection
      },
      listings: null,
      history: { perRun: 0, perSource: 0 },
      composition: ONE_LIMITED_LIST,
    })
    return { report, ms: elapsed() - begun }
  } finally {
    await Promise.all(connections.map((connection) => connection.close()))
  }
}

/** What verify finds, but for figures: a run at the time of the one before carries values of its own time. */
const errorsIn = async (root: string) =>
  (await allErrorsIn(root, ONE_LIMITED_LIST)).filter(({ check }) => check !== 'figures')

const Rows = z.object({ rows: z.array(z.looseObject({})) })
const Named = z.object({
  asset: z.looseObject({ external_ids: z.record(z.string(), z.string()) }),
})
const jsonOf = (root: string, file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'))
const slugs = (): string[] =>
  readdirSync(join(good, 'api/mkt/assets'))
    .filter((name) => name.endsWith('.json') && !name.includes('='))
    .map((name) => name.slice(0, -'.json'.length))
const rowsOf = (root: string, slug: string) => Rows.parse(jsonOf(root, `api/mkt/assets/${slug}/markets.json`)).rows

/** Whether a source told anything of a listing, as the good tree shows it. */
const feeds = (source: string, slug: string): boolean =>
  source in Named.parse(jsonOf(good, `api/mkt/assets/${slug}.json`)).asset.external_ids ||
  rowsOf(good, slug).some(({ exchange_id, source_label }) => exchange_id === source || source_label === labelOf(source))
const labelOf = (id: string): string => sources.find((source) => source.id === id)?.label ?? id

const health = (root: string) =>
  new Map(
    z
      .object({ rows: z.array(SourceRow) })
      .parse(jsonOf(root, 'api/mkt/collector.json'))
      .rows.map((row) => [row.source_id, row]),
  )

type FaultCase = readonly [fault: Fault, source: string]

export const everyCase = (): FaultCase[][] =>
  FAULTS.flatMap((fault) => sources.map(({ id }): FaultCase[] => [[fault, id]]))

/** How many sources fail at once where the short suite tries every source and every fault once. */
const AT_ONCE = 9

export const coveringGroups = (): FaultCase[][] => {
  const cases = sources.map(({ id }, turn): FaultCase => [FAULTS[turn % FAULTS.length] ?? 'refuse', id])
  return Array.from({ length: Math.ceil(cases.length / AT_ONCE) }, (_, group) =>
    cases.slice(group * AT_ONCE, (group + 1) * AT_ONCE),
  )
}

/** The ways in which all sources fail at once that differ most. */
export const TOGETHER: readonly Fault[] = ['refuse', 'hang', 'slow']

async function expectTheRestGoesOn(failing: readonly FaultCase[]): Promise<void> {
  const root = newFolder()
  copyTree(good, root)
  for (const [fault, id] of failing) upstream.failing.set(sources.find((source) => source.id === id)?.host ?? '', fault)
  const { report, ms } = await run(root, NOON).finally(() => upstream.failing.clear())

  expect(report.outcome).toBe('published')
  expect(ms).toBeLessThan(DEADLINE_MS)
  expect(await errorsIn(root)).toEqual([])
  const lost = failing.filter(([fault]) => OUTCOME[fault] !== null)
  const failed = [...health(root).values()].flatMap(({ source_id, error }) => (error ? [[source_id, error.code]] : []))
  expect(new Map(failed.map(([id, code]) => [id, code]))).toEqual(
    new Map(lost.map(([fault, id]) => [id, OUTCOME[fault]])),
  )

  // What the sources have nothing to do with keeps its bytes, and what they fed is carried and says so.
  const written = new Set(report.published?.written)
  const untouched = slugs().filter((slug) => !lost.some(([, id]) => feeds(id, slug)))
  // A source of the rate of a quote can move what is priced in it, and no longer can while its value is carried; and of two
  // sources of a rate one is left, which limits the confidence.
  const profileIn = (tree: string, slug: string) =>
    readFileSync(join(tree, `api/mkt/assets/${slug}.json`), 'utf8').replaceAll(
      /"(fragility_bp|price_confidence)":[\d.]+/g,
      '',
    )
  expect(untouched.filter((slug) => profileIn(root, slug) !== profileIn(good, slug))).toEqual([])
  expect(untouched.filter((slug) => written.has(`api/mkt/assets/${slug}/markets.json`))).toEqual([])
  for (const [, id] of lost)
    for (const slug of slugs().filter((slug) => feeds(id, slug))) {
      const before = rowsOf(good, slug).filter(({ exchange_id }) => exchange_id === id)
      const after = rowsOf(root, slug).filter(({ exchange_id }) => exchange_id === id)
      expect(
        after.map(({ pair, price, is_stale }) => [pair, price, is_stale]),
        slug,
      ).toEqual(before.map(({ pair, price }) => [pair, price, true]))
    }
}

async function expectNothingChanges(fault: Fault): Promise<void> {
  const root = newFolder()
  copyTree(good, root)
  upstream.failing.set('*', fault)
  const { report, ms } = await run(root, NOON + 3_600_000).finally(() => upstream.failing.clear())
  expect(ms).toBeLessThan(DEADLINE_MS)
  expect(report.outcome).toBe(OUTCOME[fault] === null ? 'published' : 'no_usable_source')
  expect(await errorsIn(root)).toEqual([])
  if (OUTCOME[fault] !== null)
    expect(readFileSync(join(root, 'api/mkt.json'), 'utf8')).toBe(readFileSync(join(good, 'api/mkt.json'), 'utf8'))
}

/** Tests runs of all live sources against an upstream of which some fail: each group at once, and all of them together. */
export function describeFaults(groups: readonly (readonly FaultCase[])[], together: readonly Fault[]): void {
  beforeAll(async () => {
    good = newFolder()
    upstream = await faultyUpstream()
    // The second run knows what contracts to ask pools for.
    await run(good, NOON)
    await run(good, NOON)
  })
  afterAll(() => upstream.close())

  it('has a good tree to begin with, that every source feeds', async () => {
    expect([...health(good).values()].filter(({ error }) => error !== null)).toEqual([])
    for (const { id, type } of sources)
      if (type === 'reference') expect(health(good).get(id)?.used_count, id).toBeGreaterThan(0)
      else
        expect(
          slugs().some((slug) => feeds(id, slug)),
          id,
        ).toBe(true)
    expect(await errorsIn(good)).toEqual([])
  })

  it.each(groups.map((group) => [group.map(([fault, id]) => `${fault} of ${id}`).join(', '), group] as const))(
    'goes on with the rest when it is %s',
    (_, group) => expectTheRestGoesOn(group),
  )
  it.each(together)('of all at once, the last publication stays as it is: %s', (fault) => expectNothingChanges(fault))
}
