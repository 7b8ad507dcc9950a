import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

const Row = z.object({ baseAsset: Text(64), fullName: OptionalText(200) })

/**
 * MEXC's names of its base currencies, from its list of pairs (mexcdevelop.github.io/apidocs); the list of currencies
 * needs a key, and the contracts of the pairs hold texts that are none.
 */
export async function mexcCurrencies(http: Http): Promise<readonly Currency[]> {
  const { symbols } = await http.json('/api/v3/exchangeInfo', z.object({ symbols: z.array(z.unknown()) }))
  const seen = new Set<string>()
  return currenciesOf('mexc', Row, symbols, ({ baseAsset, fullName }) => {
    if (seen.has(baseAsset)) return null
    seen.add(baseAsset)
    return { symbol: baseAsset, name: fullName, contracts: [] }
  })
}
