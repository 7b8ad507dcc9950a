import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ token }) => ({
  '/api': {
    data: [
      {
        id: 'eth_0x00000000000000000000000000000000000000f0',
        type: 'pool',
        attributes: {
          address: '0x00000000000000000000000000000000000000f0',
          name: 'CAA / USDC',
          base_token_price_usd: '10',
          base_token_price_native_currency: '0.01',
          base_token_price_quote_token: '10',
          reserve_in_usd: '60000',
          pool_created_at: '2025-09-09T01:42:11Z',
          price_change_percentage: { h24: '1' },
          volume_usd: { h24: '1000' },
          transactions: { h24: { buys: 1, sells: 1 } },
        },
        relationships: {
          base_token: { data: { id: `eth_${token.address}` } },
          quote_token: { data: { id: 'eth_0x00000000000000000000000000000000000000e0' } },
          dex: { data: { id: 'uniswap_v3' } },
        },
      },
    ],
  },
})
