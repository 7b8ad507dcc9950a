import { describe, expect, it } from 'vitest'
import { days, limit, slug, parameterValue } from '../../src/core/contract/parameters.ts'

describe('valueOf', () => {
  it.each([
    ['1', 1],
    ['137', 137],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
  ])('reads a limit of %s', (text, value) => expect(parameterValue(limit, text)).toBe(value))

  it.each(['0', '-1', '07', '+7', '7.0', '7.5', '1e1', '0x10', ' 7', '7 ', '', 'ten', 'NaN', '٧'])(
    'refuses a limit of "%s"',
    (text) => expect(parameterValue(limit, text)).toBeUndefined(),
  )

  it.each(['1', '7', '30', '90', '365'])('reads %s days', (text) =>
    expect(parameterValue(days, text)).toBe(Number(text)),
  )
  it.each(['2', '07', '', '366', '7,30'])('refuses "%s" days', (text) =>
    expect(parameterValue(days, text)).toBeUndefined(),
  )

  it.each(['bitcoin', '0x', 'a-b-c', '1inch'])('reads the slug %s', (text) =>
    expect(parameterValue(slug, text)).toBe(text),
  )
  it.each(['Bitcoin', 'a--b', '-a', 'a-', 'a_b', 'limit=10', '', 'x'.repeat(65)])('refuses the slug "%s"', (text) =>
    expect(parameterValue(slug, text)).toBeUndefined(),
  )
})
