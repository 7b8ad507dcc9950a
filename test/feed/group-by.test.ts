import { expect, it } from 'vitest'
import { groupBy } from '../../src/core/contract/order.ts'

it('keeps the order of the items, and of the keys by their first item', () => {
  const groups = groupBy(['pear', 'apple', 'plum', 'avocado'], (fruit) => fruit[0])
  expect([...groups]).toEqual([
    ['p', ['pear', 'plum']],
    ['a', ['apple', 'avocado']],
  ])
})
