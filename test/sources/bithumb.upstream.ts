import type { Upstream } from '../faults/market.ts'
import { upstream as upbit } from './upbit.upstream.ts'

/** What Bithumb answers in the made-up market. Its API is a copy of Upbit's. */
export const upstream: Upstream = (market) => ({
  '/v1/ticker': upbit(market)['/v1/ticker/all'],
  '/v1/market/all': market.coins.map(({ symbol }) => ({ market: `USDC-${symbol}`, market_warning: 'NONE' })),
})
