import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import type { Currency, Http } from './source.ts'
import { OptionalText, Text } from './wire.ts'

const raw = z.unknown()
const Chains = z.object({ code: z.literal(200), data: z.array(raw) })
const Names = z.object({ status: z.literal('ok'), data: z.array(raw) })

const Row = z.object({
  currency: Text(64),
  instStatus: z.string(),
  chains: z.array(
    z.object({
      baseChainProtocol: z.string().nullish(),
      contractAddress: z.string().nullish(),
      chainType: z.union([z.number(), z.string()]).nullish(),
    }),
  ),
})
const Named = z.object({ name: Text(64), fn: OptionalText(200) })

/** HTX's currencies, and their names from a second list (huobiapi.github.io/docs/spot, reference data). */
export async function htxCurrencies(http: Http): Promise<readonly Currency[]> {
  const [chains, names] = await Promise.all([
    http.json('/v2/reference/currencies', Chains),
    // The names alone are worth less than the contracts alone; without them the list still tells something.
    http.json('/v2/settings/common/currencies', Names).catch(() => ({ data: [] })),
  ])
  const nameOf = new Map(
    names.data.flatMap((item) => {
      const { data } = Named.safeParse(item)
      return data ? [[data.name.toUpperCase(), data.fn] as const] : []
    }),
  )
  return currenciesOf('htx', Row, chains.data, ({ currency, instStatus, chains: all }) => {
    if (instStatus !== 'normal') return null
    const symbol = currency.toUpperCase()
    // A native coin's list holds its wrapped forms too: "btc" has BTCB, cbBTC and WBTC.
    const isNative = all.some(({ chainType, contractAddress }) => Number(chainType) === 0 || !contractAddress)
    const contracts = all.flatMap(({ baseChainProtocol, contractAddress }) =>
      baseChainProtocol ? [{ platform: baseChainProtocol, address: contractAddress }] : [],
    )
    return { symbol, name: withoutSymbol(nameOf.get(symbol) ?? null, symbol), contracts: isNative ? [] : contracts }
  })
}

/** "Tether USDT" is "Tether". */
const withoutSymbol = (name: string | null, symbol: string): string | null =>
  name !== null && name.toUpperCase().endsWith(` ${symbol}`) ? name.slice(0, -symbol.length - 1) : name
