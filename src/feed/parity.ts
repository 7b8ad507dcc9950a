import type { AuditedQuote } from './audit.ts'
import { groupBy } from './group-by.ts'
import { median } from './statistics.ts'

/** How many assets a parity is the median of, at least. */
export const PARITY_ASSETS = 5

/**
 * What the other figures of each source imply that a currency is worth: its dollar prices of assets over what venues
 * typically ask for them in the currency. A source with too few of such prices is not in the map.
 *
 * @param quotes of venues
 * @param listed the dollar prices of the aggregators
 */
export function paritiesOf(
  symbol: string,
  quotes: readonly AuditedQuote[],
  listed: readonly AuditedQuote[],
): ReadonlyMap<string, number> {
  const asked = groupBy(
    quotes.filter(({ quote }) => quote === symbol),
    ({ base }) => base,
  )
  const typical = new Map([...asked].map(([base, own]) => [base, median(own.map(({ price }) => price))]))
  const implied = [...quotes, ...listed].flatMap(({ venue, base, quote, price }) => {
    const inCurrency = quote === 'USD' && base !== symbol ? typical.get(base) : undefined
    return inCurrency === undefined ? [] : [{ venue, value: price / inCurrency }]
  })
  return new Map(
    [...groupBy(implied, ({ venue }) => venue)].flatMap(([venue, own]) =>
      own.length < PARITY_ASSETS ? [] : [[venue, median(own.map(({ value }) => value))] as const],
    ),
  )
}
