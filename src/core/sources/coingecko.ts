import * as z from 'zod'
import { aggregator, firstOf, ReportedLinks, paged, textsIn } from './aggregator.ts'
import { type BarDialect, bars } from './bars.ts'
import { reader } from './dialect.ts'
import { rows, type Profile, type Quota, type Source } from './source.ts'
import { Id, Link, OptionalText, Prose } from './wire.ts'

const PER_PAGE = 250
const LISTINGS = 1500
// Without the switch, wrapped, staked and bridged tokens are left out since February 2026.
const PAGE = 'price_change_percentage=1h,24h,7d&include_rehypothecated=true'
const DETAIL = 'localization=false&tickers=false&market_data=false&community_data=false&developer_data=false'

const ROW = {
  rank: 'market_cap_rank',
  price_usd: 'current_price',
  percent_change_1h: 'price_change_percentage_1h_in_currency',
  percent_change_24h: 'price_change_percentage_24h',
  percent_change_7d: 'price_change_percentage_7d_in_currency',
  high_24h_usd: 'high_24h',
  low_24h_usd: 'low_24h',
  market_cap_usd: 'market_cap',
  fully_diluted_valuation_usd: 'fully_diluted_valuation',
  volume_24h_usd: 'total_volume',
  ath_usd: 'ath',
  ath_at: 'ath_date',
  at: 'last_updated',
}

/** A row of `/coins/list?include_platform=true`. An address may be null or empty, and so may the platform's name. */
const Entry = z.object({ id: Id, platforms: z.record(z.string(), OptionalText(200)) })

/** The free key has 10,000 requests a month; requests without a key, of unknown quota, are held to the same. */
const FREE_QUOTA: Quota = {
  requests: 10_000,
  per: 'month',
  evidence: 'https://docs.coingecko.com/docs/errors-and-rate-limits',
  list: (listings) => Math.ceil((listings ?? LISTINGS) / PER_PAGE),
  daily: 1,
}

const [first, second, volumesIn] = [reader('0'), reader('1'), reader('total_volumes')]

/** Charts of `/coins/{id}/market_chart`. Points are finer than the interval; the last is now, off the grid. */
const CHARTS: BarDialect = {
  // A chart ends now, wherever the ask lies, so the whole published range of the interval is asked for. A chart of 1 day
  // has a point each 5 minutes, one of 2 to 90 days each hour, a longer one each day; a year is as far back as a key
  // without a fee reaches (docs.coingecko.com, /coins/{id}/market_chart).
  widths: { '15m': 1, '1h': 7, '4h': 30, '1d': 365 },
  // A chart cannot be asked for in parts, and this many bars are its longest.
  most: 365,
  path: '/api/v3/coins/{market}/market_chart?vs_currency=usd&days={width}',
  envelope: { rows: 'prices' },
  rowsIn(prices, chart) {
    const volumes = new Map([volumesIn(chart)].flat().map((point) => [first(point), second(point)]))
    return prices.map((point) => [first(point), second(point), volumes.get(first(point)) ?? null])
  },
  row: { ms: 0, close: 1, quote: 2 },
  rolling: true,
}

/**
 * CoinGecko. Without a key its limit is shared by everyone behind one address and was seen between 5 and 15 requests a
 * minute; a demo key has 100, a pro key 250 to 500 (docs.coingecko.com, rate limits).
 */
export function coingecko({ apiKey, plan = 'demo' }: { apiKey?: string | undefined; plan?: 'demo' | 'pro' }): Source {
  const pro = apiKey !== undefined && plan === 'pro'
  const host = pro ? 'pro-api.coingecko.com' : 'api.coingecko.com'
  return aggregator({
    id: 'coingecko',
    label: 'CoinGecko',
    host,
    pace: { requests: pro ? 500 : apiKey === undefined ? 10 : 30, perSeconds: 60 },
    // All of some 18,000 listings by 35 members each, and the contracts of as many.
    volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
    rights: {
      class: 'attribution',
      terms_url: 'https://brand.coingecko.com/resources/attribution-guide',
      read_on: '2026-11-21',
      attribution: { text: 'Data provided by CoinGecko', url: 'https://www.coingecko.com' },
    },
    ...(apiKey !== undefined && { key: { header: pro ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key', value: apiKey } }),
    ...(!pro && { quota: FREE_QUOTA }),
    list: paged({
      path: `/api/v3/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=${PER_PAGE}&page={page}&${PAGE}`,
      perPage: PER_PAGE,
      ids: 'ids',
      listings: LISTINGS,
    }),
    listings: { same: ['circulating_supply', 'total_supply', 'max_supply'], row: ROW },
    contracts: [{ what: 'contracts', path: '/api/v3/coins/list?include_platform=true', contractsIn }],
    profiles: { path: `/api/v3/coins/{id}?${DETAIL}`, read: (details) => rows(Detail, details, profileOf) },
    candles: bars(CHARTS, host),
  })
}

function contractsIn(entry: unknown) {
  const { id = '', platforms = {} } = Entry.safeParse(entry).data ?? {}
  return Object.entries(platforms).flatMap(([platform, address]) =>
    platform === '' || address === null ? [] : [{ id, platform, address, decimals: null }],
  )
}

/** `/coins/{id}`. Only the id is required: each other member is read by itself, and one that is odd is no data. */
const Detail = z.object({
  id: Id,
  asset_platform_id: z.string().nullish(),
  categories: z.array(OptionalText(80)).catch([]),
  description: z.object({ en: Prose(4000) }).catch({ en: null }),
  links: z.preprocess(
    (links) => links ?? {},
    z.object({
      homepage: ReportedLinks,
      whitepaper: Link,
      chat_url: ReportedLinks,
      blockchain_site: ReportedLinks,
      repos_url: z.object({ github: ReportedLinks }).catch({ github: [] }),
      twitter_screen_name: z.string().regex(/^\w+$/).nullable().catch(null),
      telegram_channel_identifier: z.string().regex(/^\w+$/).nullable().catch(null),
    }),
  ),
  detail_platforms: z
    .record(
      z.string(),
      z.object({ decimal_place: z.int().min(0).max(255).nullable().catch(null), contract_address: OptionalText(200) }),
    )
    .catch({}),
})

function profileOf({ id, links, ...detail }: z.infer<typeof Detail>): Profile {
  const { asset_platform_id: platform, detail_platforms: platforms } = detail
  return {
    kind: 'profile',
    id,
    asset_type: platform === undefined ? null : platform ? 'token' : 'coin',
    description: detail.description.en,
    tags: textsIn(detail.categories),
    links: {
      website: firstOf(links.homepage),
      whitepaper: links.whitepaper,
      source_code: firstOf(links.repos_url.github),
      twitter: links.twitter_screen_name && `https://x.com/${links.twitter_screen_name}`,
      telegram: links.telegram_channel_identifier && `https://t.me/${links.telegram_channel_identifier}`,
      discord: textsIn(links.chat_url).find((url) => /^https:\/\/discord\.(gg|com)\//.test(url)) ?? null,
    },
    explorers: textsIn(links.blockchain_site),
    contracts: Object.entries(platforms).flatMap(
      ([platform, { contract_address: address, decimal_place: decimals }]) =>
        platform === '' || address === null ? [] : [{ platform, address, decimals }],
    ),
  }
}
