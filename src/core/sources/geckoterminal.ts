import * as z from 'zod'
import { rows, someOf, type Source } from './source.ts'
import { IsoTime, NonNegative, ReportedPercent, Positive, Text } from './wire.ts'

const REQUESTS = 5

const Reference = z.object({ data: z.object({ id: Text(250) }) })

/** `NAT / WETH 0.3%`: the symbols of the pair, and the fee where a pool has one. Anyone may name a token anything. */
const PoolName = z
  .string()
  .transform((name) => name.replace(/ [\d.]+%$/, '').split(' / '))
  .pipe(z.tuple([Text(64), Text(64)], z.string()))

/** A pool in JSON:API form. All figures are strings, of up to 70 digits; "NaN" is no data. */
const Pool = z
  .object({
    id: Text(250),
    attributes: z.object({
      address: Text(200),
      name: PoolName,
      base_token_price_usd: Positive,
      base_token_price_quote_token: Positive,
      reserve_in_usd: NonNegative,
      pool_created_at: IsoTime,
      price_change_percentage: z.object({ h24: ReportedPercent }).nullish(),
      volume_usd: z.object({ h24: NonNegative }).nullish(),
      transactions: z.object({ h24: z.object({ buys: NonNegative, sells: NonNegative }).nullish() }).nullish(),
    }),
    relationships: z.object({ base_token: Reference, quote_token: Reference, dex: Reference }),
  })
  .refine(({ id, attributes, relationships: { base_token, quote_token } }) => {
    const prefix = id.slice(0, -attributes.address.length)
    return /._$/.test(prefix) && [base_token, quote_token].every(({ data }) => data.id.startsWith(prefix))
  }, 'ids of several chains')

const Page = z.object({ data: z.array(z.unknown()) })

/** GeckoTerminal. 10 to 30 requests a minute without a key (geckoterminal.com/dex-api). */
export const geckoterminal: Source = {
  id: 'geckoterminal',
  label: 'GeckoTerminal',
  type: 'dex',
  host: 'api.geckoterminal.com',
  pace: { requests: 10, perSeconds: 60 },
  rights: {
    class: 'attribution',
    terms_url: 'https://apiguide.geckoterminal.com',
    read_on: '2026-11-21',
    attribution: { text: 'On-chain data provided by GeckoTerminal', url: 'https://www.geckoterminal.com' },
  },

  async observe(http, wants) {
    const { answers, missing } = await someOf(
      wants.tokens.slice(0, REQUESTS),
      ({ platform }) => `pools on ${platform}`,
      async ({ platform, address }) => {
        const [network, token] = [platform, address].map(encodeURIComponent)
        return (await http.json(`/api/v2/networks/${network}/tokens/${token}/pools?page=1`, Page)).data
      },
    )
    const pools = rows(Pool, answers.flat(), ({ id, attributes, relationships }) => {
      // A platform's own name holds underscores too (`polygon_pos_0x…`), so the address is the end.
      const platform = id.slice(0, -(attributes.address.length + 1))
      const tokenOf = ({ data }: z.infer<typeof Reference>) => data.id.slice(platform.length + 1)
      const [base, quote] = attributes.name
      const { h24 } = attributes.transactions ?? {}
      const dex = relationships.dex.data.id
      return {
        kind: 'pool',
        dex_id: dex,
        dex_name: dex.charAt(0).toUpperCase() + dex.slice(1).replaceAll(/[-_]/g, ' '),
        platform,
        pool_address: attributes.address,
        base: { address: tokenOf(relationships.base_token), symbol: base },
        quote: { address: tokenOf(relationships.quote_token), symbol: quote },
        price_native: attributes.base_token_price_quote_token,
        price_usd: attributes.base_token_price_usd,
        percent_change_24h: attributes.price_change_percentage?.h24 ?? null,
        volume_24h_usd: attributes.volume_usd?.h24 ?? null,
        liquidity_usd: attributes.reserve_in_usd,
        transactions_24h: h24 ? Math.round((h24.buys ?? 0) + (h24.sells ?? 0)) : null,
        created_at: attributes.pool_created_at,
        url: `https://www.geckoterminal.com/${encodeURIComponent(platform)}/pools/${encodeURIComponent(attributes.address)}`,
      }
    })
    return [...pools, ...missing]
  },
}
