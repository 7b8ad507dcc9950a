import { describe, it } from 'vitest'
import { DAY, HOUR, expectDirectSeries, expectDirectYear, expectSameAtOnce } from './laws.ts'

describe('whatever the cadence, the gaps and the jumps of the clock', () => {
  it('gives the series that one direct pass over all observations gives', () => expectDirectSeries(40))

  it('gives the same whether observations come one by one or all at once', () => expectSameAtOnce(30))

  it.each([
    ['7 hours', 7 * HOUR],
    ['1 day', DAY],
  ])('gives it over 400 days of a run every %s', (_, cadence) => expectDirectYear(cadence))
})
