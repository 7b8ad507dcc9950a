import { HOUR_MS } from '../../contract/time.ts'
import { type Candles, type Quote, type Source, rejected } from '../source.ts'
import { EUR_USD, SAMPLE_FACTS, type SampleAsset, type SampleWorld, changeAt, priceAt, volumeAt } from './world.ts'
import { marketBars } from './bars.ts'
import { randomOf } from './random.ts'

/** Name, number of the largest assets that it trades, quote currencies, and whether it has past bars. */
const EXCHANGES = [
  { letter: 'a', assets: 400, quotes: ['USDT', 'USDC'], hasBars: false },
  { letter: 'b', assets: 350, quotes: ['USDT', 'BTC'], hasBars: false },
  { letter: 'c', assets: 300, quotes: ['USD', 'EUR'], hasBars: false },
  { letter: 'd', assets: 200, quotes: ['USDT', 'USD'], hasBars: true },
  { letter: 'e', assets: 150, quotes: ['USDC', 'BTC'], hasBars: true },
  { letter: 'f', assets: 100, quotes: ['USD', 'USDT'], hasBars: true },
] as const

/** Symbols of the ecosystem by exchange. Its assets trade nowhere else. */
const ECOSYSTEM_SYMBOLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'trac-network': { a: 'TNK', b: 'TNK' },
  'tap-protocol': { a: 'TAPPROTOCOL' },
  'dmt-nat': { b: 'NAT' },
}

const symbolAt = (letter: string, { id, symbol }: SampleAsset): string | undefined =>
  id in ECOSYSTEM_SYMBOLS ? ECOSYSTEM_SYMBOLS[id]?.[letter] : symbol

/** Returns six exchanges, each with some of the oddities of real ones. */
export const sampleExchanges = (world: SampleWorld): readonly Source[] =>
  EXCHANGES.map(({ letter, assets, quotes, hasBars }, index) => ({
    ...SAMPLE_FACTS,
    id: `sample-${letter}`,
    label: `sample exchange ${letter.toUpperCase()}`,
    type: 'exchange',
    host: `sample-${letter}.invalid`,
    ...(hasBars ? { candles: candlesOf(world.assets.slice(0, assets), { letter, index }) } : {}),
    observe: async () => {
      const tickers = [...tickersOf(world, { letter, index }, assets, quotes), ...oddities(letter, world.at)]
      return [
        ...tickers.map((ticker) => quoteOf(letter, ticker)),
        ...(letter === 'a' ? [rejected('last: not a number')] : []),
      ]
    },
  }))

/** An exchange by its letter and its place among the others. */
type Place = Readonly<{ letter: string; index: number }>

type Ticker = Pick<Quote, 'base' | 'quote' | 'last' | 'bid' | 'ask' | 'at'> & {
  readonly volume: number
  readonly change: number | null
}

const quoteOf = (letter: string, { volume, change, ...ticker }: Ticker): Quote => ({
  kind: 'quote',
  market: `${ticker.base}_${ticker.quote}`,
  ...ticker,
  volume_24h_base: volume,
  volume_24h_quote: ticker.last === null ? null : volume * ticker.last,
  percent_change_24h: change,
  trade_url: `https://example.com/sample-${letter}/${encodeURIComponent(`${ticker.base}_${ticker.quote}`)}`,
})

function candlesOf(assets: readonly SampleAsset[], { letter, index }: Place): Candles {
  const bySymbol = new Map(
    assets.filter(({ lacks }) => lacks !== 'price').map((asset) => [symbolAt(letter, asset), asset] as const),
  )
  return {
    intervals: ['15m', '1h', '4h', '1d'],
    most: 1000,
    async ask(_http, request) {
      const [base, quote = ''] = request.market.split('_')
      const asset = ['USD', 'USDT', 'USDC'].includes(quote) ? bySymbol.get(base) : undefined
      return asset ? marketBars(asset, request, asset.number * 1000 + index * 10 + quote.length) : []
    },
  }
}

function* tickersOf({ at, assets }: SampleWorld, { letter, index }: Place, count: number, quotes: readonly string[]) {
  const worth = (symbol: string): number => {
    const asset = assets.find((one) => one.symbol === symbol)
    return symbol === 'USD' ? 1 : symbol === 'EUR' ? EUR_USD : (asset && priceAt(asset, at)) || 1
  }
  const inDollars = quotes.includes('USD')
  const units = new Map(quotes.map((quote) => [quote, worth(quote)]))
  for (const asset of assets.slice(0, count)) {
    const dollars = priceAt(asset, at)
    const base = symbolAt(letter, asset)
    if (dollars === null || asset.lacks === 'price' || base === undefined) continue
    for (const [quote, unit] of units) {
      if (quote === asset.symbol) continue
      const random = randomOf(asset.number * 1000 + index * 10 + quote.length)
      const last = (dollars / unit) * (1 + (random() - 0.5) * 0.001)
      const spread = 0.0002 + 0.001 * random()
      yield {
        base,
        quote,
        last,
        bid: last * (1 - spread / 2),
        ask: last * (1 + spread / 2),
        volume: (volumeAt(asset, at) / dollars) * (0.02 + 0.1 * random()),
        change: changeAt(asset, at, 24),
        at,
      }
    }
  }
  if (inDollars)
    yield { base: 'EUR', quote: 'USD', last: EUR_USD, bid: 1.1299, ask: 1.1301, volume: 1e6, change: null, at }
}

/** Yields rows as real venues send them of what is dead, unknown, wrong, old or thin. */
function* oddities(letter: string, at: number): Generator<Ticker> {
  const ticker = { quote: 'USDT', last: 1, bid: 0.999, ask: 1.001, volume: 5000, change: null, at }
  if (letter === 'a') {
    yield { ...ticker, base: 'DEADCOIN', last: null, bid: null, ask: null, volume: 0 }
    yield { ...ticker, base: 'NOSUCHCOIN' }
    yield { ...ticker, base: 'LTC', quote: 'XYZ', last: 3 }
  }
  if (letter === 'b') {
    yield { ...ticker, base: 'ADA', quote: 'EUR', last: 9, bid: 9.1, ask: 8.9 }
    yield { ...ticker, base: 'XLM', quote: 'EUR', last: 3, bid: 2.9, ask: 3.1, at: at - 6 * HOUR_MS }
  }
  if (letter === 'd') {
    yield { ...ticker, base: 'DOT', quote: 'USDC', last: 999, bid: 998, ask: 1000 }
    yield { ...ticker, base: 'AVAX', quote: 'USDT', last: 50, volume: 1 }
  }
}
