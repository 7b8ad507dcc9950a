import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortedBy } from '../../src/pages/tables.ts'
import { filled } from '../../src/pages/table.tsx'

it('rows are sorted in both directions with unknown values last, and none is lost', () =>
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { nil: null })), fc.boolean(), (rows, down) => {
      const known = rows.filter((value) => value !== null).toSorted((a, b) => (down ? b - a : a - b))
      const unknown = rows.filter((value) => value === null)
      expect(sortedBy(rows, (value) => value, down)).toEqual([...known, ...unknown])
    }),
  ))

it('columns without a value in any row are left out', () => {
  const columns = [
    { name: 'Name', of: () => '' },
    { name: '1 h', of: () => '', by: ({ hour }: { hour: number | null }) => hour },
    { name: 'Line', of: () => '', has: ({ hour }: { hour: number | null }) => hour !== null },
  ]
  expect(filled(columns, [{ hour: null }]).map(({ name }) => name)).toEqual(['Name'])
  expect(filled(columns, [{ hour: null }, { hour: 0 }])).toEqual(columns)
})
