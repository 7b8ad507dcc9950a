import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Fraction, Id, IsoTime, Link, Milliseconds, NonNegative } from '../../src/core/sources/wire.ts'
import { OptionalText, Positive, Prose, ReportedPercent, Seconds, Text } from '../../src/core/sources/wire.ts'

const read = (schema: z.ZodType, value: unknown) => {
  const result = schema.safeParse(value)
  return result.success ? result.data : 'refused'
}

describe('numbers', () => {
  it.each([
    [1.5, 1.5],
    ['1.5', 1.5],
    [' 2 ', 2],
    ['3.14E-10', 3.14e-10],
    ['5e-324', null],
    ['0', null],
    [0, null],
    ['', null],
    [null, null],
    [undefined, null],
    ['NaN', null],
    ['-1', 'refused'],
    [-1, 'refused'],
    ['0x10', 'refused'],
    ['1e400', 'refused'],
    ['1e31', 'refused'],
    ['Infinity', 'refused'],
    ['n/a', 'refused'],
    [true, 'refused'],
    [{}, 'refused'],
  ])('reads the price %j as %j', (value, expected) => expect(read(Positive, value)).toBe(expected))

  it('lets an amount be zero', () => expect(read(NonNegative, '0.00')).toBe(0))
  it('reads a fraction as percent', () => expect(read(Fraction, '-0.025')).toBe(-2.5))
  it('reads the loss of a whole price as no data', () =>
    expect([read(ReportedPercent, '-100'), read(Fraction, '-1')]).toEqual([null, null]))
  it('reads an absent member as no data', () => expect(read(z.object({ last: Positive }), {})).toEqual({ last: null }))
})

describe('times', () => {
  it.each([
    [Milliseconds, '1669078301087', 1669078301087],
    [Milliseconds, 0, null],
    [Seconds, 1669078301, 1669078301000],
    [IsoTime, '2024-01-05T00:38:25.844Z', Date.UTC(2024, 0, 5, 0, 38, 25, 844)],
    [IsoTime, 'yesterday', null],
    [IsoTime, null, null],
  ])('%#', (schema, value, expected) => expect(read(schema, value)).toBe(expected))
})

describe('texts', () => {
  it('folds white space and takes away what cannot be seen', () => {
    expect(read(Text(20), ' Big\u00a0\u202eCoin\u200b\n ')).toBe('Big Coin')
    expect(read(Text(20), '\u200b')).toBe('refused')
    expect(read(OptionalText(20), '')).toBeNull()
  })

  it.each([Text, OptionalText])('never ends in half a character', (word) => {
    expect(read(word(3), 'a😀b')).toBe('a😀')
    expect(read(word(2), 'a😀b')).toBe('a')
  })

  it.each([
    ['https://example.com/a', 'https://example.com/a'],
    ['http://example.com', null],
    ['javascript:alert(1)', null],
    ['https://user:pass@example.com', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('reads the link %j as %j', (value, expected) => expect(read(Link, value)).toBe(expected))
})

describe('texts made to take long', () => {
  // Each took time squared in its length before: minutes, or longer.
  it.each<readonly [string, z.ZodType, unknown, unknown]>([
    ['digits that end in none', Positive, `${'1'.repeat(500_000)}x`, 'refused'],
    ['accents in the wrong order', Text(5), `a${'\u0301\u0323'.repeat(250_000)}`, 'ạ\u0323\u0323\u0323\u0323'],
    ['opening brackets', Prose(4000), '<'.repeat(500_000), '<'.repeat(4000)],
  ])('are read at once: %s', (_, schema, value, expected) => expect(read(schema, value)).toEqual(expected))
})

it.each(['\ufffe', '\uffff', '\ufdd0', '\u{1fffe}', '\u{10ffff}', '\u0001', '\u202e', '\ud800'])(
  'takes out of a name what is no character: %j',
  (character) => {
    expect(read(Text(64), `Bit${character}coin`)).not.toContain(character)
    expect(read(Text(64), `Bit${character}coin`)).toMatch(/^Bit\ufffd?coin$/)
  },
)

it('an id is refused that is an object whose length has no end of text', () => {
  const endless: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))
  expect(read(Id, { length: endless })).toBe('refused')
  expect(read(Id, 'bitcoin')).toBe('bitcoin')
})
