import * as z from 'zod'
import type { Interval } from '../contract/history.ts'
import type { Candle, CandleRequest, Candles, Http } from './source.ts'
import { type Milliseconds, NonNegative, Positive } from './wire.ts'

type Figure = Exclude<keyof Candle, 'at'>

/** The bars of a venue, in its own words. */
interface BarDialect {
  /** The venue's name of each published bar width that it has. */
  readonly widths: Readonly<Partial<Record<Interval, string | number>>>
  /** Maximum number of bars in one answer. */
  readonly most: number
  /** Returns the path of a request. `market` is encoded, `width` is the venue's name of the interval. */
  readonly path: (request: Omit<CandleRequest, 'interval'> & { readonly width: string | number }) => string
  /** Requests the rows of a path. */
  readonly rows: (http: Http, path: string) => Promise<readonly unknown[]>
  readonly time: typeof Milliseconds
  /** The column, or the member, of a row that has each value. */
  readonly columns: Readonly<Record<'at' | 'close' | 'open' | 'high' | 'low', string | number>> &
    Readonly<Partial<Record<Figure, string | number>>>
}

/** Declares the bars of a venue. A row that cannot be read, or lies outside the request, is left out. */
export function bars({ widths, most, path, rows, time, columns }: BarDialect): Candles {
  const Bar = z.object({
    at: time.pipe(z.number()),
    open: Positive,
    high: Positive,
    low: Positive,
    close: Positive.pipe(z.number()),
    volume_base: NonNegative,
    volume_quote: NonNegative,
  })
  const read = (row: unknown): Candle[] => {
    const values = new Map(Object.entries(row ?? {}))
    const named = Object.entries(columns).map(([name, column]) => [name, String(column)] as const)
    if (named.some(([, column]) => !values.has(column))) return []
    const { data } = Bar.safeParse(Object.fromEntries(named.map(([name, column]) => [name, values.get(column)])))
    return data ? [data] : []
  }
  return {
    intervals: (['15m', '1h', '4h', '1d'] as const).filter((interval) => widths[interval] !== undefined),
    most,
    async ask(http, { market, interval, from, to }) {
      const width = widths[interval] ?? interval
      const answer = await rows(http, path({ market: encodeURIComponent(market), width, from, to }))
      return answer.flatMap(read).filter(({ at }) => at >= from && at <= to)
    },
  }
}
