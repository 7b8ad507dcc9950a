import { describe, expect, it } from 'vitest'
import { type SearchIndex, otherIds, search } from '../../src/pages/search.ts'
import { assetOf } from '../feed/world.ts'

type Token = SearchIndex['tokens'][number]
const token = (slug: string, symbol: string, name: string, ...ids: string[]): Token => [
  slug,
  symbol,
  name,
  1,
  2,
  ...ids,
]

const index: SearchIndex = {
  tokens: [
    token('bitcoin', 'BTC', 'Bitcoin', '90', 'btc-bitcoin'),
    token('ethereum', 'ETH', 'Ethereum'),
    token('solana', 'SOL', 'Solana'),
    token('dogecoin', 'DOGE', 'Dogecoin'),
    token('bitcoin-cash', 'BCH', 'Bitcoin Cash'),
    token('litecoin', 'LTC', 'Litecoin'),
    token('tether', 'USDT', 'Tether', '0xdac17f95', 'epjfwdd5au'),
    token('matic-network', 'POL', 'Polygon'),
    token('shiba-inu', 'SHIB', 'Shiba Inu'),
    token('wrapped-bitcoin', 'WBTC', 'Wrapped Bitcoin'),
    token('usd-coin', 'USDC', 'USD Coin'),
    token('sol-wrapped', 'SOL', 'Wrapped SOL'),
  ],
  categories: [
    ['stablecoin', 'stablecoin'],
    ['meme', 'meme'],
    ['defi', 'defi'],
  ],
  exchanges: [
    ['binance', 'Binance'],
    ['kraken', 'Kraken'],
  ],
}

describe('the search', () => {
  it.each([
    ['bitcon', 'bitcoin'],
    ['etherium', 'ethereum'],
    ['dogcoin', 'dogecoin'],
    ['BTC/USDT', 'bitcoin'],
    ['ETH-EUR', 'ethereum'],
    ['xbt', 'bitcoin'],
    ['XDG', 'dogecoin'],
    ['matic', 'matic-network'],
    ['tether usd', 'tether'],
    ['0xdac17f', 'tether'],
    ['0xdAC17F958D2ee523a2206206994597C13D831ec7', 'tether'],
    ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'tether'],
    ['bitcoin-cash', 'bitcoin-cash'],
    ['shiba ino', 'shiba-inu'],
    ['kraken', 'kraken'],
    ['defi', 'defi'],
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

  it('has the rank and the price of a coin', () =>
    expect(search(index, 'litecoin')[0]).toMatchObject({ id: 'litecoin', rank: 1, price_usd: 2 }))

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
          contracts: [
            {
              chain: 'solana',
              chain_id: null,
              address: 'EPjFWdd5AufqSSqeM2qN1xzy',
              decimals: null,
              standard: null,
              explorer_url: null,
            },
          ],
        }),
      ),
    ).toEqual(['90', 'btc-bitcoin', 'epjfwdd5au']))
})
