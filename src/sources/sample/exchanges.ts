import * as z from 'zod'
import { HOUR_MS } from '../../contract/time.ts'
import { type Candles, type Source, rows, source } from '../source.ts'
import { Milliseconds, NonNegative, Positive } from '../wire.ts'
import { EUR_USD, type SampleAsset, type SampleWorld, changeAt, priceAt, volumeAt } from './world.ts'
import { marketBars } from './bars.ts'
import { randomOf } from './random.ts'
import { OWN_DATA } from '../rights.ts'

const Ticker = z.object({
  base: z.string().min(1),
  quote: z.string().min(1),
  last: Positive,
  bid: Positive,
  ask: Positive,
  volume: NonNegative,
  change: z.number().nullable(),
  at: Milliseconds,
})

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
  EXCHANGES.map(({ letter, assets, quotes, hasBars }, index) =>
    source({
      id: `sample-${letter}`,
      label: `sample exchange ${letter.toUpperCase()}`,
      type: 'exchange',
      host: `sample-${letter}.invalid`,
      pace: { requests: 1_000_000, perSeconds: 1 },
      rights: OWN_DATA,
      ...(hasBars ? { candles: candlesOf(world.assets.slice(0, assets), { letter, index }) } : {}),
      fetch: async () => [...tickersOf(world, { letter, index }, assets, quotes), ...oddities(letter, world.at)],
      *parse(tickers) {
        yield* rows(Ticker, tickers, ({ base, quote, last, bid, ask, volume, change, at }) => ({
          kind: 'quote',
          market: `${base}_${quote}`,
          base,
          quote,
          last,
          bid,
          ask,
          volume_24h_base: volume,
          volume_24h_quote: volume === null || last === null ? null : volume * last,
          percent_change_24h: change,
          at,
          trade_url: `https://example.com/sample-${letter}/${encodeURIComponent(`${base}_${quote}`)}`,
        }))
      },
    }),
  )

/** Bars of the markets in dollars. */
function candlesOf(
  assets: readonly SampleAsset[],
  { letter, index }: { readonly letter: string; readonly index: number },
): Candles {
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

function* tickersOf(
  { at, assets }: SampleWorld,
  { letter, index }: { readonly letter: string; readonly index: number },
  count: number,
  quotes: readonly string[],
) {
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

/** Yields invalid and out-of-scope rows as real venues send them. */
function* oddities(letter: string, at: number): Generator {
  const ticker = { quote: 'USDT', last: 1, bid: 0.999, ask: 1.001, volume: 5000, change: null, at }
  if (letter === 'a') {
    yield { ...ticker, base: 'DEADCOIN', last: '0.00', bid: 0, ask: 0, volume: 0 }
    yield { ...ticker, base: 'NOSUCHCOIN' }
    yield { ...ticker, base: 'LTC', quote: 'XYZ', last: 3 }
    yield { ...ticker, base: 'UNREADABLE', last: 'n/a' }
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
