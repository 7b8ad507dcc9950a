import { expect, it } from 'vitest'
import type { ObservationRow } from '../../src/contract/observations.ts'
import { type Bundle, encodeBundle } from '../../src/sources/bundle.ts'
import { mergeBundles } from '../../src/sources/merge-recordings.ts'
import { sampleSources } from '../../src/sources/sample/sample.ts'
import { NOON, copyLeanTree, leanRun, newFolder, NO_REQUESTS } from '../sample-tree.ts'
import { observedRun, part, readOf, withHeader } from './bundles.ts'

const MINUTE = 60_000
const { bundle } = await observedRun({ now: NOON + 30 * MINUTE, history: NO_REQUESTS })
const now = bundle.header.clock
const merging = { sources: sampleSources(NOON, 8), kind: 'sample' as const, publishedAt: null, now }
const own = part(bundle, 1, { list: (id) => (id === 'sample-a' ? 1 : 0), past: () => 0 })

/** The bundle of `sample-a` that another collector made at another time, with other rows. */
function collectedAt(clock: number, change: (row: ObservationRow) => ObservationRow = (row) => row): Bundle {
  const header = { clock, region: 'eu', sources: own.header.sources.map((source) => ({ ...source, clock })) }
  return { ...withHeader(own, header), rows: new Map([['sample-a', (own.rows.get('sample-a') ?? []).map(change)]]) }
}
const timesPrice =
  (factor: number, market: string) =>
  (row: ObservationRow): ObservationRow =>
    row.kind === 'quote' && row.market === market && row.last !== null ? { ...row, last: row.last * factor } : row
const quoteOf = (bundles: readonly Bundle[], market: string) =>
  mergeBundles(
    bundles.map((one) => readOf(encodeBundle(one))),
    merging,
  )
    .reports.find(({ source }) => source.id === 'sample-a')
    ?.quotes.find((quote) => quote.market === market)
const BTC = 'BTC_USDT'
const price = quoteOf([own], BTC)?.last ?? 0

it('takes the newest good answer of several collectors of a source', () => {
  const older = collectedAt(now - MINUTE, timesPrice(1.001, BTC))
  expect(quoteOf([older, own], BTC)?.last).toBe(price)
  expect(quoteOf([own, older], BTC)?.last).toBe(price)
  // An older good answer counts more than a newer failure.
  const error = { code: 'source_timeout' as const, message: 'sample-a: no answer' }
  const failed = {
    ...withHeader(own, { sources: own.header.sources.map((source) => ({ ...source, error, rows: 0 })) }),
    rows: new Map(),
  }
  expect(quoteOf([failed, older], BTC)?.last).toBeCloseTo(price * 1.001)
})

it.each([
  ['the newest', [1.03, 1, 1], 1],
  ['an older one', [1, 1.03, 1], 1],
  ['one of four', [1, 1, 0.5, 1], 1],
  ['two of four', [1.03, 1.03, 1, 1], null],
  ['each of three', [1, 1.03, 1.06], null],
])('believes most of several collectors where %s dissents', (_, factors, expected) => {
  const bundles = factors.map((factor, age) => collectedAt(now - age * MINUTE, timesPrice(factor, BTC)))
  const last = quoteOf(bundles, BTC)?.last
  expect(last).toEqual(expected === null ? undefined : expect.closeTo(price * expected))
})

it('leaves a price out of both where they differ by more than the tolerance, and says so', () => {
  const other = collectedAt(now - MINUTE, timesPrice(1.03, BTC))
  const observations = mergeBundles(
    [own, other].map((one) => readOf(encodeBundle(one))),
    merging,
  )
  const report = observations.reports.find(({ source }) => source.id === 'sample-a')
  expect(report?.quotes.some(({ market }) => market === BTC)).toBe(false)
  expect(report?.rejected.find(({ reason }) => reason === 'two collectors disagree by more than 200 bp')?.count).toBe(1)
  expect(observations.disagreements).toMatchObject([{ source_id: 'sample-a', rows: 1, max_bp: expect.closeTo(300, 5) }])
  expect(mergeBundles([readOf(encodeBundle(other)), readOf(encodeBundle(own))], merging)).toEqual(observations)
})

it('publishes the disagreement as an event', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  const others = part(bundle, 0, { list: (id) => (id === 'sample-a' ? 1 : 0), past: () => 0 })
  const other = collectedAt(now - MINUTE, timesPrice(1.03, BTC))
  let kept = null
  const bundles = [others, own, other].map((one) => readOf(encodeBundle(one)))
  const { events } = await leanRun(root, { now, recordings: bundles, record: (one) => (kept = encodeBundle(one)) })
  expect(events).toContainEqual({
    at: '2026-11-20T12:30:00Z',
    kind: 'collectors_disagree',
    subject: 'sample-a',
    name: 'sample exchange A',
    before: null,
    after: '1 price, by up to 300 bp',
  })
  // What the run kept says so too, so that its replay has the same event.
  expect(kept && mergeBundles([readOf(kept)], merging).disagreements).toMatchObject([
    { source_id: 'sample-a', rows: 1 },
  ])
})
