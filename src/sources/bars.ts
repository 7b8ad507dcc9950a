import * as z from 'zod'
import type { Interval } from '../contract/history.ts'
import { type Answer, type Envelope, type Member, type TimeMember, outline, template, timeIn } from './dialect.ts'
import type { Candle, Candles, Http } from './source.ts'
import { NonNegative, Positive } from './wire.ts'

/** Where a row has each value of a bar, and the unit of its start. Absent volumes are not reported. */
type BarRow = TimeMember &
  Readonly<Record<'open' | 'high' | 'low' | 'close', Member>> &
  Readonly<Partial<Record<'base' | 'quote', Member>>>

/** The bars of a venue, in the words of its API. */
export interface BarDialect {
  /** The venue's name of each published bar width that it has, and whose bars begin as ours do, in UTC. */
  readonly widths: Readonly<Partial<Record<Interval, string | number>>>
  /** Maximum number of bars in one answer. */
  readonly most: number
  readonly envelope?: Envelope
  /**
   * Path of a request, with `{market}`, `{width}`, `{from}` and `{to}`, in the unit of the rows unless `times` says another one.
   * `{before}` and `{after}` are a step of the unit before `{from}` and after `{to}`.
   */
  readonly path: string
  readonly times?: 'utc'
  /** Returns the bars in the rows of an answer, where they are not the rows. */
  readonly rowsIn?: (rows: readonly unknown[]) => readonly unknown[]
  readonly row: BarRow
  /** Whether the volumes may have changed places: that in the quote currency is nearer to the other times the price. */
  readonly areVolumesMixed?: true
}

/** Declares the bars of a venue. A row that cannot be read, or lies outside the request, is left out. */
export function bars(dialect: BarDialect, ask: (http: Http, path: string) => Promise<Answer>): Candles {
  const { widths, most, rowsIn, row: members, areVolumesMixed } = dialect
  const { member, unit } = timeIn(members)
  const { step, written } = timeIn(dialect.times ? { utc: '' } : members)
  const pathOf = template(dialect.path)
  const { open, high, low, close, base, quote } = members
  const take = outline({ at: member, open, high, low, close, volume_base: base, volume_quote: quote })
  const Bar = z.object({
    at: unit.pipe(z.number()),
    open: Positive,
    high: Positive,
    low: Positive,
    close: Positive.pipe(z.number()),
    volume_base: NonNegative,
    volume_quote: NonNegative,
  })
  const read = (row: unknown): Candle[] => {
    const taken = take(row)
    // A bar without a declared member is damaged; one whose member is null has no data.
    const { data } = Object.values(taken).includes(undefined) ? { data: undefined } : Bar.safeParse(taken)
    return data ? [areVolumesMixed ? withVolumesInPlace(data) : data] : []
  }
  return {
    intervals: (['15m', '1h', '4h', '1d'] as const).filter((interval) => widths[interval] !== undefined),
    most,
    async ask(http, { market, interval, from, to }) {
      const times = { before: from - step, from, to, after: to + step }
      const path = pathOf({
        market: encodeURIComponent(market),
        width: widths[interval] ?? interval,
        ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, written(ms)])),
      })
      const { rows } = await ask(http, path)
      return (rowsIn?.(rows) ?? rows).flatMap(read).filter(({ at }) => at >= from && at <= to)
    },
  }
}

function withVolumesInPlace(bar: Candle): Candle {
  const { close, volume_base: base, volume_quote: quote } = bar
  if (!base || !quote) return bar
  const isSwapped = Math.abs(Math.log(base / (quote * close))) < Math.abs(Math.log(quote / (base * close)))
  return isSwapped ? { ...bar, volume_base: quote, volume_quote: base } : bar
}
