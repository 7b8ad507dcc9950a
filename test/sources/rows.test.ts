import { expect, it } from 'vitest'
import * as z from 'zod'
import { rowsOf } from '../../src/core/sources/rows.ts'
import { type Observation, rows } from '../../src/core/sources/source.ts'
import { Text } from '../../src/core/sources/wire.ts'

const Row = z.object({ id: Text(10) })
const skip = (): Observation => ({ kind: 'skipped', reason: 'read' })
const read = (items: readonly unknown[], translate: (row: z.infer<typeof Row>) => Observation = skip) => [
  ...rows(Row, items, translate),
]

const deep: unknown = JSON.parse('{"id":['.repeat(2000) + ']}'.repeat(2000))

it.each<readonly [string, unknown, string]>([
  ['of another form', { id: 7 }, 'id: Invalid input: expected string, received number'],
  ['nested 2,000 deep', deep, 'id: Invalid input: expected string, received array'],
  [
    'of endless members',
    Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`m${at}`.padEnd(90), 0])),
    'id: Invalid input: expected string, received undefined',
  ],
  ['of endless elements', Array.from({ length: 2 ** 20 }), 'row: Invalid input: expected object, received array'],
  ['that is no JSON at all', undefined, 'row: Invalid input: expected object, received undefined'],
])('rejects a row %s by itself', (_, bad, reason) => {
  const [first, second, third] = read([{ id: 'a' }, bad, { id: 'b' }])
  expect([first?.kind, third?.kind]).toEqual(['skipped', 'skipped'])
  expect(second).toMatchObject({ kind: 'rejected', reason })
})

it('rejects a row by itself when its translation fails', () => {
  const [bad, good] = read([{ id: '\ud800' }, { id: 'b' }], ({ id }) => {
    if (id !== 'b') throw new URIError('malformed')
    return skip()
  })
  expect(bad).toMatchObject({ kind: 'rejected', reason: 'row: could not be read (URIError)' })
  expect(good).toEqual(skip())
})

it('keeps the beginning of a bad row and of its reason, and no more', () => {
  const Pairs = z.object({ pairs: z.array(z.number()) })
  const [bad] = [...rows(Pairs, [{ pairs: Array.from({ length: 500 }, () => 'x') }], skip)]
  expect(bad).toMatchObject({ kind: 'rejected' })
  expect(JSON.stringify(bad).length).toBeLessThan(600)
})

it('puts the symbols of a quote into upper case', () => {
  const none = { last: null, bid: null, ask: null, volume_24h_base: null, volume_24h_quote: null, at: null }
  const pair = { kind: 'quote', market: 'btc-usd', base: 'btc', quote: 'usd' } as const
  expect(rowsOf('acme', [{ ...pair, ...none, percent_change_24h: null, trade_url: null }])).toMatchObject([
    { market: 'btc-usd', base: 'BTC', quote: 'USD' },
  ])
})
