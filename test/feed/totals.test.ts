import { describe, expect, it } from 'vitest'
import { capChangeOf, totalsOf } from '../../src/feed/totals.ts'
import { assetOf } from './world.ts'

const counted = (market_cap_usd: number | null, percent_change_24h: number | null) =>
  assetOf('acme', { market_cap_usd, percent_change_24h, volume_24h_usd: market_cap_usd })

describe('the change of the market cap', () => {
  it.each([
    ['takes each cap back by the change of its price', [counted(110, 10), counted(45, -10)], 3.3333],
    ['leaves out what has no cap, no change or lost all', [counted(110, 10), counted(9, null), counted(9, -100)], 10],
    ['is unknown where no change is known', [counted(9, null), counted(null, 10)], null],
  ])('%s', (_, assets, expected) => {
    expect(capChangeOf(assets)).toBe(expected)
  })
})

it('sums of nothing that is known are unknown, and not zero', () => {
  expect(totalsOf([counted(null, null)])).toEqual({ market_cap_usd: null, volume_24h_usd: null })
  expect(totalsOf([counted(null, null), counted(2, 1)])).toEqual({ market_cap_usd: 2, volume_24h_usd: 2 })
})
