import { describe, it } from 'vitest'
import { HOUR, MINUTE, expectDirectSeries, expectDirectYear, expectSameAtOnce } from './laws.ts'

describe('whatever the cadence, the gaps and the jumps of the clock', () => {
  it('gives the series that one direct pass over all observations gives', () => expectDirectSeries(1500))

  it('gives the same whether observations come one by one or all at once', () => expectSameAtOnce(1000))

  it.each([
    ['5 minutes', 5 * MINUTE],
    ['1 hour', HOUR],
  ])('gives it over 400 days of a run every %s', (_, cadence) => expectDirectYear(cadence))

  it('gives it for each of 300 listings over 400 days of half-hourly runs', () => {
    for (let listing = 1; listing <= 300; listing++) expectDirectYear(30 * MINUTE, listing)
  }, 3_600_000)
})
