import { describe, it } from 'vitest'
import { HOUR, MINUTE, expectDirectSeries, expectDirectYear, expectSameAtOnce } from './laws.ts'

describe('whatever the cadence, the gaps and the jumps of the clock', () => {
  it('gives the series that one direct pass over all observations gives', () => expectDirectSeries(1500))

  it('gives the same whether observations come one by one or all at once', () => expectSameAtOnce(1000))

  it.each([
    ['5 minutes', 5 * MINUTE],
    ['1 hour', HOUR],
  ])('gives it over 400 days of a run every %s', (_, cadence) => expectDirectYear(cadence))

  // 300 listings take 27 minutes of CPU on a busy machine.
  it.each([1, 51, 101, 151, 201, 251])(
    'gives it for each of 50 listings from number %i over 400 days of half-hourly runs',
    (first) => {
      for (let listing = first; listing < first + 50; listing++) expectDirectYear(30 * MINUTE, listing)
    },
    3_600_000,
  )
})
