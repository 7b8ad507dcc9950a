import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { lru } from '../../src/core/contract/lru.ts'

it('evicts the least recently used entry', () => {
  const kept = lru<number>(3)
  for (const [name, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const)
    kept.put(name, value, 1)
  kept.get('a')
  kept.put('d', 4, 1)
  expect(['a', 'b', 'c', 'd'].map((name) => kept.get(name))).toEqual([1, undefined, 3, 4])
})

it('forgets a value whose successor is too large for it', () => {
  const kept = lru<number>(3)
  kept.put('a', 1, 1)
  kept.put('a', 2, 4)
  expect(kept.get('a')).toBeUndefined()
})

it('never exceeds its capacity, and always holds the last entry that fits', () => {
  const puts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 12 })))
  fc.assert(
    fc.property(puts, (all) => {
      const kept = lru<number>(10)
      for (const [name, bytes] of all) {
        kept.put(name, bytes, bytes)
        expect(kept.get(name)).toBe(bytes <= 10 ? bytes : undefined)
      }
      const held = ['a', 'b', 'c', 'd', 'e'].map((name) => kept.get(name) ?? 0)
      expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(10)
    }),
  )
})
