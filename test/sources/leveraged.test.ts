import { expect, it } from 'vitest'
import { isLeveraged } from '../../src/sources/leveraged.ts'

const bases = new Set(['BTC', 'ETH', 'S', 'SYRUP', 'TRUMP'])

it.each(['BTC3L', 'BTC3S', 'BTC5L', 'BTC5S', 'BTC2L', 'ETH2S', 'BTCUP', 'BTCDOWN', 'ETHBULL', 'ETHBEAR', 'S3L'])(
  'knows %s by the base it leans on',
  (base) => expect(isLeveraged(base, bases)).toBe(true),
)

it.each([
  ['BTC', 'the base itself'],
  ['SYRUP', 'no SYR trades there'],
  ['XYZ3L', 'no XYZ trades there'],
  ['SUP', 'one letter before a word is a name'],
  ['UP', 'nothing before the word'],
  ['3L', 'nothing before the digit'],
  ['BTC4L', 'nobody leverages fourfold'],
  ['BTCUPS', 'the word is not at the end'],
])('leaves %s alone: %s', (base) => expect(isLeveraged(base, bases)).toBe(false))
