import type { RatesAnswer } from '../client/answers.ts'
import { type Currency, decimalsOf } from '../contract/conversion.ts'
import { dayIn } from '../contract/time.ts'
import { DOLLARS, type ShownCurrency } from './format.ts'

/** Bitcoin's own sign is missing from many fonts. */
const SIGNS: Readonly<Record<string, string>> = { EUR: '€', GBP: '£', JPY: '¥', ETH: 'Ξ', INR: '₹', KRW: '₩' }

/** Shown first in the list; the others follow by name. */
export const FIRST = ['USD', 'EUR', 'GBP', 'JPY', 'BTC', 'ETH']

/** Rates by the symbol of their currency; null: not read yet. */
export type Rates = ReadonlyMap<string, Currency & { readonly day: string }> | null

/** Returns published rates by the symbol of their currency. */
export const ratesIn = ({ rows, timestamp }: RatesAnswer): NonNullable<Rates> =>
  new Map(rows.map((row) => [row.symbol, { ...row, day: dayIn(row.carried_since ?? timestamp) }]))

/** Returns how amounts of a currency are shown: in dollars until its rate is known. Without a sign, its symbol precedes them. */
export function shownIn(symbol: string, rates: Rates): ShownCurrency {
  const rate = rates?.get(symbol)
  if (rate === undefined || symbol === DOLLARS.symbol) return DOLLARS
  const sign = SIGNS[symbol] ?? `${symbol}\u00a0`
  return { symbol, price_usd: rate.price_usd, day: rate.day, sign, decimals: Math.min(4, decimalsOf(symbol)) }
}

/** Returns the symbols to choose from, dollars always: those that the publisher names, or all; before the rates, the chosen one. */
function offered(named: readonly string[] | null, rates: Rates, chosen: string): readonly string[] {
  const others = [...(rates?.keys() ?? [])].filter((symbol) => !FIRST.includes(symbol)).toSorted()
  const all = rates === null ? [chosen] : (named ?? [...FIRST, ...others]).filter((symbol) => rates.has(symbol))
  return [...new Set([DOLLARS.symbol, ...all])]
}

interface CurrencySwitchProps {
  /** Symbols that the publisher offers; null: all that have a rate. */
  readonly named: readonly string[] | null
  readonly rates: Rates
  readonly chosen: string
  /** Reads the rates, which only readers who look for another currency need. */
  readonly read: () => void
  readonly choose: (symbol: string) => void
}

/** The choice of a currency. */
export function CurrencySwitch({ named, rates, chosen, read, choose }: CurrencySwitchProps) {
  const symbols = offered(named, rates, chosen)
  return (
    <select aria-label="Currency" onFocus={read} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {symbols.map((symbol) => (
        <option value={symbol} selected={symbol === (symbols.includes(chosen) ? chosen : DOLLARS.symbol)}>
          {symbol}
        </option>
      ))}
    </select>
  )
}
