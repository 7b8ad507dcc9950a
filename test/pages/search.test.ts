import { describe, expect, it } from 'vitest'
import { search } from '../../src/pages/search.ts'

const index = {
  tokens: [
    ['bitcoin', 'BTC', 'Bitcoin'],
    ['ethereum', 'ETH', 'Ethereum'],
    ['solana', 'SOL', 'Solana'],
    ['dogecoin', 'DOGE', 'Dogecoin'],
    ['bitcoin-cash', 'BCH', 'Bitcoin Cash'],
    ['litecoin', 'LTC', 'Litecoin'],
    ['wrapped-bitcoin', 'WBTC', 'Wrapped Bitcoin'],
    ['usd-coin', 'USDC', 'USD Coin'],
    ['sol-wrapped', 'SOL', 'Wrapped SOL'],
  ],
  categories: [
    ['stablecoin', 'stablecoin'],
    ['meme', 'meme'],
  ],
  exchanges: [
    ['binance', 'Binance'],
    ['kraken', 'Kraken'],
  ],
} as const

describe('the search', () => {
  it.each([
    ['bitcon', 'bitcoin'],
    ['etherium', 'ethereum'],
    ['dogecion', 'dogecoin'],
    ['BTC/USDT', 'bitcoin'],
    ['sol-usdc', 'solana'],
    ['xbt', 'bitcoin'],
    ['XDG', 'dogecoin'],
    ['$sol', 'solana'],
    ['usdc', 'usd-coin'],
    ['bitcoin cash', 'bitcoin-cash'],
    ['wrapped', 'wrapped-bitcoin'],
    ['stablecoin', 'stablecoin'],
    ['stabelcoin', 'stablecoin'],
    ['binance', 'binance'],
    ['krakn', 'kraken'],
  ])('for “%s” finds %s among the first three', (text, id) =>
    expect(
      search(index, text)
        .slice(0, 3)
        .map((hit) => hit.id),
    ).toContain(id),
  )

  it('finds nothing for no words, or for words that nothing is like', () =>
    expect([search(index, ' '), search(index, '$'), search(index, 'qqqqqqqq')]).toEqual([[], [], []]))
})
