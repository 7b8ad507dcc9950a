import { expect, it } from 'vitest'
import { fileOf } from '../../src/core/contract/endpoint-spec.ts'
import { DAYS, seriesFile } from '../../src/core/contract/history.ts'
import { history } from '../../src/core/endpoints/series.ts'

it.each(DAYS)('lies where the series of %i days are read from', (days) => {
  expect(seriesFile('bitcoin', days)).toBe(fileOf(history, { slug: 'bitcoin', days }))
})
