import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Point } from '../../src/contract/history.ts'
import { readJson } from '../../src/contract/read-json.ts'
import { print, printValue } from '../../src/contract/text.ts'
import { parseSeries } from '../../src/history/last-series.ts'
import { Row, lineOf, splitRows } from '../../src/history/row.ts'
import { timestampOf } from '../../src/history/grid.ts'

const amount = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })
const point: fc.Arbitrary<Point> = fc.record({
  timestamp: fc.integer({ min: 0, max: 4e9 }).map((seconds) => timestampOf(seconds * 1000)),
  price_usd: amount.filter((price) => price > 0),
  volume_24h_usd: fc.option(amount),
})
const rowOf = ({ timestamp, price_usd, volume_24h_usd }: Point) => new Row(timestamp, price_usd, volume_24h_usd)
const head = { ok: true, sourceStatus: 'ok', sourceError: null, slug: 'acme', days: 7, interval: '1h' }
const series = (rows: readonly Point[]) => ({
  ...head,
  from: null,
  to: null,
  missing: 3,
  sourceLabel: 'a text with ,\n"rows":[\n in it',
  replacedBy: null,
  count: rows.length,
  rows,
})

describe('a row of a series', () => {
  it('is printed and read again as its contract has it', () => {
    fc.assert(
      fc.property(point, (one) => {
        const line = lineOf(rowOf(one))
        expect(line).toBe(lineOf(one))
        expect(line).toBe(printValue(one))
        expect(readJson(line, Point)).toEqual(one)
        expect(Row.read(line)).toEqual(one)
        expect(Row.read(line)?.line).toBe(line)
      }),
    )
  })

  it('is not read where its contract does not have it', () => {
    const character = fc.constantFrom(...'{}",:-.0129eE+TZ nul\n'.split(''))
    const edit = fc.tuple(fc.nat(120), fc.nat(2), fc.string({ unit: character, maxLength: 3 }))
    fc.assert(
      fc.property(point, fc.array(edit, { minLength: 1, maxLength: 3 }), (one, edits) => {
        let line = lineOf(one)
        for (const [at, cut, text] of edits) line = line.slice(0, at) + text + line.slice(at + cut)
        const read = Row.read(line)
        if (read !== null) expect(readJson(line, Point)).toEqual(read)
      }),
    )
  })

  it.each([0, -1, Infinity, Number.NaN])('of the price %s is no document', (price_usd) => {
    expect(() => new Row('2026-11-20T12:00:00Z', price_usd, null).line).toThrow('price_usd')
    expect(Row.read(`{"timestamp":"2026-11-20T12:00:00Z","price_usd":${price_usd},"volume_24h_usd":null}`)).toBe(null)
  })
})

describe('a published series', () => {
  it('is the same whether its rows are read by line or as JSON', () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 5 }), (rows) => {
        const text = print(series(rows))
        const read = parseSeries(text)
        expect(splitRows(text)?.rows).toEqual(rows)
        expect(read).toEqual(parseSeries(JSON.stringify(JSON.parse(text))))
        expect(read?.rows.map(lineOf)).toEqual(rows.map(lineOf))
        expect(print(series(rows), undefined, read?.rows.map(lineOf))).toBe(text)
      }),
    )
  })

  it('with a row that breaks its contract cannot be read', () => {
    const text = print(series([{ timestamp: '2026-11-20T12:00:00Z', price_usd: 5, volume_24h_usd: null }]))
    expect(parseSeries(text)).not.toBe(null)
    expect(parseSeries(text.replace('"price_usd":5', '"price_usd":0'))).toBe(null)
    expect(parseSeries(text.slice(0, -8))).toBe(null)
  })
})
