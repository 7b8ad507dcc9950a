import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { bundlePaths, fileAt, readBundles, writeBundle } from '../../src/observations/bundle-files.ts'
import { type Bundle, encodeBundle } from '../../src/observations/bundle.ts'
import { type BundleRead, mergeBundles } from '../../src/observations/merge.ts'
import { commitmentOf, withheld } from '../../src/observations/withhold.ts'
import { sampleSources } from '../../src/sources/sample/sample.ts'
import { NOON, newFolder, NO_REQUESTS } from '../sample-tree.ts'
import { observedRun, readOf } from './bundles.ts'

const { bundle } = await observedRun({ history: NO_REQUESTS })
const merging = { sources: sampleSources(NOON, 8), kind: 'sample' as const, publishedAt: null, now: NOON }
/** The bundle where one source may not be passed on. */
const restricted: Bundle = {
  ...bundle,
  header: {
    ...bundle.header,
    sources: bundle.header.sources.map((source) =>
      source.source_id === 'sample-a' ? { ...source, rights: 'no_redistribution' } : source,
    ),
  },
}
const SECRET = 'a secret of the publisher, long enough'
const merged = (read: readonly BundleRead[]) => mergeBundles(read, merging)
const errorOf = (read: readonly BundleRead[]) =>
  merged(read).reports.find(({ source }) => source.id === 'sample-a')?.error?.message

it('leaves a salted commitment in place of rows that may not be passed on, and the rows in a file of their own', () => {
  const folder = newFolder()
  const file = withheld(restricted, SECRET)
  writeBundle(folder, file)
  expect(readdirSync(folder).toSorted()).toEqual([file.bundle.name, 'private'].toSorted())
  const text = gunzipSync(readFileSync(join(folder, file.bundle.name))).toString()
  expect(text).not.toContain('"source_id":"sample-a","kind"')
  expect(text).toContain('"source_id":"sample-b","kind"')
  expect(text).not.toContain(SECRET)

  const rows = bundle.rows.get('sample-a') ?? []
  const salt = /"salt":"([0-9a-f]{64})"/.exec(gunzipSync(file.opening?.bytes ?? Buffer.of()).toString())?.[1] ?? ''
  expect(text).toContain(commitmentOf(salt, rows))
  expect(commitmentOf(salt, rows.slice(1))).not.toBe(commitmentOf(salt, rows))
  // Who knows the secret gets the same bytes again.
  expect(withheld(restricted, SECRET)).toEqual(file)
  expect(withheld(restricted, `${SECRET}!`).bundle.name).not.toBe(file.bundle.name)

  expect(merged(readBundles(bundlePaths(folder).map(fileAt))).rows).toEqual(merged([readOf(encodeBundle(bundle))]).rows)
})

it('a source fails whose opening is missing or of other rows', () => {
  const { bundle: file, opening } = withheld(restricted, SECRET)
  expect(errorOf(readBundles([file]))).toMatch(/withheld and the opening is not here/)
  const other = withheld({ ...restricted, rows: new Map([...bundle.rows, ['sample-a', []]]) }, SECRET)
  if (!opening || !other.opening) throw new Error('nothing is withheld')
  expect(errorOf(readBundles([file, other.opening]))).toMatch(/opening is not here/)
  expect(errorOf(readBundles([file, opening]))).toBeUndefined()
})

it('withholds nothing of sources that allow it', () => {
  expect(withheld(bundle, SECRET)).toEqual({ bundle: encodeBundle(bundle), opening: null })
})
