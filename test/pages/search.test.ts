import { describe, expect, it } from 'vitest'
import { search } from '../../src/pages/search.ts'
import { otherIds } from '../../src/pages/search-index.ts'
import { assetOf } from '../feed/world.ts'

const index = {
  tokens: [
    ['bitcoin', 'BTC', 'Bitcoin', '90', 'btc-bitcoin'],
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
    ['btc-bitcoin', 'bitcoin'],
    ['btc-bit', 'bitcoin'],
    ['90', 'bitcoin'],
  ])('for “%s” finds %s among the first three', (text, id) =>
    expect(
      search(index, text)
        .slice(0, 3)
        .map((hit) => hit.id),
    ).toContain(id),
  )

  it('finds nothing for no words, or for words that nothing is like', () =>
    expect([search(index, ' '), search(index, '$'), search(index, 'qqqqqqqq'), search(index, '9')]).toEqual([
      [],
      [],
      [],
      [],
    ]))

  it('reads only ids that the slug, symbol and name do not find', () =>
    expect(
      otherIds(
        assetOf('bitcoin', {
          name: 'Bitcoin',
          symbol: 'BTC',
          external_ids: { coingecko: 'bitcoin', coinlore: '90', coinpaprika: 'btc-bitcoin', kraken: 'BTC' },
        }),
      ),
    ).toEqual(['90', 'btc-bitcoin']))
})
