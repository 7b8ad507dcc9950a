import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type BundleRead, decodeBundle, encodeBundle } from '../../src/core/sources/bundle.ts'
import { mergeBundles } from '../../src/core/sources/merge-recordings.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { NOON, leanRun, newFolder } from '../sample-tree.ts'
import { filesOf, observedRun, partition, readOf } from './bundles.ts'
import { deepIt } from '../scale.ts'

const first = await observedRun({ history: { perRun: 12, perSource: 12 } })
const { bundle } = first
const ids = bundle.header.sources.map(({ source_id }) => source_id)
const merging = { sources: sampleSources(NOON, 8), kind: 'sample' as const, publishedAt: null, now: NOON }

/** How a collection is divided into up to five bundles, which arrive in any order and some of them twice. */
const arrivals = fc.record({
  lists: fc.array(fc.nat(4), { minLength: ids.length, maxLength: ids.length }),
  past: fc.array(fc.nat(4), { minLength: 7, maxLength: 7 }),
  order: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
  twice: fc.nat(3),
})
type Arrival = typeof arrivals extends fc.Arbitrary<infer Value> ? Value : never

function arrived({ lists, past, order, twice }: Arrival): BundleRead[] {
  const files = partition(bundle, 5, {
    list: (id) => lists[ids.indexOf(id)] ?? 0,
    past: (row) => past[row % past.length] ?? 0,
  })
  return [...files, ...files.slice(0, twice)]
    .map((file, index) => ({ file, at: order[index] ?? 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ file }) => readOf(file))
}

const inOneBundle = mergeBundles([readOf(encodeBundle(bundle))], merging)

it('has what the run observed, past prices too', () => {
  expect(ids.length).toBeGreaterThan(8)
  expect([...bundle.rows.values()].flat().filter(({ kind }) => kind === 'past').length).toBeGreaterThan(8)
})

it('reads the same observations however they are divided, ordered and repeated', () => {
  fc.assert(
    fc.property(arrivals, (arrival) => {
      expect(mergeBundles(arrived(arrival), merging)).toEqual(inOneBundle)
    }),
    { numRuns: 10 },
  )
})

it('builds the same tree, byte for byte, from any such bundles as in one process', async () => {
  const expected = filesOf(first.root)
  await fc.assert(
    fc.asyncProperty(arrivals, async (arrival) => {
      const root = newFolder()
      const { outcome } = await leanRun(root, { recordings: arrived(arrival), history: { perRun: 0, perSource: 0 } })
      expect(outcome).toBe('published')
      const files = filesOf(root)
      expect(files).toEqual(expected)
    }),
    { numRuns: 3 },
  )
})

deepIt('gives equal bytes for equal observations, which read as they were written', () => {
  const file = encodeBundle(bundle)
  const again = decodeBundle(file)
  expect(again.rows).toEqual(bundle.rows)
  expect(encodeBundle(again)).toEqual(file)
  // Neither the order of the rows of an answer nor of the sources counts.
  const { header } = bundle
  expect(encodeBundle({ ...bundle, header: { ...header, sources: header.sources.toReversed() } })).toEqual(file)
})
