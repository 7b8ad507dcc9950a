import { roundMoney, roundPrice } from './numbers.ts'

/** Minor units of national currencies that do not have two (ISO 4217). */
const MINOR_UNITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['CLP', 'ISK', 'JPY', 'KRW', 'PYG', 'UGX', 'VND', 'XAF', 'XOF'].map((symbol) => [symbol, 0])),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((symbol) => [symbol, 3])),
}

const EIGHT_DECIMALS = new Set(['BTC', 'ETH', 'BNB', 'SOL', 'BCH', 'LTC', 'PAXG', 'XAUT'])

export const decimalsOf = (symbol: string): number => MINOR_UNITS[symbol] ?? (EIGHT_DECIMALS.has(symbol) ? 8 : 2)

export interface Currency {
  readonly symbol: string
  readonly price_usd: number
}

/** Dollar amounts of money. Every other member in dollars is the price of one unit of an asset. */
const AMOUNTS = new Set(['market_cap_usd', 'volume_24h_usd', 'fully_diluted_valuation_usd'])

const DOLLARS = '_usd'

/** Returns the name of a member that is in US dollars, in another currency: `price_usd` becomes `price`; null for any other. */
export const convertedName = (name: string): string | null =>
  name.endsWith(DOLLARS) ? name.slice(0, -DOLLARS.length) : null

export const convertPrice = (price_usd: number, { price_usd: rate }: Currency): number => roundPrice(price_usd / rate)

export function convertAmount(amount_usd: number, { symbol, price_usd: rate }: Currency): number {
  const decimals = decimalsOf(symbol)
  const amount = amount_usd / rate
  if (decimals === 2) return roundMoney(amount)
  const scaled = amount * 10 ** decimals
  return Math.abs(scaled) < Number.MAX_SAFE_INTEGER ? Math.round(scaled) / 10 ** decimals : amount
}

/** Returns a row, and every member that is in dollars once more in another currency. Percentages stay those in dollars. */
export function convertRow(row: Readonly<Record<string, unknown>>, currency: Currency) {
  const amounts = Object.entries(row).flatMap(([name, value]) => {
    const own = convertedName(name)
    const convert = AMOUNTS.has(name) ? convertAmount : convertPrice
    return own === null ? [] : [[own, typeof value === 'number' ? convert(value, currency) : value]]
  })
  return { ...row, ...Object.fromEntries(amounts) }
}
