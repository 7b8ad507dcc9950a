import { venue } from './venue.ts'

/** CoinEx. 400 requests a second from one address, as a client library reports (docs.coinex.com/api/v2). */
export const coinex = venue({
  id: 'coinex',
  label: 'CoinEx',
  host: 'api.coinex.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.coinex.com/service',
  page: 'https://www.coinex.com/en/exchange/{base}-{quote}',
  envelope: { ok: ['code', '0'], busy: ['code', '4213'], rows: 'data' },
  // Neither bid nor ask, nor a time.
  tickers: {
    path: '/v2/spot/ticker',
    row: { name: 'market', last: 'last', base: 'volume', quote: 'value' },
    change: { open: 'open' },
  },
  pair: { glued: 'USDT USDC BTC' },
  markets: {
    path: '/v2/spot/market',
    // A market that is no longer listed stays among the tickers.
    isComplete: true,
    row: { name: 'market', base: 'base_ccy', quote: 'quote_ccy' },
    without: { 'not issued yet': { is_pre_trading_available: [true] } },
  },
  // Not the fan token of AC Milan.
  common: 'ACM=ACTINIUM',
  bars: {
    widths: { '15m': '15min', '1h': '1hour', '4h': '4hour', '1d': '1day' },
    most: 1000,
    // It has no parameter for the time: the newest bars.
    path: '/v2/spot/kline?market={market}&period={width}&limit=1000',
    row: { ms: 'created_at', open: 'open', high: 'high', low: 'low', close: 'close', base: 'volume', quote: 'value' },
    // The documentation has the base in `volume`, a recorded answer has it in `value`.
    areVolumesMixed: true,
  },
  currencies: {
    path: '/v2/assets/info',
    row: { symbol: 'short_name', name: 'full_name', chains: 'chain_info' },
    chain: { platform: 'chain_name', address: 'identity' },
    // A coin of a chain of its own, whose contracts elsewhere are wrapped forms.
    isNative: ({ identity }) => identity === '',
  },
})
