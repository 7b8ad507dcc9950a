import { group } from 'd3-array'
import * as z from 'zod'
import { partsOf, rows, someOf, type Source, type Wants, unread } from './source.ts'
import { Link, Milliseconds, NonNegative, ReportedPercent, Positive, Text } from './wire.ts'

export const REQUESTS = 10
const TOKENS = 30

const Token = z.object({ address: Text(200), symbol: Text(64) })
const Side = z.object({ buys: NonNegative, sells: NonNegative })

/** A pool. `url` is for people: it is all lower case, so no address can be read from it. */
const Pair = z.object({
  chainId: Text(64),
  dexId: Text(64),
  url: Link,
  pairAddress: Text(200),
  baseToken: Token,
  quoteToken: Token,
  priceNative: Positive,
  priceUsd: Positive,
  txns: z.object({ h24: Side.nullish() }).nullish(),
  volume: z.object({ h24: NonNegative }).nullish(),
  priceChange: z.object({ h24: ReportedPercent }).nullish(),
  liquidity: z.object({ usd: NonNegative }).nullish(),
  pairCreatedAt: Milliseconds,
})

const groupsOf = (tokens: Wants['tokens']) =>
  [...group(tokens, ({ platform }) => platform)]
    .flatMap(([platform, own]) => partsOf(own, TOKENS).map((part) => ({ platform, part })))
    .slice(0, REQUESTS)

/** DexScreener. 300 requests a minute for tokens (docs.dexscreener.com). */
export const dexscreener: Source = {
  id: 'dexscreener',
  label: 'DexScreener',
  type: 'dex',
  host: 'api.dexscreener.com',
  pace: { requests: 60, perSeconds: 60 },
  rights: unread('https://docs.dexscreener.com/api/api-terms-and-conditions'),

  async observe(http, { tokens }) {
    const { answers, missing } = await someOf(
      groupsOf(tokens),
      ({ platform }) => `pools on ${platform}`,
      ({ platform, part }) => {
        const addresses = part.map(({ address }) => encodeURIComponent(address)).join(',')
        return http.json(`/tokens/v1/${encodeURIComponent(platform)}/${addresses}`, z.array(z.unknown()))
      },
    )
    const pools = rows(Pair, answers.flat(), (row) => ({
      kind: 'pool',
      dex_id: row.dexId,
      dex_name: nameOf(row.dexId),
      platform: row.chainId,
      pool_address: row.pairAddress,
      base: row.baseToken,
      quote: row.quoteToken,
      price_native: row.priceNative,
      price_usd: row.priceUsd,
      percent_change_24h: row.priceChange?.h24 ?? null,
      volume_24h_usd: row.volume?.h24 ?? null,
      liquidity_usd: row.liquidity?.usd ?? null,
      transactions_24h: row.txns?.h24 ? Math.round((row.txns.h24.buys ?? 0) + (row.txns.h24.sells ?? 0)) : null,
      created_at: row.pairCreatedAt,
      url: row.url,
    }))
    return [...pools, ...missing]
  },
}

/** `pancakeswap` -> `Pancakeswap`: the answer has ids only. */
const nameOf = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)
