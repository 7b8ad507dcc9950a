/**
 * Precision of published numbers. Every number is rounded once, here, before other published numbers are computed from
 * it. A reader who recomputes from published numbers gets the published result.
 */

/** Below it, a product of a double and a power of ten is less than a half off. */
const MOST_SCALED = 2 ** 51

const rounded = (value: number, decimals: number): number => {
  const scaled = Math.abs(value) * 10 ** decimals
  // Above 2^53 a double has no decimals.
  if (!(scaled < Number.MAX_SAFE_INTEGER)) return value
  const result = scaled < MOST_SCALED ? Math.round(scaled) / 10 ** decimals : Number(Math.abs(value).toFixed(decimals))
  return value < 0 && result !== 0 ? -result : result
}

const POWERS_OF_TEN = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

export function roundPrice(value: number): number {
  const size = Math.abs(value)
  const decimals = 7 - Math.floor(Math.log10(size))
  const power = POWERS_OF_TEN[Math.abs(decimals)] ?? Number.NaN
  const scaled = decimals < 0 ? size / power : size * power
  const digits = Math.round(scaled)
  // An integer of 8 digits and such a power are exact, so that one division is rounded once, as a text is when it is read.
  const isExact = digits >= 1e7 && digits <= 1e8 && Math.abs(Math.abs(scaled - digits) - 0.5) > 1e-6
  // Text takes ten times as long.
  if (!isExact) return Number(value.toPrecision(8))
  const rounded = decimals < 0 ? digits * power : digits / power
  return value < 0 ? -rounded : rounded
}

export const roundMoney = (value: number): number => rounded(value, 2)

export const roundCoins = (value: number): number => rounded(value, 8)

export const roundPercent = (value: number): number => rounded(value, 4)

export const roundShare = (value: number): number => rounded(value, 6)

/**
 * Returns a number as JSON without an exponent: `9e-8` is printed `0.00000009`. The digits are those of the shortest
 * text that reads back as the same double (ECMA-262, Number::toString).
 */
export function decimal(value: number): string {
  const text = String(value)
  const at = text.indexOf('e')
  if (at < 0) return text
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length, at).split('.')
  const digits = whole + fraction
  const point = whole.length + Number(text.slice(at + 1))
  return point > 0 ? sign + digits.padEnd(point, '0') : `${sign}0.${'0'.repeat(-point)}${digits}`
}
