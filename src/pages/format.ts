import { DAY_MS, HOUR_MS, MINUTE_MS, dayIn } from '../core/contract/time.ts'
import type { Currency } from '../core/contract/conversion.ts'

/** Shown for unknown values, and for members that documents of an earlier release lack. */
export const UNKNOWN = '–'

const MINUS = '\u2212'

/** Returns a formatter with a number of decimals, made when it is first needed: making one takes longer than a row. */
export function fixed(decimals: number, notation: 'standard' | 'compact' = 'standard'): (value: number) => string {
  let format: Intl.NumberFormat | undefined
  return (value) => {
    const digits = { maximumFractionDigits: decimals, minimumFractionDigits: decimals }
    format ??= new Intl.NumberFormat('en-US', { ...digits, notation })
    return Number.isFinite(value) ? format.format(value) : UNKNOWN
  }
}
const [whole, one, two] = [fixed(0), fixed(1), fixed(2)]
const FIXED = [whole, one, two, fixed(3), fixed(4)]
const compact = fixed(2, 'compact')
/** Amount from which on trillions have a separator and no decimals: `1,250T`. */
const MANY_TRILLIONS = 1e15
const short = (value: number): string => (Math.abs(value) < MANY_TRILLIONS ? compact(value) : `${whole(value / 1e12)}T`)
export interface ShownCurrency extends Currency {
  /** Day of its rate; absent: it is the dollar. */
  readonly day?: string
  readonly sign: string
  /** Decimals of amounts of one and more. */
  readonly decimals: number
}

export const DOLLARS: ShownCurrency = { symbol: 'USD', price_usd: 1, sign: '$', decimals: 2 }

/**
 * Amounts of a price: below the first it has two decimals in every currency, `¥1.44`; from the second on it has none, which
 * would not fit into a column and say nothing; from the third on it is in short.
 */
const [TWO_DECIMALS, NO_DECIMALS, IN_SHORT] = [100, 1e6, 1e12]
const NO_DECIMALS_PERCENT = 1000
/** Zeros after the point from which on a price counts them: `$0.0₁₇384` has seventeen. */
const COUNTED_ZEROS = 4

const SUBSCRIPT_ZERO = 0x2080
const subscript = (value: number): string =>
  String.fromCodePoint(...[...String(value)].map((digit) => SUBSCRIPT_ZERO + Number(digit)))

/**
 * Formats a price, given in dollars, in a currency: `$77,485.32`, `$0.4213`, `$0.0₇9`. Below one with four significant digits,
 * from a million on without decimals, from a trillion on in short, never with an exponent.
 */
export function price(value_usd: number | null, { sign, decimals: most, price_usd }: ShownCurrency = DOLLARS): string {
  if (value_usd == null) return UNKNOWN
  const value = value_usd / price_usd
  if (value >= IN_SHORT) return sign + short(value)
  if (value >= 1) {
    const decimals = value >= NO_DECIMALS ? 0 : value < TWO_DECIMALS ? Math.max(most, 2) : most
    return sign + (FIXED[decimals] ?? two)(value)
  }
  if (value <= 0) return `${sign}0.00`
  const [digits = '', exponent = '0'] = value.toExponential(3).split('e')
  const zeros = -Number(exponent) - 1
  if (zeros < 0) return `${sign}1.00`
  const figures = digits.replace('.', '')
  if (zeros >= COUNTED_ZEROS) return `${sign}0.0${subscript(zeros)}${figures.replace(/0+$/, '')}`
  return `${sign}0.${'0'.repeat(zeros)}${figures}`
}

/** Formats an amount of dollars in a currency and in short: `$1.90T`, `$74.96B`, `$812.40`. */
export const money = (value_usd: number | null, { sign, price_usd }: ShownCurrency = DOLLARS): string =>
  value_usd == null ? UNKNOWN : `${sign}${short(value_usd / price_usd)}`

export const amount = (value: number | null): string => (value == null ? UNKNOWN : short(value))

export const count = whole

/** `1 exchange`, `1,252 listings` */
export const counted = (value: number, one: string): string => `${count(value)} ${one}${value === 1 ? '' : 's'}`

/** `+2.50%`, `−3.88%` */
export function change(value: number | null): string {
  if (value == null) return UNKNOWN
  const text = (Math.abs(value) < NO_DECIMALS_PERCENT ? two : whole)(Math.abs(value))
  const sign = Number(text.replaceAll(',', '')) === 0 ? '' : value > 0 ? '+' : MINUS
  return `${sign}${text}%`
}

/** A share of one as percent: `0.25` is `25.0%`. */
export const share = (value: number | null): string => (value == null ? UNKNOWN : `${one(value * 100)}%`)

export const percent = (value: number | null): string =>
  value == null ? UNKNOWN : `${value !== 0 && value < 0.01 ? '<0.01' : two(value)}%`

/** Percent below which a change has no direction, such as that of a stablecoin. */
const FLAT_PERCENT = 0.05

export const tone = (value: number | null): 'up' | 'down' | 'flat' =>
  value === null || Math.abs(value) < FLAT_PERCENT ? 'flat' : value > 0 ? 'up' : 'down'

const [MONTH_MS, YEAR_MS] = [30.44 * DAY_MS, 365.25 * DAY_MS]

/** Formats a length of time in ms: `5 min`, `36 h`, `3 days`, `5 months`, `5 years`. */
export function span(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  if (ms < 2 * MONTH_MS) return `${Math.floor(ms / DAY_MS)} days`
  return ms < 2 * YEAR_MS ? `${Math.floor(ms / MONTH_MS)} months` : `${Math.floor(ms / YEAR_MS)} years`
}

/** Formats a relative time: `just now`, `5 min ago`, `3 h ago`, `5 years ago`, `in 4 min`. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  const text = span(Math.abs(ms))
  return Math.abs(ms) < MINUTE_MS ? 'just now' : ms >= 0 ? `${text} ago` : `in ${text}`
}

export const moment = (iso: string): string => `${dayIn(iso)} ${iso.slice(11, 16)} UTC`

export { dayIn as day }

/** `wide_spread` -> `wide spread`. */
export const words = (name: string): string => name.replaceAll(/[_-]/g, ' ')

/** `large-cap` -> `Large cap`, `nft` -> `NFT`. A name with capitals or spaces of its own stays. */
export const titled = (name: string): string => {
  if (/[A-Z ]/.test(name)) return name
  // Short tags are abbreviations: nft, rwa, dex, ai.
  return name.length <= 3 ? name.toUpperCase() : words(name).replace(/^./, (first) => first.toUpperCase())
}

/** Shortens an address, keeping both ends: `0xdac17f95…831ec7`. */
export const shortened = (address: string): string =>
  address.length <= 22 ? address : `${address.slice(0, 10)}…${address.slice(-6)}`
