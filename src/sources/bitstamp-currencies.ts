import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

const Row = z.object({ currency: Text(64), name: OptionalText(200), type: z.string() })

/** Bitstamp's currencies: names alone (bitstamp.net/api, currencies). */
export async function bitstampCurrencies(http: Http): Promise<readonly Currency[]> {
  const list = await http.json('/api/v2/currencies/', z.array(z.unknown()))
  return currenciesOf('bitstamp', Row, list, ({ currency, name, type }) =>
    type === 'crypto' ? { symbol: currency, name, contracts: [] } : null,
  )
}
