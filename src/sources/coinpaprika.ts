import * as z from 'zod'
import { history } from './coinpaprika-history.ts'
import { Detail, profileOf } from './coinpaprika-profile.ts'
import { optional } from './optional.ts'
import { firstOfEach, rows, source, type ContractSighting, type Http, type Observation } from './source.ts'
import { Id, IsoTime, Percent, Positive, Text } from './wire.ts'

/** Platforms whose contracts are asked for, by CoinPaprika's id of their coin. */
const PLATFORMS = ['eth-ethereum', 'bnb-binance-coin', 'sol-solana'] as const

const List = z.array(z.unknown())
const Named = z.object({ id: Id })
const Rank = Positive.pipe(z.int().nullable())
const Ranked = z.object({ rank: Rank })

// 0 stands for unknown, in changes too: a change of exactly nothing is rarer than one that was never measured.
const Change = Percent.transform((percent) => (percent === 0 ? null : percent))

/** A row of `/tickers`. The free plan no longer gives `circulating_supply`. */
const Ticker = Named.extend({
  symbol: Text(64),
  name: Text(200),
  rank: Rank,
  is_active: z.boolean().optional(),
  circulating_supply: Positive,
  total_supply: Positive,
  max_supply: Positive,
  last_updated: IsoTime,
  quotes: z.object({
    USD: z.object({
      price: Positive,
      volume_24h: Positive,
      market_cap: Positive,
      percent_change_1h: Change,
      percent_change_24h: Change,
      percent_change_7d: Change,
      ath_price: Positive,
      ath_date: IsoTime,
    }),
  }),
})

/** A row of `/contracts/{platform}`. */
const TokenContract = Named.extend({ address: Text(200), active: z.boolean().optional() })

/**
 * CoinPaprika's list of listings. Without a key it gives 20,000 requests a month (docs.coinpaprika.com) and names no
 * limit a second; the pace is our courtesy.
 */
export const coinpaprika = source({
  id: 'coinpaprika',
  label: 'CoinPaprika',
  type: 'aggregator',
  host: 'api.coinpaprika.com',
  pace: { requests: 10, perSeconds: 1 },
  volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
  rights: {
    class: 'non_commercial',
    terms_url: 'https://docs.coinpaprika.com/api-reference/key/get-api-key-info.md',
    read_on: '2026-11-21',
    attribution: null,
  },
  quota: {
    requests: 20_000,
    per: 'month',
    evidence: 'https://docs.coinpaprika.com/api-reference/key/get-api-key-info',
    list: () => 1,
    daily: PLATFORMS.length,
  },
  slow: PLATFORMS.map((platform) => ({ path: `/v1/contracts/${platform}`, hours: 24, keep: List })),
  candles: history,

  async fetch(http, wants) {
    const limit = wants.listings === null ? '' : `&limit=${wants.listings}`
    const [answer, contracts] = await Promise.all([
      http.json(`/v1/tickers?quotes=USD${limit}`, List),
      optional(
        PLATFORMS.map((platform) => ({ what: `contracts on ${platform}`, answer: contractsOn(http, platform) })),
      ),
    ])
    const tickers = byRank(answer).slice(0, wants.listings ?? undefined)
    const ids = tickers.flatMap((row) => Named.safeParse(row).data?.id ?? [])
    const details = await optional(
      wants.profiles(ids).map((id) => ({
        what: `profile of ${id}`,
        answer: http.json(`/v1/coins/${encodeURIComponent(id)}`, z.unknown()),
      })),
    )
    return {
      tickers,
      contracts: contracts.answers,
      details: details.answers,
      missing: [...contracts.missing, ...details.missing],
    }
  },

  *parse({ tickers, contracts, details, missing }) {
    yield* sightings(tickers, contractsById(contracts))
    yield* rows(Detail, details, profileOf)
    yield* missing
  },
})

/** The list comes in no order in particular. */
const byRank = (tickers: readonly unknown[]): unknown[] =>
  tickers
    .map((row) => ({ row, rank: Ranked.safeParse(row).data?.rank ?? Number.MAX_SAFE_INTEGER }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ row }) => row)

const contractsOn = async (http: Http, platform: string) => ({
  platform,
  list: await http.json(`/v1/contracts/${platform}`, List),
})

function contractsById(lists: readonly { platform: string; list: readonly unknown[] }[]) {
  const contracts = new Map<string, ContractSighting[]>()
  for (const { platform, list } of lists) {
    for (const row of list) {
      const { data } = TokenContract.safeParse(row)
      if (!data || data.active === false) continue
      const found = contracts.get(data.id) ?? []
      contracts.set(data.id, [...found, { platform, address: data.address, decimals: null }])
    }
  }
  return contracts
}

function sightings(
  tickers: readonly unknown[],
  contracts: ReadonlyMap<string, readonly ContractSighting[]>,
): Iterable<Observation> {
  const active = firstOfEach<z.infer<typeof Ticker>>(
    ({ id }) => id,
    ({ id, symbol, quotes: { USD: usd }, ...row }) => ({
      kind: 'sighting',
      id,
      slugs: slugsOf(id, symbol),
      symbol: symbol.toUpperCase(),
      name: row.name,
      rank: row.rank,
      contracts: contracts.get(id) ?? [],
      price_usd: usd.price,
      percent_change_1h: usd.percent_change_1h,
      percent_change_24h: usd.percent_change_24h,
      percent_change_7d: usd.percent_change_7d,
      high_24h_usd: null,
      low_24h_usd: null,
      market_cap_usd: usd.market_cap,
      fully_diluted_valuation_usd: null,
      volume_24h_usd: usd.volume_24h,
      circulating_supply: row.circulating_supply,
      total_supply: row.total_supply,
      max_supply: row.max_supply,
      ath_usd: usd.ath_price,
      ath_at: usd.ath_date,
      logo_url: null,
      at: row.last_updated,
    }),
  )
  return rows(Ticker, tickers, (row) =>
    row.is_active === false ? { kind: 'skipped', reason: 'inactive' } : active(row),
  )
}

/** `btc-bitcoin` makes `bitcoin`. A symbol renamed since leaves its old text in front; then the first dash decides. */
function slugsOf(id: string, symbol: string): string[] {
  const own = `${symbol.toLowerCase()}-`
  const name = id.startsWith(own) ? id.slice(own.length) : id.slice(id.indexOf('-') + 1)
  return name === '' ? [id] : [name, id]
}
