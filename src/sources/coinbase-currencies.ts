import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

const Row = z.object({
  id: Text(64),
  name: OptionalText(200),
  status: z.string(),
  details: z.object({ type: z.string() }),
  default_network: z.string().nullish(),
  supported_networks: z.array(z.object({ id: z.string(), contract_address: z.string().nullish() })).nullish(),
})

/**
 * Coinbase Exchange's currencies (docs.cdp.coinbase.com, Get all known currencies). The contract counts on the default
 * network alone: elsewhere the same id may stand for a wrapped form.
 */
export async function coinbaseCurrencies(http: Http): Promise<readonly Currency[]> {
  const list = await http.json('/currencies', z.array(z.unknown()))
  return currenciesOf('coinbase', Row, list, ({ id, name, status, details, default_network, supported_networks }) => {
    if (status !== 'online' || details.type === 'fiat') return null
    const contracts = (supported_networks ?? [])
      .filter((network) => network.id === default_network)
      .map((network) => ({ platform: network.id, address: network.contract_address }))
    return { symbol: id, name, contracts }
  })
}
