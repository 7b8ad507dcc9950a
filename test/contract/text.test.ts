import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { print } from '../../src/core/contract/text.ts'

const value = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
  fc.constant(null),
)
const row = fc.dictionary(
  fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
  value,
  { maxKeys: 4 },
)
const answer = fc
  .record({ ok: fc.boolean(), product: fc.string(), note: fc.string(), rows: fc.array(row, { maxLength: 12 }) })
  .map(({ rows, ...head }) => ({ ...head, count: rows.length, total: 99, rows }))

describe('print', () => {
  it('gives JSON that parses to what was printed', () => {
    fc.assert(
      fc.property(answer, (value) => {
        expect(JSON.parse(print(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('puts each member and each row on a line of its own, rows last', () => {
    expect(print({ rows: [{ a: 1 }, { a: 2e-9 }], ok: true, count: 2 })).toBe(
      '{"ok":true,\n"count":2,\n"rows":[\n{"a":1},\n{"a":0.000000002}\n]}\n',
    )
    expect(print({ ok: true, rows: [] })).toBe('{"ok":true,\n"rows":[]}\n')
  })

  it('prints rows of the same members one per line, whatever their text and their own rows look like', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('},{', '},{"id":', '"},{"id":1', '\\"},{"id":'))
    const number = fc.oneof(fc.integer(), fc.constant(3e-9))
    const inner = fc.array(fc.record({ id: number, note: text }), { maxLength: 3 })
    const rows = fc.array(fc.record({ id: text, note: text, inner }, { requiredKeys: ['note', 'inner'] }), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(rows, (rows) => {
        const lines = rows.map((row) => print(row).replaceAll('\n', '')).join(',\n')
        expect(print({ ok: true, rows })).toBe(`{"ok":true,\n"rows":[${lines === '' ? '' : `\n${lines}\n`}]}\n`)
      }),
    )
  })

  it('leaves text that looks like an exponent alone', () => {
    expect(print({ note: '1e-7', price: 1e-7 })).toBe('{"note":"1e-7",\n"price":0.0000001}\n')
  })
})

describe('a map of prices', () => {
  const prices = fc
    .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z0-9]{1,6}$/), fc.double({ min: 1e-12, max: 1e12, noNaN: true })), {
      selector: ([slug]) => slug,
      maxLength: 12,
    })
    .map((entries) => ({
      order: entries.map(([slug]) => slug),
      answer: { ok: true, count: entries.length, total: 99, prices: Object.fromEntries(entries) },
    }))

  it('is printed one entry a line, in the given order', () => {
    const answer = { prices: { bitcoin: 79_176.413, 888: 2e-9 }, ok: true, count: 2 }
    expect(print(answer, ['bitcoin', '888'])).toBe(
      '{"ok":true,\n"count":2,\n"prices":{\n"bitcoin":79176.413,\n"888":0.000000002\n}}\n',
    )
    expect(print({ ok: true, prices: {} })).toBe('{"ok":true,\n"prices":{}}\n')
  })

  it('parses to what was printed', () => {
    fc.assert(
      fc.property(prices, ({ answer, order }) => {
        expect(JSON.parse(print(answer, order))).toEqual(answer)
      }),
    )
  })
})
