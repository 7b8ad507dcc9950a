import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

const Answer = z.object({ code: z.literal('200000'), data: z.array(z.unknown()) })

/** `currency` is the name of the day it was listed; `name` is today's, as in the quotes. Fiat money has no chains. */
const Row = z.object({
  name: Text(64),
  fullName: OptionalText(200),
  chains: z
    .array(
      z.object({
        chainId: z.string(),
        contractAddress: z.string().nullish(),
        isWithdrawEnabled: z.boolean(),
        isDepositEnabled: z.boolean(),
      }),
    )
    .nullable(),
})

/** KuCoin's currencies (kucoin.com/docs, Get All Currencies). */
export async function kucoinCurrencies(http: Http): Promise<readonly Currency[]> {
  const { data } = await http.json('/api/v3/currencies', Answer)
  return currenciesOf('kucoin', Row, data, ({ name, fullName, chains }) => {
    if (chains === null) return null
    // No contract on an open chain is the chain's own coin; on a closed one the contract was taken off the list.
    const isNative = chains.some((chain) => !chain.contractAddress && chain.isWithdrawEnabled && chain.isDepositEnabled)
    const contracts = chains.map(({ chainId, contractAddress }) => ({ platform: chainId, address: contractAddress }))
    return { symbol: name, name: fullName, contracts: isNative ? [] : contracts }
  })
}
