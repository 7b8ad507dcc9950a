import { expect, it } from 'vitest'
import { agree, consensusOf, within } from '../../src/feed/consensus.ts'

it('needs more than half: exactly half of the opinions are no majority', () => {
  // The median is 1.03; only 1.02 and 1.04 lie within 2.5 % of it.
  expect(consensusOf([1, 1.02, 1.04, 9])).toEqual({ center: 1.03, majority: false, reach: Infinity })
  expect(consensusOf([1, 1.02, 1.04, 1.03, 9]).majority).toBe(true)
})

it('has no outliers where there is no majority, and some where there is', () => {
  const [split, decided] = [consensusOf([1, 1, 3, 3]), consensusOf([1, 1, 1, 3])]
  expect([split.majority, within(split, 1), within(split, 3)]).toEqual([false, true, true])
  expect([decided.majority, within(decided, 1), within(decided, 3)]).toEqual([true, true, false])
})

it('calls two prices equal up to 5 % apart, each 2.5 % from their middle', () => {
  expect([agree(0.975, 1.025), agree(1.025, 0.975), agree(0.974, 1.025)]).toEqual([true, true, false])
})
