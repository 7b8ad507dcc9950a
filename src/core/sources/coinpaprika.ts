import { sort } from 'd3-array'
import * as z from 'zod'
import { aggregator, firstOf, ReportedLinks, textsIn } from './aggregator.ts'
import { bars } from './bars.ts'
import { reader } from './dialect.ts'
import { rows, type Profile } from './source.ts'
import { Id, Link, OptionalText, Positive, Text } from './wire.ts'

const HOST = 'api.coinpaprika.com'

const PLATFORMS = ['eth-ethereum', 'bnb-binance-coin', 'sol-solana'] as const

const rankIn = reader('rank')

const TokenContract = z.object({ id: Id, address: Text(200), active: z.boolean().optional() })

/** CoinPaprika. Without a key 20,000 requests a month (docs.coinpaprika.com) and 10 a second to an address. */
export const coinpaprika = aggregator({
  id: 'coinpaprika',
  label: 'CoinPaprika',
  host: HOST,
  pace: { requests: 5, perSeconds: 1 },
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
  async list(http, { listings }) {
    const limit = listings === null ? '' : `&limit=${listings}`
    const tickers = await http.json(`/v1/tickers?quotes=USD${limit}`, z.array(z.unknown()))
    // They come in no order in particular.
    return sort(tickers, (row) => Positive.safeParse(rankIn(row)).data ?? Infinity).slice(0, listings ?? undefined)
  },
  // `/tickers`. 0 is written for unknown, in changes too. The free plan no longer gives `circulating_supply`.
  listings: {
    same: ['rank', 'circulating_supply', 'total_supply', 'max_supply'],
    row: {
      price_usd: 'quotes.USD.price',
      percent_change_1h: 'quotes.USD.percent_change_1h',
      percent_change_24h: 'quotes.USD.percent_change_24h',
      percent_change_7d: 'quotes.USD.percent_change_7d',
      market_cap_usd: 'quotes.USD.market_cap',
      volume_24h_usd: 'quotes.USD.volume_24h',
      ath_usd: 'quotes.USD.ath_price',
      ath_at: 'quotes.USD.ath_date',
      at: 'last_updated',
    },
    slugsOf,
    isZeroUnknown: true,
    without: { inactive: { is_active: [false] } },
  },
  contracts: PLATFORMS.map((platform) => ({
    what: `contracts on ${platform}`,
    path: `/v1/contracts/${platform}`,
    contractsIn(row) {
      const { data } = TokenContract.safeParse(row)
      return !data || data.active === false ? [] : [{ id: data.id, platform, address: data.address, decimals: null }]
    },
  })),
  profiles: { path: '/v1/coins/{id}', read: (details) => rows(Detail, details, profileOf) },
  // The free plan has few past tickers or none, and the answer to the rest is 402.
  candles: bars(
    {
      // There is no step of four hours; two of two hours fill one bucket.
      widths: { '15m': '15m', '1h': '1h', '4h': '2h', '1d': '1d' },
      // Half the limit, because a request for four hours comes back in steps of two.
      most: 500,
      path: '/v1/tickers/{market}/historical?start={from}&end={until}&interval={width}&limit=1000',
      times: 'seconds',
      row: { utc: 'timestamp', close: 'price', quote: 'volume_24h' },
      rolling: true,
      isZeroVolumeUnknown: true,
    },
    HOST,
  ),
})

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
  links: z.preprocess(
    (links) => links ?? {},
    z.object({ website: ReportedLinks, source_code: ReportedLinks, explorer: ReportedLinks }),
  ),
  links_extended: z.array(z.object({ url: Link, type: z.string() })).catch([]),
  whitepaper: z.object({ link: Link }).catch({ link: null }),
})

function profileOf({ id, type, links, ...detail }: z.infer<typeof Detail>): Profile {
  // Chats of all kinds are in one list; the host distinguishes them.
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
