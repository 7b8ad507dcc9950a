import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type BundleRead, type Bundle, BundleError, encodeBundle, bundlesAt } from '../../src/core/sources/bundle.ts'
import { clockOf } from '../../src/core/sources/merge-recordings.ts'
import { NOON, newFolder } from '../sample-tree.ts'
import { bitcoinIn, filesOf, observedRun, partition, readOf } from './bundles.ts'

/**
 * Made by `MKT_NOW=2026-11-20T12:00:00Z npm run snapshot -- --sources sample --listings 12 --history-requests 6 --out sample
 * --record test/fixtures/bundles`.
 */
const folder = fileURLToPath(new URL('../fixtures/bundles', import.meta.url))
const [fixture] = bundlesAt([folder])
const bundleIn = ({ result }: BundleRead): Bundle => {
  if (result instanceof BundleError) throw result
  return result
}

/** A replay requests nothing. */
const history = { perRun: 0, perSource: 0 }

it('replays the bundle of an earlier program, whole or in parts, to one tree', async () => {
  if (!fixture) throw new Error('there is no fixture')
  const bundle = bundleIn(fixture)
  expect(clockOf([fixture], 'sample', NOON)).toBe(NOON)
  const whole = await observedRun({ recordings: [fixture], root: newFolder(), history })
  const parts = partition(bundle, 3, { list: (id) => id.length % 3, past: (row) => row % 2 })
  const divided = await observedRun({ recordings: parts.map((file) => readOf(file)), root: newFolder(), history })

  expect(whole.report).toMatchObject({ outcome: 'published', collection: { refused: [] } })
  expect(filesOf(divided.root)).toEqual(filesOf(whole.root))
  expect(bitcoinIn(whole.root)).toMatchObject({
    asset: { slug: 'bitcoin', price_basis: { method: expect.any(String) } },
  })
  // What a replay observes is what it was given.
  expect(whole.bundle.rows).toEqual(bundle.rows)
  expect(encodeBundle(divided.bundle)).toEqual(encodeBundle(whole.bundle))
})

it('holds nothing of the machine that made it', () => {
  const { header } = bundleIn(fixture ?? { name: '', result: new BundleError('there is no fixture') })
  expect(Object.keys(header).toSorted()).toEqual(
    ['cadence_ms', 'clock', 'commit', 'expected', 'format', 'kind', 'region', 'run', 'sources', 'version'].toSorted(),
  )
  // The operating system in the header of gzip is 255, unknown, and the time is 0.
  const { bytes } = encodeBundle(bundleIn(fixture ?? { name: '', result: new BundleError('none') }))
  expect([...bytes.subarray(4, 10)]).toEqual([0, 0, 0, 0, 0, 255])
  expect(fixture?.name).toMatch(/^20261120T120000Z-10-sources-[0-9a-f]{64}\.ndjson\.gz$/)
})
