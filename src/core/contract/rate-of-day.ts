import { by, byKey } from './order.ts'
import type { RateOfDay, RatesOfSource } from './rates.ts'
import { DAY_MS, dayOf } from './time.ts'

/** Days before a day whose rate may serve it, if it has none: of a central bank, and of this feed. */
export const RATE_OF_DAY = { bank_days: 7, own_days: 1 } as const

/** Coins that are currencies too, with the slug of their listing: they are worth their own price. */
export const COINS: Readonly<Record<string, string>> = {
  BTC: 'bitcoin',
  ETH: 'ethereum',
  BNB: 'binancecoin',
  XRP: 'ripple',
  SOL: 'solana',
  LTC: 'litecoin',
  BCH: 'bitcoin-cash',
  DOT: 'polkadot',
  LINK: 'chainlink',
  XLM: 'stellar',
  USDT: 'tether',
  USDC: 'usd-coin',
}

export const ratesOfCloses = (
  day: string,
  closes: readonly { readonly slug: string; readonly close_usd: number }[],
): RatesOfSource => ({
  day,
  source: 'closes',
  rates_usd: Object.fromEntries(
    Object.entries(COINS).flatMap(([symbol, slug]) => {
      const close = closes.find((one) => one.slug === slug)
      return close ? [[symbol, close.close_usd]] : []
    }),
  ),
})

/** Whether a source of a rate is this feed: the closes of a coin, or what runs measured at venues. */
const isOwn = (source: string): boolean => source === 'closes' || source === 'rates'

/** Returns the years whose documents may have the rates of a day: that of the day, and near its beginning the one before. */
export function yearsOf(day: string): readonly string[] {
  const first = dayOf(Date.parse(day) - RATE_OF_DAY.bank_days * DAY_MS).slice(0, 4)
  return [...new Set([first, day.slice(0, 4)])]
}

/** Returns the rates of a day by symbol, from the rows of its years in any order, see {@link yearsOf}. */
export function ratesOn(rows: readonly RatesOfSource[], day: string): ReadonlyMap<string, RateOfDay> {
  const at = Date.parse(day)
  const found = new Map<string, RateOfDay>([['USD', { symbol: 'USD', price_usd: 1, source: 'definition', day }]])
  const near = rows.filter((row) => {
    const age = (at - Date.parse(row.day)) / DAY_MS
    return age >= 0 && age <= (isOwn(row.source) ? RATE_OF_DAY.own_days : RATE_OF_DAY.bank_days)
  })
  // The last to be set is the best: banks after our own, then the newest.
  const rank = ({ source, day: own }: RatesOfSource): string => `${isOwn(source) ? 0 : 1} ${own} ${source}`
  for (const row of near.toSorted(by(rank)))
    for (const [symbol, price_usd] of Object.entries(row.rates_usd))
      if (symbol !== 'USD') found.set(symbol, { symbol, price_usd, source: row.source, day: row.day })
  return new Map([...found].toSorted(byKey))
}
