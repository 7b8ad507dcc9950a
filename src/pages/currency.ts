import type { RatesAnswer } from '../client/answers.ts'
import { decimalsOf } from '../core/contract/conversion.ts'
import { decimal } from '../core/contract/numbers.ts'
import { once } from '../core/contract/once.ts'
import { dayIn } from '../core/contract/time.ts'
import { control, keep, keepInAddress, saved, make, readAnswer } from './browser.ts'
import { DOLLARS, type ShownCurrency, money, price } from './format.ts'

/** Bitcoin's own sign is missing from many fonts. */
const SIGNS: Readonly<Record<string, string>> = { EUR: '€', GBP: '£', JPY: '¥', ETH: 'Ξ', INR: '₹', KRW: '₩' }

const FIRST = ['USD', 'EUR', 'GBP', 'JPY', 'BTC', 'ETH']

/** Name of the parameter in the address, and of the value that the browser keeps. */
const CURRENCY = 'vs'

type Rates = Pick<RatesAnswer, 'rows' | 'timestamp'>

/** Returns how amounts of a currency are shown: in dollars without its rate. Without a sign, its symbol precedes them. */
function shownIn(symbol: string, { rows, timestamp }: Rates): ShownCurrency {
  const rate = rows.find((row) => row.symbol === symbol)
  if (rate === undefined || symbol === DOLLARS.symbol) return DOLLARS
  const sign = SIGNS[symbol] ?? `${symbol}\u00a0`
  const day = dayIn(rate.carried_since ?? timestamp)
  return { symbol, price_usd: rate.price_usd, day, sign, decimals: Math.min(4, decimalsOf(symbol)) }
}

/** Returns the symbols to choose from, dollars first: those that the publisher names, or all that have a rate. */
function offered(named: readonly string[] | null, { rows }: Rates): readonly string[] {
  const known = rows.map(({ symbol }) => symbol)
  const wanted = (named ?? [...FIRST, ...known.toSorted()]).filter((symbol) => known.includes(symbol))
  return [...new Set([DOLLARS.symbol, ...wanted])]
}

const CONVERTED_DIGITS = 8

/** Returns the plain digits of an amount, which a reader copies in place of the text. */
export const digitsOf = (value: number): string => decimal(Number(value.toPrecision(CONVERTED_DIGITS)))

let shown = DOLLARS
export const currencyNow = (): ShownCurrency => shown

export function convert(part: ParentNode): void {
  for (const figure of part.querySelectorAll<HTMLDataElement>('data.usd')) {
    const usd = Number((figure.dataset['usd'] ??= figure.value))
    figure.value = digitsOf(usd / shown.price_usd)
    figure.textContent = (figure.matches('.price') ? price : money)(usd, shown)
  }
}

/** Prepares the choice of a currency, whose rates are read once a reader looks for another one. */
export function currencyChoice(named: readonly string[] | null): void {
  const select = control('currency', HTMLSelectElement)
  const rates = once(() => readAnswer<'rates'>('rates'))
  const symbol = (new URLSearchParams(location.search).get(CURRENCY) ?? saved(CURRENCY) ?? DOLLARS.symbol).toUpperCase()
  const ready = async (chosen: string) => {
    const answer = await rates()
    if (select.options.length < 2)
      select.replaceChildren(...offered(named, answer).map((one) => make('option', { value: one }, one)))
    select.value = shownIn(chosen, answer).symbol
    return answer
  }
  const show = async (chosen: string) => {
    const next = shownIn(chosen, await ready(chosen))
    if (next === shown) return
    shown = next
    convert(document)
    dispatchEvent(new Event('currencychange'))
  }
  // After a failure the amounts stay as they are.
  const failed = () => {}
  select.addEventListener('focus', () => void ready(select.value).catch(failed))
  select.addEventListener('change', () => {
    keepInAddress({ [CURRENCY]: select.value === DOLLARS.symbol ? null : select.value.toLowerCase() })
    keep(CURRENCY, select.value.toLowerCase())
    show(select.value).catch(failed)
  })
  if (symbol !== DOLLARS.symbol) show(symbol).catch(failed)
}
