import { describe, expect, it } from 'vitest'
import type { Market } from '../../src/core/contract/market.ts'
import { qualityOf } from '../../src/core/feed/market-rows.ts'
import { marketOf } from './world.ts'

describe('the quality of a market', () => {
  it.each<[string, Partial<Market>, string, number, string[]]>([
    ['a busy one with a tight book', {}, 'high', 100, []],
    ['no price', { price_usd: null }, 'unknown', 0, ['no_price']],
    ['an outlier', { is_outlier: true }, 'low', 40, ['outlier']],
    ['a stale one', { is_stale: true }, 'low', 40, ['stale']],
    ['one side of the book', { bid: null, spread_percent: null }, 'high', 90, ['no_order_book']],
    ['a crossed book', { bid: 2, ask: 1, spread_percent: null }, 'medium', 60, ['crossed_book']],
    ['a spread of 1 %', { spread_percent: 1 }, 'high', 100, []],
    ['a spread over 1 %', { spread_percent: 1.1 }, 'high', 85, ['wide_spread']],
    ['a spread over 5 %', { spread_percent: 5.1 }, 'medium', 60, ['very_wide_spread']],
    ['thin volume', { volume_24h_usd: 49_999 }, 'high', 80, ['thin_volume']],
    ['very thin volume', { volume_24h_usd: 999 }, 'medium', 60, ['very_thin_volume']],
    ['no volume', { volume_24h_usd: 0 }, 'low', 40, ['no_volume']],
    ['unknown volume', { volume_24h_usd: null }, 'low', 40, ['no_volume']],
    [
      'a wide spread on thin volume',
      { spread_percent: 2, volume_24h_usd: 2000 },
      'medium',
      65,
      ['wide_spread', 'thin_volume'],
    ],
    [
      'everything at once',
      { is_outlier: true, is_stale: true, bid: null, volume_24h_usd: 0 },
      'low',
      0,
      ['outlier', 'stale', 'no_order_book', 'no_volume'],
    ],
  ])('%s', (_, given, quality, quality_score, quality_reasons) => {
    expect(qualityOf(marketOf('okx', 1, given))).toEqual({ quality, quality_score, quality_reasons })
  })
})
