import * as z from 'zod'
import type { Interval } from '../contract/history.ts'
import { type Candles, ONE_PRICE } from './source.ts'
import { Milliseconds, NonNegative, Positive } from './wire.ts'

const Chart = z.object({ prices: z.array(z.unknown()), total_volumes: z.array(z.unknown()) })
const Moment = Milliseconds.pipe(z.number())
const pointOf = (value: typeof Positive) => z.tuple([Moment, value.pipe(z.number())])
const Price = pointOf(Positive)
const Volume = pointOf(NonNegative)

// A chart ends now, wherever the ask lies, so the whole published range of the interval is asked for. A chart of 1 day
// has a point each 5 minutes, one of 2 to 90 days each hour, a longer one each day; a year is as far back as a key
// without a fee reaches (docs.coingecko.com, /coins/{id}/market_chart).
const DAYS: Readonly<Record<Interval, number>> = { '15m': 1, '1h': 7, '4h': 30, '1d': 365 }

/** Charts of `/coins/{id}/market_chart`. Points are finer than the interval; the last is now, off the grid. */
export const history: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  // A chart cannot be asked for in parts, and this many bars are its longest.
  most: 365,
  rolling: true,
  async ask(http, { market, interval }) {
    const path = `/api/v3/coins/${encodeURIComponent(market)}/market_chart?vs_currency=usd&days=${DAYS[interval]}`
    const chart = await http.json(path, Chart)
    const volumes = new Map(read(Volume, chart.total_volumes))
    return read(Price, chart.prices).map(([at, close]) => ({
      at,
      ...ONE_PRICE,
      close,
      volume_base: null,
      volume_quote: volumes.get(at) ?? null,
    }))
  },
}

/** The points that can be read; the others are as good as not there. */
const read = (point: ReturnType<typeof pointOf>, points: readonly unknown[]): [number, number][] =>
  points.flatMap((candidate) => {
    const { data } = point.safeParse(candidate)
    return data ? [data] : []
  })
