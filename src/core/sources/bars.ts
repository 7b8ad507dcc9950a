import * as z from 'zod'
import { Interval } from '../contract/history.ts'
import { INTERVAL_MS } from '../contract/time.ts'
import { type AnswerForm, type Member, type TimeMember, UNITS, answer, outline, template, timeIn } from './dialect.ts'
import type { Candle, CandleRequest, Candles, Http } from './source.ts'
import { NonNegative, Positive } from './wire.ts'

export interface BarDialect {
  /** The venue's name of each published bar width that it has, and whose bars begin as ours do, in UTC; absent: all have ours. */
  readonly widths?: Readonly<Partial<Record<Interval, string | number>>>
  readonly most: number
  readonly envelope?: AnswerForm
  /**
   * Path of a request, with `{market}`, `{width}`, `{from}` and `{to}`, in the unit of the rows unless `times` says another one.
   * `{before}` and `{after}` are a step of the unit before `{from}` and after `{to}`, `{until}` is the last step of the last bar.
   */
  readonly path: string
  readonly times?: 'utc' | 'seconds'
  readonly rowsIn?: (rows: readonly unknown[], body: unknown) => readonly unknown[]
  readonly row: TimeMember &
    Readonly<Record<'close', Member>> &
    Readonly<Partial<Record<'open' | 'high' | 'low' | 'base' | 'quote', Member>>>
  /** Set for an aggregator, see {@link Candles}. Its prices may be closer than a bar, and lie outside the request. */
  readonly rolling?: true
  readonly isZeroVolumeUnknown?: true
  /** Whether the volumes may have changed places: that in the quote currency is nearer to the other times the price. */
  readonly areVolumesMixed?: true
}

export function bars(dialect: BarDialect, host: string, envelope: AnswerForm = {}): Candles {
  const { widths, most, rowsIn, row: members, rolling, areVolumesMixed } = dialect
  const { member, unit } = timeIn(members)
  const { step, written } = dialect.times ? UNITS[dialect.times] : timeIn(members)
  const Volume = dialect.isZeroVolumeUnknown ? Positive : NonNegative
  const pathOf = template(dialect.path)
  const { open, high, low, close, base, quote } = members
  const take = outline({ at: member, open, high, low, close, volume_base: base, volume_quote: quote })
  const Bar = z.object({
    at: unit.pipe(z.number()),
    open: Positive,
    high: Positive,
    low: Positive,
    close: Positive.pipe(z.number()),
    volume_base: Volume,
    volume_quote: Volume,
  })
  const read = (row: unknown): Candle[] => {
    const taken = take(row)
    // A bar without a declared member is damaged; one whose member is null has no data.
    const { data } = Object.values(taken).includes(undefined) ? { data: undefined } : Bar.safeParse(taken)
    return data ? [areVolumesMixed ? withVolumesInPlace(data) : data] : []
  }
  return {
    intervals: Interval.options.filter((interval) => !widths || widths[interval] !== undefined),
    most,
    ...(rolling && { rolling }),
    async ask(http: Http, { market, interval, from, to }: CandleRequest) {
      const until = to + INTERVAL_MS[interval] - step
      const times = { before: from - step, from, to, after: to + step, until }
      const path = pathOf({
        market: encodeURIComponent(market),
        width: widths?.[interval] ?? interval,
        ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, written(ms)])),
      })
      const { rows, body } = await http.json(path, answer(dialect.envelope ?? envelope, host))
      return (rowsIn?.(rows, body) ?? rows).flatMap(read).filter(({ at }) => rolling || (at >= from && at <= to))
    },
  }
}

function withVolumesInPlace(bar: Candle): Candle {
  const { close, volume_base: base, volume_quote: quote } = bar
  if (!base || !quote) return bar
  const isSwapped = Math.abs(Math.log(base / (quote * close))) < Math.abs(Math.log(quote / (base * close)))
  return isSwapped ? { ...bar, volume_base: quote, volume_quote: base } : bar
}
