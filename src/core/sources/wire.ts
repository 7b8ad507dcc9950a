/** Schemas of numbers, times and texts as venues write them. `null`: no data; what cannot be data fails the row. */
import * as z from 'zod'
import { UNPRINTABLE, line } from '../contract/words.ts'

/** Maximum of any price or amount. A row with more is damaged. */
const LARGEST = 1e30

/** Minimum of any price. Products and quotients of smaller prices would exceed the range of a double. */
const SMALLEST = 1e-30

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

function numberIn(written: number | string | null | undefined): number | null {
  if (written === null || written === undefined) return null
  const text = typeof written === 'string' ? written.trim() : written
  if (text === '' || text === 'NaN' || text === 'null') return null
  // Number() also accepts notations that no venue uses, such as 0x10.
  const number = typeof text === 'number' ? text : DECIMAL.test(text) ? Number(text) : NaN
  return Math.abs(number) <= LARGEST ? number : NaN
}

/** A number as JSON number or decimal text. One transform, because unions and pipes take three times as long. */
const numeric = (convert: (value: number) => number | null, { least = -LARGEST } = {}) =>
  z.transform((value: unknown, context): number | null => {
    const isWritten = value === null || value === undefined || typeof value === 'number' || typeof value === 'string'
    const number = isWritten ? numberIn(value) : NaN
    if (number === null) return null
    if (number >= least) return convert(number)
    const message = !isWritten ? 'Invalid input' : Number.isNaN(number) ? 'not a number' : 'negative'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** A price or another figure that is never 0. Venues write 0 for a dead market, so 0 is no data. Negative values are damage. */
export const Positive = numeric((value) => (value < SMALLEST ? null : value), { least: 0 })

export const NonNegative = numeric((value) => value, { least: 0 })

/** A change in percent: `2.5` is +2.5 %. None loses all of a price. */
export const ReportedPercent = numeric((value) => (value > -100 ? value : null))

/** A change as a fraction: `0.025` is +2.5 %. */
export const Fraction = numeric((value) => (value > -1 ? value * 100 : null))

// 2009-01-03, the first block: no market traded before it.
const EARLIEST_MS = Date.UTC(2009, 0, 3)

const moment = (toMs: (value: number) => number) =>
  numeric((value) => {
    const ms = Math.trunc(toMs(value))
    return ms < EARLIEST_MS ? null : ms
  })

/** A time in milliseconds since 1970. A time before the first block, such as 0, is no data. */
export const Milliseconds = moment((value) => value)

export const Seconds = moment((value) => value * 1000)

export const IsoTime = z
  .string()
  .nullish()
  .transform((value) => {
    const ms = Date.parse(value ?? '')
    return Number.isNaN(ms) || ms < EARLIEST_MS ? null : ms
  })

const INVISIBLE = new RegExp(UNPRINTABLE.source, 'gu')

/** Words of printable ASCII with one space between them. */
const CLEAN = /^[!-~]+( [!-~]+)*$/

/** Normalizes a text to one line: NFC, without invisible characters, white space folded. */
export const clean = (text: string): string =>
  CLEAN.test(text)
    ? text
    : text
        .toWellFormed()
        .normalize('NFC')
        .replace(/[\n\r\t]/g, ' ')
        .replace(INVISIBLE, '')
        .replace(/\s+/g, ' ')
        .trim()

const truncated = (text: string, max: number): string => {
  const short = text.slice(0, max)
  return (short.isWellFormed() ? short : short.slice(0, -1)).trimEnd()
}

/** Normalizes and truncates a text. Truncates it to 8 times the length first, because NFC is quadratic in runs of accents. */
const normalized = (text: string, max: number): string => truncated(clean(text.slice(0, 8 * max)), max)

/** A source's id of an asset. It is used in requests as is, so one that would have to be normalized fails the row. */
// Limits of a text are compared with the `length` of an object too, which may be lists in lists without end.
export const Id = z.string().pipe(line(200))

export const Text = (max: number) =>
  z
    .string()
    .transform((text) => normalized(text, max))
    .pipe(z.string().min(1))

/** An optional text. `""`, null and a missing member are no data. */
export const OptionalText = (max: number) =>
  z
    .string()
    .nullish()
    .transform((text) => normalized(text ?? '', max) || null)

/** An {@link OptionalText} without its HTML tags: old descriptions have links. */
export const Prose = (max: number) =>
  z.preprocess((text) => (typeof text === 'string' ? text.replace(/<[^<>]*>/g, '') : text), OptionalText(max))

/** A link to show. Anything but an `https:` URL is no data. */
export const Link = z
  .unknown()
  .optional()
  .transform((value): string | null => {
    if (typeof value !== 'string' || value.length > 4096 || !URL.canParse(value.trim())) return null
    const url = new URL(value.trim())
    if (url.protocol !== 'https:' || url.username || url.password || url.href.length > 2048) return null
    return /["'<>`\\\s]/.test(url.href) ? null : url.href
  })
