import { expect, it } from 'vitest'
import { weekOf } from '../../src/pages/figures.tsx'

it('a line of a week begins where its published change is measured from, and so rises exactly if that is positive', () => {
  const sparkline_7d = [120, 110, null, 101]
  const week = weekOf(99, -1, sparkline_7d)
  expect(week).toEqual([expect.closeTo(100), 110, null, 101, 99])
  expect(weekOf(99, null, sparkline_7d)).toEqual([120, 110, null, 101, 99])
  expect(weekOf(null, null, sparkline_7d)).toEqual(sparkline_7d)
})
