import { venue } from './venue.ts'

/** HTX, once Huobi. 10 requests a second (huobiapi.github.io/docs/spot). */
export const htx = venue({
  id: 'htx',
  label: 'HTX',
  host: 'api.huobi.pro',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.htx.com/support/en-us/detail/360000298561',
  page: 'https://www.htx.com/trade/{base}_{quote}',
  envelope: { ok: ['status', 'ok'], rows: 'data', time: { ms: 'ts' } },
  // `open` is that of the Singapore day, so there is no change of 24 hours.
  tickers: {
    path: '/market/tickers',
    row: { name: 'symbol', last: 'close', bid: 'bid', ask: 'ask', base: 'amount', quote: 'vol' },
  },
  pair: { glued: 'USDT USDC USDD HUSD TUSD BTC ETH HT TRX EUR EUROC GBP TRY BRL RUB UAH' },
  markets: {
    path: '/v1/common/symbols',
    row: { name: 'symbol', base: 'base-currency', quote: 'quote-currency' },
    without: { 'not trading': { state: { not: ['online'] } } },
  },
  // Contracts from one list, and names from a second (huobiapi.github.io/docs/spot, reference data).
  currencies: {
    path: '/v2/reference/currencies',
    envelope: { ok: ['code', '200'], rows: 'data' },
    row: { symbol: 'currency', chains: 'chains' },
    names: { path: '/v2/settings/common/currencies', row: { symbol: 'name', name: 'fn' } },
    hasSymbolInName: true,
    chain: { platform: 'baseChainProtocol', address: 'contractAddress' },
    // A native coin's list holds its wrapped forms too: "btc" has BTCB, cbBTC and WBTC.
    isNative: ({ chainType, contractAddress }) => Number(chainType) === 0 || !contractAddress,
    without: { 'not trading': { instStatus: { not: ['normal'] } } },
  },
})
