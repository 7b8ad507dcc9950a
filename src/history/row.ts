import { Point } from '../contract/history.ts'
import { decimal } from '../contract/numbers.ts'
import { entriesOfText, headOfEntries, printValue } from '../contract/text.ts'

/** A printed row of a series: its timestamp, its price and its volume, if that is known. */
const LINE =
  /^\{"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)","price_usd":((?:0|[1-9]\d*)(?:\.\d+)?),"volume_24h_usd":(?:null|((?:0|[1-9]\d*)(?:\.\d+)?))\}$/

/**
 * A row of a series that keeps the line it was read from, or is printed as. Of the 850 rows of a listing a run changes
 * five: to parse, check and print all of them took half of its time.
 */
export class Row implements Point {
  readonly timestamp: string
  readonly price_usd: number
  readonly volume_24h_usd: number | null
  #line: string | null = null

  constructor(timestamp: string, price_usd: number, volume_24h_usd: number | null) {
    this.timestamp = timestamp
    this.price_usd = price_usd
    this.volume_24h_usd = volume_24h_usd
  }

  /** Returns the row of a printed line; null if it is not printed as {@link Point} allows. */
  static read(line: string): Row | null {
    const [, timestamp, price, volume] = LINE.exec(line) ?? []
    if (timestamp === undefined) return null
    const row = new Row(timestamp, Number(price), volume === undefined ? null : Number(volume))
    if (!hasValues(row)) return null
    row.#line = line
    return row
  }

  /** The row as it is published. @throws ZodError if it breaks its contract */
  get line(): string {
    return (this.#line ??= printed(this))
  }
}

/** Returns a row of a series as it is published. @throws ZodError if it breaks its contract */
export const lineOf = (row: Point): string => (row instanceof Row ? row.line : printValue(Point.parse(row)))

/** Whether price and volume are what {@link Point} allows, at a fifth of the cost. */
const hasValues = ({ price_usd, volume_24h_usd }: Point): boolean =>
  price_usd > 0 &&
  price_usd < Infinity &&
  (volume_24h_usd === null || (volume_24h_usd >= 0 && volume_24h_usd < Infinity))

/** Of a timestamp from the year 0 to 9999, as `timestampOf` returns it. */
const LENGTH = '2026-11-20T12:00:00Z'.length

function printed({ timestamp, price_usd, volume_24h_usd }: Point): string {
  const row = { timestamp, price_usd, volume_24h_usd }
  if (!hasValues(row) || timestamp.length !== LENGTH) return printValue(Point.parse(row))
  // A first build prints a million rows, and JSON.stringify takes twice as long for each.
  const volume = volume_24h_usd === null ? 'null' : decimal(volume_24h_usd)
  return `{"timestamp":"${timestamp}","price_usd":${decimal(price_usd)},"volume_24h_usd":${volume}}`
}

/**
 * Splits a printed answer with rows of a series. Returns its other members as JSON, and its rows; null if a row is not
 * printed as {@link Point} allows.
 */
export function splitRows(text: string): { readonly head: string; readonly rows: Row[] } | null {
  const parts = entriesOfText(text)
  if (parts === null) return null
  const rows: Row[] = []
  for (const entry of parts.entries) {
    const row = Row.read(entry)
    if (row === null) return null
    rows.push(row)
  }
  return { head: headOfEntries(parts), rows }
}
