import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Columns } from '../../src/core/history/columns.ts'

const WIDTH = 10
const NAMES = ['a', 'b'] as const
type Name = (typeof NAMES)[number]

const bucket = fc.integer({ min: -9, max: 30 }).map((place) => place * WIDTH)
const span = fc.tuple(bucket, bucket).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const value = fc.option(fc.double({ noNaN: true }))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ name: fc.constantFrom(...NAMES), at: bucket, value }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom(...NAMES), room: span }) },
  { weight: 1, arbitrary: fc.record({ clip: span }) },
  { weight: 1, arbitrary: fc.constant('copy' as const) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Does a step with columns, and with a map from buckets to values for each name. */
function both(
  columns: Columns<Name>,
  model: Readonly<Record<Name, Map<number, number>>>,
  one: Exclude<Step, 'copy'>,
): void {
  if ('room' in one) columns.room(one.name, one.room.from, one.room.to)
  else if ('name' in one) {
    columns.set(one.name, one.at, one.value ?? Number.NaN)
    if (one.value === null) model[one.name].delete(one.at)
    else model[one.name].set(one.at, one.value)
  } else {
    columns.clip(one.clip.from, one.clip.to)
    for (const name of NAMES)
      for (const at of model[name].keys()) if (at < one.clip.from || at > one.clip.to) model[name].delete(at)
  }
}

it('hold what a map of buckets holds, whatever is set, covered, clipped and copied', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), bucket, (steps, at) => {
      let columns = new Columns<Name>(WIDTH, NAMES)
      const model = { a: new Map<number, number>(), b: new Map<number, number>() }
      for (const one of steps)
        if (one === 'copy') columns = columns.copy()
        else both(columns, model, one)
      for (const name of NAMES) {
        const known = [...model[name].keys()].toSorted((a, b) => a - b)
        expect([...columns.buckets(name)]).toEqual(known)
        expect([...columns.buckets(name, at, at + 50)]).toEqual(known.filter((one) => one >= at && one <= at + 50))
        expect(known.map((one) => columns.at(name, one))).toEqual(known.map((one) => model[name].get(one)))
        expect(columns.value(name, at)).toBe(model[name].get(at) ?? null)
        expect(columns.has(name, at)).toBe(model[name].has(at))
        expect([columns.first(name), columns.last(name)]).toEqual([known[0] ?? null, known.at(-1) ?? null])
        expect(columns.first(name, at + 1)).toBe(known.find((one) => one > at) ?? null)
        expect(columns.last(name, at + 1)).toBe(known.findLast((one) => one <= at) ?? null)
      }
    }),
  )
})

it('do not change with a copy', () => {
  const columns = new Columns<Name>(WIDTH, NAMES)
  columns.set('a', 0, 1)
  const copy = columns.copy()
  copy.set('a', 0, 2)
  copy.set('b', 500, 3)
  expect([columns.value('a', 0), columns.first('b')]).toEqual([1, null])
  columns.set('a', 10, 1)
  const clipped = columns.copy()
  clipped.clip(10, 20)
  clipped.set('a', 10, 2)
  expect([columns.value('a', 10), clipped.value('a', 10)]).toEqual([1, 2])
})

it('take no room for a value that is unknown', () => {
  const columns = new Columns<Name>(WIDTH, NAMES)
  columns.set('a', 90, Number.NaN)
  expect(columns.first('a')).toBe(null)
})
