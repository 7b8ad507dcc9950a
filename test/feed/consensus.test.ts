import { expect, it } from 'vitest'
import { consensusOf, within } from '../../src/core/feed/consensus.ts'

it('needs more than half: exactly half of the opinions are no majority', () => {
  expect(consensusOf([1, 1.02, 1.06, 9])).toEqual({ center: 1.04, majority: false, reach: Infinity })
  expect(consensusOf([1, 1.02, 1.02, 1.05, 9]).majority).toBe(true)
})

it('has no center between two camps, though both are near it', () => {
  expect(consensusOf([1, 1, 1.03, 1.03]).majority).toBe(false)
  expect(consensusOf([1, 1, 1, 1.03, 1.03])).toMatchObject({ center: 1, majority: true })
  // Of an even number, either of the middle two may have the majority.
  expect(consensusOf([1, 1.01, 1.025, 1.05])).toMatchObject({ center: 1.01, majority: true })
  expect(consensusOf([1, 1.025, 1.04, 1.05])).toMatchObject({ center: 1.04, majority: true })
})

it('has no outliers where there is no majority, and some where there is', () => {
  const [split, decided] = [consensusOf([1, 1, 3, 3]), consensusOf([1, 1, 1, 3])]
  expect([split.majority, within(split, 1), within(split, 3)]).toEqual([false, true, true])
  expect([decided.majority, within(decided, 1), within(decided, 3)]).toEqual([true, true, false])
})
