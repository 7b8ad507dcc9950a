import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'

/** What can go wrong with an upstream. */
export const FAULTS = [
  'refuse',
  '429',
  '500',
  '503',
  'html',
  'truncate',
  'empty',
  'null',
  'hang',
  'slow',
  'garbage',
  'huge',
] as const
export type Fault = (typeof FAULTS)[number]

/** Most bytes of an answer that a run here reads; `huge` is more. */
export const MOST_BYTES = 500_000

const NOW = Date.UTC(2026, 10, 20, 12)
const VENUES = [
  'data-api.binance.vision',
  'api.exchange.coinbase.com',
  'api.kraken.com',
  'www.okx.com',
  'api.bybit.com',
  'api.kucoin.com',
  'api.gateio.ws',
  'www.bitstamp.net',
  'api-pub.bitfinex.com',
  'api.mexc.com',
  'api.huobi.pro',
  'api.crypto.com',
] as const
type Venue = (typeof VENUES)[number]

/** Thirty-six coins with three letters each, `caa` to `cbj`; what each is worth. */
const COINS = Array.from({ length: 36 }, (_, number) => ({
  number,
  symbol: `C${String.fromCharCode(65 + Math.floor(number / 26))}${String.fromCharCode(65 + (number % 26))}`,
  price: 10 + number,
}))

/** Of twelve coins in a row, one venue each does not trade it: when that venue fails, the coin is not concerned. */
const tradedAt = (venue: Venue) => COINS.filter(({ number }) => number % VENUES.length !== VENUES.indexOf(venue))

/** A third of the coins is in both lists, a third in each one alone. */
const listedBy = (list: 'coingecko' | 'coinpaprika') =>
  COINS.filter(({ number }) => number % 3 === 0 || (number % 3 === 1) === (list === 'coingecko'))

const ADDRESS = '0x00000000000000000000000000000000000000c0'
const POOL = '0x00000000000000000000000000000000000000d0'

/** Half the venues quote in it. */
const DOLLAR = {
  id: 'usd-coin',
  symbol: 'usdc',
  name: 'USDC',
  current_price: 1,
  market_cap: 1e9,
  market_cap_rank: 40,
  total_volume: 1e6,
  circulating_supply: 1e9,
  price_change_percentage_24h: 0,
  last_updated: new Date(NOW).toISOString(),
}

const ok = (price: number) => String(price)

/** Tickers in the form that Binance began and MEXC took over; the two count percents differently. */
const tickersOf = (host: Parameters<typeof tradedAt>[0], priceChangePercent: string) =>
  tradedAt(host).map(({ symbol, price }) => ({
    symbol: `${symbol}USDC`,
    priceChangePercent,
    lastPrice: ok(price),
    bidPrice: ok(price),
    askPrice: ok(price),
    volume: '1000',
    quoteVolume: ok(price * 1000),
    closeTime: NOW,
  }))

const BODIES: Readonly<Record<string, unknown>> = {
  'api.coingecko.com/api/v3/coins/markets page=1': listedBy('coingecko')
    .map(({ symbol, price, number }) => ({
      id: symbol.toLowerCase(),
      symbol: symbol.toLowerCase(),
      name: `Coin ${symbol}`,
      current_price: price,
      market_cap: price * 1e6,
      market_cap_rank: number + 1,
      total_volume: 1e6,
      circulating_supply: 1e6,
      price_change_percentage_24h: 1,
      last_updated: new Date(NOW).toISOString(),
    }))
    .concat(DOLLAR),
  'api.coingecko.com/api/v3/coins/markets': [],
  'api.coingecko.com/api/v3/coins/list': listedBy('coingecko').map(({ symbol, number }) => ({
    id: symbol.toLowerCase(),
    symbol: symbol.toLowerCase(),
    name: `Coin ${symbol}`,
    platforms: number === 0 ? { ethereum: ADDRESS } : {},
  })),
  'api.coinpaprika.com/v1/tickers': listedBy('coinpaprika').map(({ symbol, price, number }) => ({
    id: `${symbol.toLowerCase()}-coin-${symbol.toLowerCase()}`,
    name: `Coin ${symbol}`,
    symbol,
    rank: number + 1,
    total_supply: 1e6,
    max_supply: 0,
    last_updated: new Date(NOW).toISOString().replace('.000', ''),
    quotes: { USD: { price, volume_24h: 1e6, market_cap: price * 1e6, percent_change_24h: 1 } },
  })),
  'api.coinpaprika.com/v1/contracts': [],
  'data-api.binance.vision/api/v3/ticker/24hr': tickersOf('data-api.binance.vision', '1'),
  'data-api.binance.vision/api/v3/exchangeInfo': {
    symbols: COINS.map(({ symbol }) => ({
      symbol: `${symbol}USDC`,
      status: 'TRADING',
      baseAsset: symbol,
      quoteAsset: 'USDC',
    })),
  },
  'api.exchange.coinbase.com/products': tradedAt('api.exchange.coinbase.com').map(({ symbol }) => ({
    id: `${symbol}-USD`,
    base_currency: symbol,
    quote_currency: 'USD',
    status: 'online',
    trading_disabled: false,
  })),
  'api.exchange.coinbase.com/products/stats': Object.fromEntries(
    tradedAt('api.exchange.coinbase.com').map(({ symbol, price }) => [
      `${symbol}-USD`,
      { stats_24hour: { open: ok(price), high: ok(price), low: ok(price), last: ok(price), volume: '1000' } },
    ]),
  ),
  'api.kraken.com/0/public/Ticker': {
    error: [],
    result: Object.fromEntries(
      tradedAt('api.kraken.com').map(({ symbol, price }) => [
        `${symbol}USD`,
        {
          a: [ok(price)],
          b: [ok(price)],
          c: [ok(price), '1'],
          v: ['1', '1000'],
          p: ['1', '1'],
          t: [1, 2],
          o: ok(price),
        },
      ]),
    ),
  },
  'api.kraken.com/0/public/AssetPairs': {
    error: [],
    result: Object.fromEntries(
      COINS.map(({ symbol }) => [
        `${symbol}USD`,
        {
          altname: `${symbol}USD`,
          wsname: `${symbol}/USD`,
          base: symbol,
          quote: 'ZUSD',
          aclass_base: 'currency',
          status: 'online',
        },
      ]),
    ),
  },
  'www.okx.com/api/v5/market/tickers': {
    code: '0',
    msg: '',
    data: tradedAt('www.okx.com').map(({ symbol, price }) => ({
      instType: 'SPOT',
      instId: `${symbol}-USD`,
      last: ok(price),
      askPx: ok(price),
      bidPx: ok(price),
      open24h: ok(price),
      volCcy24h: ok(price * 1000),
      vol24h: '1000',
      ts: String(NOW),
    })),
  },
  'api.bybit.com/v5/market/tickers': {
    retCode: 0,
    retMsg: 'OK',
    time: NOW,
    result: {
      category: 'spot',
      list: tradedAt('api.bybit.com').map(({ symbol, price }) => ({
        symbol: `${symbol}USDC`,
        bid1Price: ok(price),
        ask1Price: ok(price),
        lastPrice: ok(price),
        prevPrice24h: ok(price),
        price24hPcnt: '0.01',
        turnover24h: ok(price * 1000),
        volume24h: '1000',
      })),
    },
  },
  'api.bybit.com/v5/market/instruments-info': {
    retCode: 0,
    retMsg: 'OK',
    result: {
      category: 'spot',
      list: COINS.map(({ symbol }) => ({
        symbol: `${symbol}USDC`,
        baseCoin: symbol,
        quoteCoin: 'USDC',
        status: 'Trading',
      })),
    },
  },
  'api.kucoin.com/api/v1/market/allTickers': {
    code: '200000',
    data: {
      time: NOW,
      ticker: tradedAt('api.kucoin.com').map(({ symbol, price }) => ({
        symbol: `${symbol}-USDC`,
        symbolName: `${symbol}-USDC`,
        buy: ok(price),
        sell: ok(price),
        changeRate: '0.01',
        vol: '1000',
        volValue: ok(price * 1000),
        last: ok(price),
      })),
    },
  },
  'api.gateio.ws/api/v4/spot/tickers': tradedAt('api.gateio.ws').map(({ symbol, price }) => ({
    currency_pair: `${symbol}_USDC`,
    last: ok(price),
    lowest_ask: ok(price),
    highest_bid: ok(price),
    change_percentage: '1',
    base_volume: '1000',
    quote_volume: ok(price * 1000),
  })),
  'api.gateio.ws/api/v4/spot/currency_pairs': COINS.map(({ symbol }) => ({
    id: `${symbol}_USDC`,
    trade_status: 'tradable',
  })),
  'www.bitstamp.net/api/v2/ticker/': tradedAt('www.bitstamp.net').map(({ symbol, price }) => ({
    pair: `${symbol}/USD`,
    last: ok(price),
    bid: ok(price),
    ask: ok(price),
    volume: '1000',
    percent_change_24: '1',
    timestamp: String(NOW / 1000),
  })),
  'api-pub.bitfinex.com/v2/tickers': tradedAt('api-pub.bitfinex.com').map(({ symbol, price }) => [
    `t${symbol}USD`,
    price,
    1,
    price,
    1,
    0,
    0.01,
    price,
    1000,
    price,
    price,
    null,
  ]),
  'api.mexc.com/api/v3/ticker/24hr': tickersOf('api.mexc.com', '0.01'),
  'api.mexc.com/api/v3/exchangeInfo': {
    symbols: COINS.map(({ symbol }) => ({
      symbol: `${symbol}USDC`,
      baseAsset: symbol,
      quoteAsset: 'USDC',
      status: '1',
    })),
  },
  'api.huobi.pro/market/tickers': {
    status: 'ok',
    ts: NOW,
    data: tradedAt('api.huobi.pro').map(({ symbol, price }) => ({
      symbol: `${symbol.toLowerCase()}usdc`,
      open: price,
      close: price,
      bid: price,
      ask: price,
      amount: 1000,
      vol: price * 1000,
    })),
  },
  'api.huobi.pro/v1/common/symbols': {
    status: 'ok',
    data: COINS.map(({ symbol }) => ({
      symbol: `${symbol.toLowerCase()}usdc`,
      'base-currency': symbol.toLowerCase(),
      'quote-currency': 'usdc',
      state: 'online',
    })),
  },
  'api.crypto.com/exchange/v1/public/get-tickers': {
    code: 0,
    result: {
      data: tradedAt('api.crypto.com').map(({ symbol, price }) => ({
        i: `${symbol}_USD`,
        h: ok(price),
        l: ok(price),
        a: ok(price),
        v: '1000',
        vv: ok(price * 1000),
        c: '0.01',
        b: ok(price),
        k: ok(price),
        t: NOW,
      })),
    },
  },
  'api.dexscreener.com/tokens': [
    {
      chainId: 'ethereum',
      dexId: 'uniswap',
      url: `https://dexscreener.com/ethereum/${POOL}`,
      pairAddress: POOL,
      baseToken: { address: ADDRESS, name: 'Coin CAA', symbol: 'CAA' },
      quoteToken: { address: '0x00000000000000000000000000000000000000e0', name: 'USD Coin', symbol: 'USDC' },
      priceNative: '10',
      priceUsd: '10',
      txns: { h24: { buys: 1, sells: 1 } },
      volume: { h24: 1000 },
      priceChange: { h24: 1 },
      liquidity: { usd: 50_000 },
      pairCreatedAt: NOW,
    },
  ],
  'api.geckoterminal.com/api': {
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
          base_token: { data: { id: `eth_${ADDRESS}` } },
          quote_token: { data: { id: 'eth_0x00000000000000000000000000000000000000e0' } },
          dex: { data: { id: 'uniswap_v3' } },
        },
      },
    ],
  },
}

/** The body of a path, by the longest name above that it begins with. */
function bodyFor(path: string, query: string): unknown {
  const names = Object.keys(BODIES).filter((name) => {
    const [own = '', wanted] = name.split(' ')
    return path.startsWith(own) && (wanted === undefined || `&${query}&`.includes(`&${wanted}&`))
  })
  const [best] = names.toSorted((a, b) => b.length - a.length)
  return best === undefined ? undefined : BODIES[best]
}

/** A gateway that stands for every upstream. What fails and how is set while it runs. */
export async function faultyUpstream() {
  /** By host; `*` for all. */
  const failing = new Map<string, Fault>()
  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').slice(1).split('?')
    const fault = failing.get(path.split('/')[0] ?? '') ?? failing.get('*')
    const body = bodyFor(path, query)
    const text = JSON.stringify(body ?? {})
    if (fault) fail(fault, text, request, response)
    else response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
  const close = (): Promise<unknown> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url, failing, close }
}

function fail(fault: Fault, text: string, request: IncomingMessage, response: ServerResponse): void {
  const json = { 'content-type': 'application/json' }
  switch (fault) {
    case 'refuse':
      request.socket.destroy()
      return
    case '429':
      response.writeHead(429, { ...json, 'retry-after': '1' }).end('{"error":"too many"}')
      return
    case '500':
    case '503':
      response.writeHead(Number(fault), json).end('{"error":"down"}')
      return
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Just a moment...</title>')
      return
    case 'truncate':
      response.writeHead(200, { ...json, 'content-length': String(Buffer.byteLength(text) + 100) })
      response.write(text.slice(0, text.length >> 1), () => request.socket.destroy())
      return
    case 'empty':
      response.writeHead(200, json).end()
      return
    case 'null':
      response.writeHead(200, json).end('null')
      return
    case 'hang':
      return
    case 'slow': {
      response.writeHead(200, json)
      const parts = text.match(/[^]{1,4000}/g) ?? []
      const next = (): void => {
        const part = parts.shift()
        if (part === undefined) response.end()
        else response.write(part, () => setImmediate(next))
      }
      next()
      return
    }
    case 'garbage':
      response.writeHead(200, json).end(Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 97) % 256)))
      return
    case 'huge':
      response.writeHead(200, json).end(`[${'"x",'.repeat(MOST_BYTES / 2)}"x"]`)
  }
}
