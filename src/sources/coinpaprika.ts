import * as z from 'zod'
import { by } from '../contract/order.ts'
import type { Interval } from '../contract/history.ts'
import { firstOf, Links, listings, profilesAt, reportedIn, textsIn } from './listings.ts'
import { optional } from './optional.ts'
import { ONE_PRICE, rows, source, type Candles, type ContractSighting, type Http, type Profile } from './source.ts'
import { Id, IsoTime, Link, OptionalText, Positive, Text } from './wire.ts'

/** Platforms whose contracts are asked for, by CoinPaprika's id of their coin. */
const PLATFORMS = ['eth-ethereum', 'bnb-binance-coin', 'sol-solana'] as const

const List = z.array(z.unknown())
const Named = z.object({ id: Id })
const Ranked = z.object({ rank: Positive })

/** `/tickers`. 0 is written for unknown, in changes too. The free plan no longer gives `circulating_supply`. */
const TICKERS = {
  row: {
    id: 'id',
    symbol: 'symbol',
    name: 'name',
    rank: 'rank',
    price_usd: 'quotes.USD.price',
    percent_change_1h: 'quotes.USD.percent_change_1h',
    percent_change_24h: 'quotes.USD.percent_change_24h',
    percent_change_7d: 'quotes.USD.percent_change_7d',
    market_cap_usd: 'quotes.USD.market_cap',
    volume_24h_usd: 'quotes.USD.volume_24h',
    circulating_supply: 'circulating_supply',
    total_supply: 'total_supply',
    max_supply: 'max_supply',
    ath_usd: 'quotes.USD.ath_price',
    ath_at: 'quotes.USD.ath_date',
    at: 'last_updated',
  },
  slugsOf,
  isZeroUnknown: true,
  without: { inactive: { is_active: [false] } },
} as const

/** A row of `/contracts/{platform}`. */
const TokenContract = Named.extend({ address: Text(200), active: z.boolean().optional() })

const Tick = z.object({ timestamp: IsoTime.pipe(z.number()), price: Positive.pipe(z.number()), volume_24h: Positive })

// There is no step of four hours; two of two hours fill one bucket.
const STEPS: Readonly<Record<Interval, { readonly step: string; readonly seconds: number }>> = {
  '15m': { step: '15m', seconds: 900 },
  '1h': { step: '1h', seconds: 3600 },
  '4h': { step: '2h', seconds: 4 * 3600 },
  '1d': { step: '1d', seconds: 24 * 3600 },
}

/** Past tickers. The free plan has few of them or none, and the answer to the rest is 402. */
const history: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  // Half the limit, because an ask for four hours comes back in steps of two.
  most: 500,
  rolling: true,
  async ask(http, { market, interval, from, to }) {
    const { step, seconds } = STEPS[interval]
    const range = `start=${from / 1000}&end=${to / 1000 + seconds - 1}&interval=${step}&limit=1000`
    const path = `/v1/tickers/${encodeURIComponent(market)}/historical?${range}`
    const ticks = await http.json(path, z.array(z.unknown()))
    return ticks.flatMap((tick) => {
      const { data } = Tick.safeParse(tick)
      return data
        ? [{ at: data.timestamp, ...ONE_PRICE, close: data.price, volume_base: null, volume_quote: data.volume_24h }]
        : []
    })
  },
}

/**
 * CoinPaprika's list of listings. Without a key it gives 20,000 requests a month (docs.coinpaprika.com) and 10 a second to
 * an address, by its FAQ; half of that never meets the limit.
 */
export const coinpaprika = source({
  id: 'coinpaprika',
  label: 'CoinPaprika',
  type: 'aggregator',
  host: 'api.coinpaprika.com',
  pace: { requests: 5, perSeconds: 1 },
  volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
  reports: reportedIn(TICKERS.row),
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
    const details = await profilesAt(http, wants.profiles(ids), (id) => `/v1/coins/${id}`)
    return {
      tickers,
      contracts: contracts.answers,
      details: details.answers,
      missing: [...contracts.missing, ...details.missing],
    }
  },

  *parse({ tickers, contracts, details, missing }) {
    yield* listings(TICKERS, tickers, contractsById(contracts))
    yield* rows(Detail, details, profileOf)
    yield* missing
  },
})

/** The list comes in no order in particular. */
const byRank = (tickers: readonly unknown[]): unknown[] =>
  tickers
    .map((row) => ({ row, rank: Ranked.safeParse(row).data?.rank ?? Number.MAX_SAFE_INTEGER }))
    .toSorted(by((row) => row.rank))
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

/** `btc-bitcoin` makes `bitcoin`. A symbol renamed since leaves its old text in front; then the first dash decides. */
function slugsOf(id: string, symbol: string): string[] {
  const own = `${symbol.toLowerCase()}-`
  const name = id.startsWith(own) ? id.slice(own.length) : id.slice(id.indexOf('-') + 1)
  return name === '' ? [id] : [name, id]
}

/** `/v1/coins/{id}`. Only the id is required: each other member is read by itself, and one that is odd is no data. */
const Detail = z.object({
  id: Id,
  type: z.enum(['coin', 'token']).nullable().catch(null),
  description: OptionalText(4000).catch(null),
  tags: z.array(z.object({ name: OptionalText(80) })).catch([]),
  links: z.preprocess((links) => links ?? {}, z.object({ website: Links, source_code: Links, explorer: Links })),
  links_extended: z.array(z.object({ url: Link, type: z.string() })).catch([]),
  whitepaper: z.object({ link: Link }).catch({ link: null }),
})

function profileOf({ id, type, links, ...detail }: z.infer<typeof Detail>): Profile {
  // Chats of all kinds stand in one list; the host tells them apart.
  const chats = detail.links_extended.filter(({ type }) => type === 'chat' || type === 'telegram' || type === 'discord')
  const chatOn = (hosts: RegExp) => firstOf(chats.map(({ url }) => (url !== null && hosts.test(url) ? url : null)))
  return {
    kind: 'profile',
    id,
    asset_type: type,
    description: detail.description,
    tags: textsIn(detail.tags.map(({ name }) => name)),
    links: {
      website: firstOf(links.website),
      whitepaper: detail.whitepaper.link,
      source_code: firstOf(links.source_code),
      twitter: firstOf(detail.links_extended.filter(({ type }) => type === 'twitter').map(({ url }) => url)),
      telegram: chatOn(/^https:\/\/(t\.me|telegram\.me)\//),
      discord: chatOn(/^https:\/\/discord\.(gg|com)\//),
    },
    explorers: textsIn(links.explorer),
    // Contracts come with the list, for every token at once.
    contracts: [],
  }
}
