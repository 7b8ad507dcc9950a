import { describe, it } from 'vitest'
import { HOUR, MINUTE, expectDirectSeries, expectDirectYear, expectSameAtOnce } from './laws.ts'

describe('whatever the cadence, the gaps and the jumps of the clock', () => {
  it('gives the series that one direct pass over all observations gives', () => expectDirectSeries(1500))

  it('gives the same whether observations come one by one or all at once', () => expectSameAtOnce(1000))

  it.each([
    ['5 minutes', 5 * MINUTE],
    ['1 hour', HOUR],
  ])('gives it over 400 days of a run every %s', (_, cadence) => expectDirectYear(cadence))
})
