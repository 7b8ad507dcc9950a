import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MOST_PARTS,
  PART_ROWS,
  inParts,
  isPart,
  isSection,
  manifestLists,
  partFile,
  partFor,
} from '../../src/contract/manifest-parts.ts'

const filesOf = (count: number, of = 'a') =>
  Array.from({ length: count }, (_, at) => ({ path: `${of}/${at + 10_000}` }))
const startsOf = (parts: ReturnType<typeof inParts>) => parts.map(({ from }) => from)

describe('the files of a manifest', () => {
  const paths = fc.uniqueArray(fc.stringMatching(/^[a-d]{1,3}\/[a-z0-9]{1,6}$/), { maxLength: 2000, size: 'max' })
  const sorted = paths.map((all) => all.toSorted().map((path) => ({ path })))

  it('are each in one part, which a reader finds by its beginning, whatever the last parts were', () => {
    fc.assert(
      fc.property(sorted, sorted, (before, files) => {
        const parts = inParts(files, startsOf(inParts(before, [])))
        expect(parts.flatMap((part) => part.files)).toEqual(files)
        expect(Math.max(...parts.map((part) => part.files.length))).toBeLessThanOrEqual(PART_ROWS.most)
        const rows = parts.map(({ from, files: own }) => ({ path: '', from, own }))
        expect(files.filter((file) => partFor(file.path, rows)?.own.includes(file) !== true)).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('stay in their parts while these are neither too long nor too many', () => {
    const before = startsOf(inParts(filesOf(1000), []))
    expect(before).toHaveLength(8)
    expect(startsOf(inParts(filesOf(1030), before))).toEqual(before)
    expect(startsOf(inParts(filesOf(1200), before))).toHaveLength(10)
    expect(startsOf(inParts(filesOf(500), before))).toEqual(before)
    expect(startsOf(inParts(filesOf(300), before))).toHaveLength(3)
    expect(startsOf(inParts(filesOf(1000), ['b', 'a']))).toEqual(before)
  })

  it('are in one part if there are few, and in sections if there are many', () => {
    expect(manifestLists([], []).top.map(({ name }) => name)).toEqual(['0'])
    expect(manifestLists(filesOf(120), []).all).toHaveLength(1)
    const { all, top } = manifestLists(filesOf(PART_ROWS.usual * (MOST_PARTS + 1)), [])
    expect(top.map(({ name }) => name)).toEqual(['s0', 's1', 's2', 's3'])
    expect(top.flatMap(({ parts }) => parts)).toEqual(all.slice(0, MOST_PARTS + 1))
    expect(all.every(({ name }) => isPart(partFile(name)))).toBe(true)
    expect(top.every(({ name }) => isSection(partFile(name)))).toBe(true)
  })
})
