import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

const Row = z.tuple([Text(64), OptionalText(200)], z.unknown())

/**
 * Bitfinex's names of its currencies (docs.bitfinex.com, pub:map:currency:label).
 *
 * @param commonOf the symbol that other venues use, by the venue's own
 */
export const bitfinexCurrencies =
  (commonOf: (symbol: string) => string) =>
  async (http: Http): Promise<readonly Currency[]> => {
    const [labels = []] = await http.json('/v2/conf/pub:map:currency:label', z.array(z.array(z.unknown())))
    return currenciesOf('bitfinex', Row, labels, ([symbol, label]) =>
      // Futures, indexes and test currencies.
      /F0$|^TEST|^\w+IX$/.test(symbol)
        ? null
        : { symbol: commonOf(symbol), name: nameIn(label, symbol), contracts: [] },
    )
  }

/** "Cardano ADA" is "Cardano". */
const nameIn = (label: string | null, symbol: string): string | null =>
  label?.endsWith(` ${symbol}`) ? label.slice(0, -symbol.length - 1) : label
