/** Stands for what is unknown. */
export const UNKNOWN = '–'

const MINUS = '\u2212'
const NARROW_SPACE = '\u202f'

const plain = (decimals: number, least = decimals): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', { maximumFractionDigits: decimals, minimumFractionDigits: least })
const whole = plain(0)
const one = plain(1, 0)
const two = plain(2)
const STEPS: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
]

/**
 * A price in dollars as people read it: `$77,485.32`, `$0.4213`, `$0.00000009`. Below one dollar four digits that say
 * something, never an exponent.
 */
export function price(value: number | null): string {
  if (value === null) return UNKNOWN
  if (value >= 1) return `$${two.format(value)}`
  const zeros = Math.max(0, -Math.floor(Math.log10(value)) - 1)
  // Not by a formatter: there would be one for each length, and to make one costs more than a row.
  const [whole = '0', decimals = ''] = value.toFixed(Math.min(20, zeros + 4)).split('.')
  return `$${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`
}

/** An amount of dollars in short: `$1.90T`, `$74.96B`, `$812.40`. */
export const money = (value: number | null): string => (value === null ? UNKNOWN : `$${short(value)}`)

/** An amount of coins in short: `24.52M`. */
export const amount = (value: number | null): string => (value === null ? UNKNOWN : short(value))

function short(value: number): string {
  // By what is shown and not by what is: 999,999 is 1.00M.
  const step = STEPS.find(([size]) => value / size >= 0.999995)
  return step ? two.format(value / step[0]) + step[1] : two.format(value)
}

/** A number in full, with what separates its thousands: `1,252`. */
export const count = (value: number): string => whole.format(value)

/** A change with its sign: `+2.50 %`, `−3.88 %`. */
export function change(value: number | null): string {
  if (value === null) return UNKNOWN
  const text = two.format(Math.abs(value))
  const sign = Number(text.replaceAll(',', '')) === 0 ? '' : value > 0 ? '+' : MINUS
  return `${sign}${text}${NARROW_SPACE}%`
}

/** A share of one as percent: `0.25` is `25 %`. */
export const share = (value: number | null): string =>
  value === null ? UNKNOWN : `${one.format(value * 100)}${NARROW_SPACE}%`

/** A percentage that is no change: a spread. */
export const percent = (value: number | null): string =>
  value === null ? UNKNOWN : `${value !== 0 && value < 0.01 ? '<0.01' : two.format(value)}${NARROW_SPACE}%`

/** What a change looks like beside its sign: one that is shown as nothing is neither up nor down. */
export const tone = (value: number | null): 'up' | 'down' | 'flat' =>
  value === null || Math.abs(value) < 0.005 ? 'flat' : value > 0 ? 'up' : 'down'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago a time is: `just now`, `5 min ago`, `3 h ago`, `2 days ago`; `in 4 min` for one that comes. */
export function ago(iso: string, now: number): string {
  const ms = now - Date.parse(iso)
  const size = Math.abs(ms)
  if (size < MINUTE) return 'just now'
  const text =
    size < HOUR
      ? `${Math.floor(size / MINUTE)} min`
      : size < 2 * DAY
        ? `${Math.floor(size / HOUR)} h`
        : `${Math.floor(size / DAY)} days`
  return ms >= 0 ? `${text} ago` : `in ${text}`
}

/** A moment as the feed has it: `2026-11-20 12:00 UTC`. */
export const moment = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

/** A day: `2026-11-20`. */
export const day = (iso: string): string => iso.slice(0, 10)

/** `wide_spread` -> `wide spread`. */
export const words = (name: string): string => name.replaceAll(/[_-]/g, ' ')

/** An address so that both its ends can be compared: `0xdac17f95…831ec7`. */
export const shortened = (address: string): string =>
  address.length <= 22 ? address : `${address.slice(0, 10)}…${address.slice(-6)}`
