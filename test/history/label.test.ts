import { expect, it } from 'vitest'
import { labelOf } from '../../src/core/history/label.ts'

it.each([
  [null, [], 'none'],
  ['Our index', [], 'Our index'],
  [null, ['Kraken'], 'backfilled from Kraken'],
  ['Our index', ['Kraken', 'Binance (USDT)', 'Kraken'], 'Our index; backfilled from Binance (USDT), Kraken'],
])('names %s and %j as "%s"', (own, backfills, label) => {
  expect(labelOf(own, backfills)).toBe(label)
})
