import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortedBy } from '../../src/pages/table.tsx'

it('rows are sorted in both directions with unknown values last, and none is lost', () =>
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: -50, max: 50 }), { nil: null })), fc.boolean(), (rows, down) => {
      const known = rows.filter((value) => value !== null).toSorted((a, b) => (down ? b - a : a - b))
      const unknown = rows.filter((value) => value === null)
      expect(sortedBy(rows, (value) => value, down)).toEqual([...known, ...unknown])
    }),
  ))
