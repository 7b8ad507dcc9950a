import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import type { AuditedQuote } from '../../src/core/feed/rates.ts'
import { paritiesOf } from '../../src/core/feed/rates.ts'

const pricesAt = (venue: string, quote: string, price: number, assets: number = LIMITS.few_figures): AuditedQuote[] =>
  Array.from({ length: assets }, (_, index) => ({ venue, base: `A${index}`, quote, price }))

it('is what a source asks for assets in dollars over what venues typically ask for them in the currency', () => {
  const asked = [...pricesAt('a', 'EUR', 10), ...pricesAt('b', 'EUR', 10), ...pricesAt('liar', 'EUR', 99)]
  const dollars = [...pricesAt('c', 'USD', 11), ...pricesAt('d', 'USD', 30, LIMITS.few_figures - 1)]
  expect(paritiesOf('EUR', [...asked, ...dollars], pricesAt('list', 'USD', 12))).toEqual(
    new Map([
      ['c', 1.1],
      ['list', 1.2],
    ]),
  )
})
