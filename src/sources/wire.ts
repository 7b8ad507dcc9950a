/**
 * Numbers, times and texts as venues write them, read into one form. A source's file states its dialect with these words
 * and does no arithmetic of its own. `null` stands for "no data"; what cannot be data at all fails its row.
 */
import * as z from 'zod'
import { UNPRINTABLE, line } from '../contract/words.ts'

/** No price and no amount of anything is larger; above it a row is damaged, not rich. */
const LARGEST = 1e30

/** Nothing that trades is cheaper; below it products and quotients of two prices leave what a double can hold. */
const SMALLEST = 1e-30

const written = z.union([z.number(), z.string()]).nullish()

/** A number written as JSON number or decimal text; `""`, `"NaN"`, null and absence are no data. */
const Numeric = written.transform((value, context): number | null => {
  if (value === null || value === undefined) return null
  const text = typeof value === 'string' ? value.trim() : value
  if (text === '' || text === 'NaN' || text === 'null') return null
  // Number('0x10') and Number('1_0') disagree with every venue; only decimal notation is let through.
  const number =
    typeof text === 'number' ? text : /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN
  if (Number.isFinite(number) && Math.abs(number) <= LARGEST) return number
  context.addIssue({ code: 'custom', message: 'not a number' })
  return z.NEVER
})

const notNegative = Numeric.refine((value) => value === null || value >= 0, 'negative')

/** A price or another figure that is never 0: venues write 0 for a dead market. 0 is no data; below it is damage. */
export const Positive = notNegative.transform((value) => (value === null || value < SMALLEST ? null : value))

/** An amount that may truly be 0, such as the volume of a day without a trade. */
export const NonNegative = notNegative

/** A change written in percent: `2.5` is +2.5 %. */
export const Percent = Numeric

/** A change written as a fraction: `0.025` is +2.5 %. */
export const Fraction = Numeric.transform((value) => (value === null ? null : value * 100))

// 2009-01-03, the first block: no market traded before it.
const EARLIEST_MS = Date.UTC(2009, 0, 3)

const moment = (toMs: (value: number) => number) =>
  Numeric.transform((value) => {
    const ms = value === null ? 0 : Math.trunc(toMs(value))
    return ms < EARLIEST_MS ? null : ms
  })

/** A time in milliseconds since 1970; 0 and anything before the first block is no data. */
export const Milliseconds = moment((value) => value)

/** A time in seconds since 1970, as {@link Milliseconds}. */
export const Seconds = moment((value) => value * 1000)

/** An ISO 8601 time as milliseconds since 1970; what no clock could print is no data. */
export const IsoTime = z
  .string()
  .nullish()
  .transform((value) => {
    const ms = Date.parse(value ?? '')
    return Number.isNaN(ms) || ms < EARLIEST_MS ? null : ms
  })

const INVISIBLE = new RegExp(UNPRINTABLE.source, 'gu')

/** Text on one line: NFC, without invisible characters, white space folded. */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\n\r\t]/g, ' ')
    .replace(INVISIBLE, '')
    .replace(/\s+/g, ' ')
    .trim()

/** The beginning of a text: `max` UTF-16 units, which is how the contract counts, and no half of a surrogate pair. */
const cut = (text: string, max: number): string => {
  const short = text.slice(0, max)
  return (short.isWellFormed() ? short : short.slice(0, -1)).trimEnd()
}

/**
 * A text cleaned and cut. It is cut to a multiple first: composing characters may shrink a text, and takes time squared
 * on a long run of accents.
 */
const cleanAndCut = (text: string, max: number): string => cut(clean(text.slice(0, 8 * max)), max)

/** A source's name of an asset, which is asked for as it is: one that would have to be cleaned costs its row. */
export const Id = line(200)

/** A name or symbol that must be there. */
export const Text = (max: number) =>
  z
    .string()
    .transform((text) => cleanAndCut(text, max))
    .pipe(z.string().min(1))

/** A text that may be missing: `""`, null and absence are no data. */
export const OptionalText = (max: number) =>
  z
    .string()
    .nullish()
    .transform((text) => {
      const short = cleanAndCut(text ?? '', max)
      return short === '' ? null : short
    })

/** A link to show: `https:` only, everything else is no data. */
export const Link = z
  .unknown()
  .optional()
  .transform((value): string | null => {
    if (typeof value !== 'string' || value.length > 4096 || !URL.canParse(value.trim())) return null
    const url = new URL(value.trim())
    if (url.protocol !== 'https:' || url.username || url.password || url.href.length > 2048) return null
    return /["'<>`\\\s]/.test(url.href) ? null : url.href
  })
