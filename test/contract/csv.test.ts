import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { csv, rowsOfCsv } from '../../src/core/contract/csv.ts'

// What looks like a formula gets an apostrophe.
const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é') }).map((part) => `x${part}`)

it('reads what it writes', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ asset: text, time: text }), { minLength: 1 }), (rows) => {
      expect(rowsOfCsv(csv(['asset', 'time'], rows))).toEqual(rows)
    }),
  )
})

it('reads files of spreadsheets: with a mark at the beginning, empty lines, and short rows', () => {
  expect(rowsOfCsv('\uFEFFasset, amount\n"a ""b""",1\n\nc\n')).toEqual([
    { asset: 'a "b"', amount: '1' },
    { asset: 'c', amount: '' },
  ])
  expect(rowsOfCsv('')).toEqual([])
  expect(rowsOfCsv('a\n"b')).toBe(null)
})
