import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

/** Until 2024 there was one row for each coin and chain, without `chains`; those rows are unreadable. */
const Row = z.object({
  currency: Text(64),
  name: OptionalText(200),
  delisted: z.boolean(),
  chain: z.string().nullish(),
  chains: z.array(z.object({ name: z.string(), addr: z.string().nullish() })),
  category: z.array(z.string()).nullish(),
})

/** Gate's currencies (gate.io/docs/developers/apiv4, List all currencies' details). Tokenised shares are left out. */
export async function gateCurrencies(http: Http): Promise<readonly Currency[]> {
  const list = await http.json('/api/v4/spot/currencies', z.array(z.unknown()))
  return currenciesOf('gate', Row, list, ({ currency, name, delisted, chain, chains, category }) => {
    if (delisted || (category ?? []).some((one) => one.endsWith('stocks'))) return null
    // The coin of its own chain: what stands under other chains is a wrapped form, such as BTCB under BTC.
    const isNative = chains.some((one) => one.name === chain && !one.addr)
    const contracts = chains.map((one) => ({ platform: one.name, address: one.addr }))
    return { symbol: currency, name, contracts: isNative ? [] : contracts }
  })
}
