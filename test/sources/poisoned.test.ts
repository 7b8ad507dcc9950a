import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { encodeBundle } from '../../src/core/sources/bundle.ts'
import { NOON, copyLeanTree, leanRun, newFolder } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { observedRun, readOf } from './bundles.ts'

const now = NOON + 1_800_000
const { bundle } = await observedRun({ now, history: { perRun: 2, perSource: 2 } })
const [header = '', ...rows] = gunzipSync(encodeBundle(bundle).bytes).toString().trimEnd().split('\n')

const Row = z.record(z.string(), z.unknown())
const poison = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '..',
    '../../x',
    '__proto__',
    'constructor',
    'x'.repeat(64),
    'x'.repeat(201),
  ),
  fc.constantFrom<unknown>(
    '\u202eevil',
    '<script>alert(1)</script>',
    'https://x.example/"onload=',
    'bitcoin',
    'BTC',
    'USD',
  ),
  fc.constantFrom<unknown>(0, -1, 1e-30, 1e30, 1e300, 0.5, 8.64e15, Number.MAX_SAFE_INTEGER, [], {}, [[]], [1]),
  fc.string({ unit: 'binary', maxLength: 70 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
/** Changes of members of rows, wherever they are. */
const changes = fc.array(fc.record({ row: fc.nat(), member: fc.nat(), value: poison }), { minLength: 1, maxLength: 40 })

it('a poisoned bundle never fails a run, whatever its rows say', async () => {
  const tree = newFolder()
  await copyLeanTree(tree)
  await fc.assert(
    fc.asyncProperty(changes, async (made) => {
      const lines = [...rows]
      for (const { row, member, value } of made) {
        const at = row % lines.length
        const parsed = Row.parse(JSON.parse(lines[at] ?? '{}'))
        const names = Object.keys(parsed).filter((name) => name !== 'source_id' && name !== 'kind')
        lines[at] = JSON.stringify({ ...parsed, [names[member % names.length] ?? '']: value })
      }
      const bytes = gzipSync([header, ...lines].map((line) => `${line}\n`).join(''))
      const root = newFolder()
      await copyLeanTree(root)
      const { outcome, refusals } = await leanRun(root, {
        now,
        recordings: [readOf({ name: `x-${sha256Of(bytes)}.ndjson.gz`, bytes })],
      })
      // The gate may hold back what looks wrong as a whole, but no document may break its contract.
      expect(['published', 'refused']).toContain(outcome)
      expect(refusals.map(({ rule }) => rule)).not.toContain('schema')
    }),
    { numRuns: scaled(4, 400) },
  )
})
