import { type Currency, decimalsOf } from '../contract/conversion.ts'
import { el, on, show } from './dom.ts'
import { DOLLARS, type ShownCurrency } from './format.ts'
import { api } from './frame.ts'
import { keep, kept } from './kept.ts'

const SIGNS: Readonly<Record<string, string>> = { EUR: '€', GBP: '£', JPY: '¥', BTC: '₿', ETH: 'Ξ', INR: '₹', KRW: '₩' }

/** Shown first in the list; the others follow by name. */
const FIRST = ['USD', 'EUR', 'GBP', 'JPY', 'BTC', 'ETH']

/** Name of the parameter in the address, and of the value that the browser keeps. */
const PARAMETER = 'vs'

/** Returns how amounts of a currency are shown. Without a sign of its own, its symbol precedes them. */
const shownIn = ({ symbol, price_usd }: Currency): ShownCurrency =>
  symbol === 'USD'
    ? DOLLARS
    : { symbol, price_usd, sign: SIGNS[symbol] ?? `${symbol}\u00a0`, decimals: Math.min(4, decimalsOf(symbol)) }

const chosenBefore = (): string =>
  (new URLSearchParams(location.search).get(PARAMETER) ?? kept(PARAMETER) ?? DOLLARS.symbol).toUpperCase()

function remember(symbol: string): void {
  const url = new URL(location.href)
  if (symbol === DOLLARS.symbol) url.searchParams.delete(PARAMETER)
  else url.searchParams.set(PARAMETER, symbol.toLowerCase())
  history.replaceState(history.state, '', url)
  keep(PARAMETER, symbol.toLowerCase())
}

/** The currencies that the publisher offers, in his order, dollars always; all if he names none. */
function offered(first: readonly string[], others: readonly string[]): readonly string[] {
  const named = document.documentElement.dataset['currencies']?.split(' ')
  const all = [...first, ...others]
  return named === undefined ? all : [DOLLARS.symbol, ...named.filter((symbol) => all.includes(symbol))]
}

/** A choice of the currency, in the address and in the browser. */
interface CurrencySwitch {
  readonly element: HTMLElement
  /** The chosen currency: dollars until its rate is known. */
  readonly current: () => ShownCurrency
  /** Reads the rates, if the choice needs one. A failure leaves the amounts in dollars. */
  readonly load: () => Promise<void>
}

/** Creates the choice of a currency. `changed` is called when another one is chosen. */
export function currencySwitch(changed: () => void): CurrencySwitch {
  let chosen = chosenBefore()
  let rates: ReadonlyMap<string, Currency> | null = null
  const select = el('select', { 'aria-label': 'Currency' })
  const current = (): ShownCurrency => {
    const rate = rates?.get(chosen)
    return rate === undefined ? DOLLARS : shownIn(rate)
  }
  const offer = () => {
    const known = [...(rates?.keys() ?? [])].filter((symbol) => !FIRST.includes(symbol)).toSorted()
    const first = FIRST.filter((symbol) => symbol === DOLLARS.symbol || rates?.has(symbol))
    const symbols = new Set([...offered(first, known), ...(rates === null ? [chosen] : [])])
    const selected = symbols.has(chosen) ? chosen : DOLLARS.symbol
    show(
      select,
      [...symbols].map((symbol) => el('option', { value: symbol, selected: symbol === selected }, symbol)),
    )
  }
  const read = async () => {
    const { data } = await api.rates()
    rates = new Map(data.rows.map((row) => [row.symbol, row]))
    offer()
  }
  on(select, {
    // The list of currencies is only read by those who look for another one.
    focus: () => void (rates ?? read().catch(() => undefined)),
    change: () => {
      chosen = select.value
      remember(chosen)
      changed()
    },
  })
  offer()
  return {
    element: el('label', { class: 'currency' }, select),
    current,
    load: async () => {
      if (chosen !== DOLLARS.symbol) await read().catch(() => undefined)
    },
  }
}
