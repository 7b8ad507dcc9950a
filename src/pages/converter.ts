import type { Asset } from '../client/answers.ts'
import { type Child, el, on } from './dom.ts'
import type { ShownCurrency } from './format.ts'

/** Digits that a converted amount is shown with. */
const DIGITS = 8

const numberOf = (value: number): string => String(Number(value.toPrecision(DIGITS)))

/** Two amounts of equal value, one in units of an asset and one in a currency: each follows the other. */
export function converter({ price_usd, symbol }: Asset, shown: ShownCurrency): Child {
  if (price_usd === null) return null
  const rate = price_usd / shown.price_usd
  const field = (unit: string, value: string) =>
    el('input', { type: 'number', min: 0, step: 'any', value, 'aria-label': `Amount in ${unit}` })
  const coins = field(symbol, '1')
  const money = field(shown.symbol, numberOf(rate))
  const follow = (from: HTMLInputElement, to: HTMLInputElement, factor: number) =>
    on(from, {
      input: () => {
        to.value = Number.isNaN(from.valueAsNumber) ? '' : numberOf(from.valueAsNumber * factor)
      },
    })
  return el(
    'p',
    { class: 'converter' },
    el('label', {}, follow(coins, money, rate), ' ', symbol),
    ' = ',
    el('label', {}, follow(money, coins, 1 / rate), ' ', shown.symbol),
  )
}
