import * as z from 'zod'
import type { Interval } from '../contract/history.ts'
import { firstOf, Links, listings, profilesAt, reportedIn, textsIn } from './listings.ts'
import { optional } from './optional.ts'
import {
  ONE_PRICE,
  rows,
  source,
  type Candles,
  type ContractSighting,
  type Http,
  type Profile,
  type Quota,
  type Source,
} from './source.ts'
import { Id, Link, Milliseconds, NonNegative, OptionalText, Positive, Prose } from './wire.ts'

const PER_PAGE = 250
/** Default number of listings. */
const LISTINGS = 1500
const DETAIL = 'localization=false&tickers=false&market_data=false&community_data=false&developer_data=false'

const List = z.array(z.unknown())
const Named = z.object({ id: Id })

/** A row of `/coins/markets`. */
const ROW = {
  id: 'id',
  symbol: 'symbol',
  name: 'name',
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
  circulating_supply: 'circulating_supply',
  total_supply: 'total_supply',
  max_supply: 'max_supply',
  ath_usd: 'ath',
  ath_at: 'ath_date',
  logo_url: 'image',
  at: 'last_updated',
}

/** A row of `/coins/list?include_platform=true`. An address may be null or empty, and so may the platform's name. */
const Entry = Named.extend({ platforms: z.record(z.string(), OptionalText(200)) })

const CONTRACTS = '/api/v3/coins/list?include_platform=true'

/**
 * The free key has 10,000 requests a month. No figure is published for requests without a key; they are held to the
 * same. Those of paid plans differ and are not known here.
 */
const FREE_QUOTA: Quota = {
  requests: 10_000,
  per: 'month',
  evidence: 'https://docs.coingecko.com/docs/errors-and-rate-limits',
  list: (listings) => Math.ceil((listings ?? LISTINGS) / PER_PAGE),
  daily: 1,
}

const Chart = z.object({ prices: z.array(z.unknown()), total_volumes: z.array(z.unknown()) })
const Moment = Milliseconds.pipe(z.number())
const pointOf = (value: typeof Positive) => z.tuple([Moment, value.pipe(z.number())])
const Price = pointOf(Positive)
const Volume = pointOf(NonNegative)

// A chart ends now, wherever the ask lies, so the whole published range of the interval is asked for. A chart of 1 day
// has a point each 5 minutes, one of 2 to 90 days each hour, a longer one each day; a year is as far back as a key
// without a fee reaches (docs.coingecko.com, /coins/{id}/market_chart).
const DAYS: Readonly<Record<Interval, number>> = { '15m': 1, '1h': 7, '4h': 30, '1d': 365 }

/** Charts of `/coins/{id}/market_chart`. Points are finer than the interval; the last is now, off the grid. */
const history: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  // A chart cannot be asked for in parts, and this many bars are its longest.
  most: 365,
  rolling: true,
  async ask(http, { market, interval }) {
    const path = `/api/v3/coins/${encodeURIComponent(market)}/market_chart?vs_currency=usd&days=${DAYS[interval]}`
    const chart = await http.json(path, Chart)
    const volumes = new Map(read(Volume, chart.total_volumes))
    return read(Price, chart.prices).map(([at, close]) => ({
      at,
      ...ONE_PRICE,
      close,
      volume_base: null,
      volume_quote: volumes.get(at) ?? null,
    }))
  },
}

/** The points that can be read; the others are as good as not there. */
const read = (point: ReturnType<typeof pointOf>, points: readonly unknown[]): [number, number][] =>
  points.flatMap((candidate) => {
    const { data } = point.safeParse(candidate)
    return data ? [data] : []
  })

/**
 * CoinGecko's list of listings. Without a key its limit is shared by everyone behind one address and was seen between 5
 * and 15 requests a minute: 10 let the whole list through in one go, and a refusal is waited for. A demo key has 100 a
 * minute, of which 30 suffice, a pro key 250 to 500 by plan (docs.coingecko.com, rate limits).
 */
export function coingecko({ apiKey, plan = 'demo' }: { apiKey?: string | undefined; plan?: 'demo' | 'pro' }): Source {
  const pro = apiKey !== undefined && plan === 'pro'
  return source({
    id: 'coingecko',
    label: 'CoinGecko',
    type: 'aggregator',
    host: pro ? 'pro-api.coingecko.com' : 'api.coingecko.com',
    pace: { requests: pro ? 500 : apiKey === undefined ? 10 : 30, perSeconds: 60 },
    // All of some 18,000 listings by 35 members each, and the contracts of as many.
    volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
    reports: reportedIn(ROW),
    rights: {
      class: 'attribution',
      terms_url: 'https://brand.coingecko.com/resources/attribution-guide',
      read_on: '2026-11-21',
      attribution: { text: 'Data provided by CoinGecko', url: 'https://www.coingecko.com' },
    },
    ...(apiKey !== undefined && { key: { header: pro ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key', value: apiKey } }),
    ...(!pro && { quota: FREE_QUOTA }),
    slow: [{ path: CONTRACTS, hours: 24, keep: List }],
    candles: history,

    async fetch(http, wants) {
      const [listed, platforms] = await Promise.all([
        pages(http, wants.listings ?? LISTINGS),
        optional([{ what: 'contracts', answer: http.json(CONTRACTS, List) }]),
      ])
      const ids = listed.flatMap((row) => Named.safeParse(row).data?.id ?? [])
      const details = await profilesAt(http, wants.profiles(ids), (id) => `/api/v3/coins/${id}?${DETAIL}`)
      return {
        listed,
        platforms: platforms.answers.flat(),
        details: details.answers,
        missing: [...platforms.missing, ...details.missing],
      }
    },

    *parse({ listed, platforms, details, missing }) {
      yield* listings({ row: ROW }, listed, contractsById(platforms))
      yield* rows(Detail, details, profileOf)
      yield* missing
    },
  })
}

/**
 * Rows of all pages up to the empty one: a short page need not be the last, and nothing else marks the end. Twice as many
 * pages as full ones would do are asked for, and no more: pages of a row each would take the whole run.
 */
async function pages(http: Http, listings: number): Promise<unknown[]> {
  const listed: unknown[] = []
  const most = 2 * Math.ceil(listings / PER_PAGE)
  for (let page = 1; listed.length < listings && page <= most; page++) {
    const query = `vs_currency=usd&order=market_cap_desc&per_page=${PER_PAGE}&page=${page}`
    // Without the switch, wrapped, staked and bridged tokens are left out since February 2026.
    const also = 'price_change_percentage=1h,24h,7d&include_rehypothecated=true'
    const answer = await http.json(`/api/v3/coins/markets?${query}&${also}`, List)
    if (answer.length === 0) break
    listed.push(...answer)
  }
  return listed.slice(0, listings)
}

/** Returns the contracts of each id. */
function contractsById(list: readonly unknown[]): Map<string, ContractSighting[]> {
  const contracts = new Map<string, ContractSighting[]>()
  for (const entry of list) {
    const { data } = Entry.safeParse(entry)
    const found = Object.entries(data?.platforms ?? {}).flatMap(([platform, address]) =>
      platform === '' || address === null ? [] : [{ platform, address, decimals: null }],
    )
    if (data && found.length > 0) contracts.set(data.id, found)
  }
  return contracts
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
      homepage: Links,
      whitepaper: Link,
      chat_url: Links,
      blockchain_site: Links,
      repos_url: z.object({ github: Links }).catch({ github: [] }),
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
