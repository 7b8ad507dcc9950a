import type * as z from 'zod'
import type { Asset, MarketsRow } from '../core/contract/asset.ts'
import type { Market } from '../core/contract/market.ts'
import { dayIn } from '../core/contract/time.ts'
import type { CategoryRow, ExchangeMarket, ExchangeRow } from '../core/contract/whole-market.ts'
import {
  type OpenPublication,
  type Unit,
  amountIn,
  changeIn,
  differenceOf,
  figuresIn,
  priceIn,
  rowsOf,
} from './publication.ts'

/** Members that the imitated API has and this one does not know. */
export const unknown = (...members: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(members.map((name) => [name, null]))

export const inUnits = <Of, T>(units: Iterable<readonly [string, Of]>, figure: (unit: Of) => T) =>
  Object.fromEntries(Array.from(units, ([symbol, unit]) => [symbol, figure(unit)]))

export const rounded = (value: number | null, digits: number | 'full' | undefined): number | null =>
  value === null || digits === undefined || digits === 'full' ? value : Number(value.toFixed(digits))

export const seconds = (timestamp: string | null): number | null =>
  timestamp === null ? null : Date.parse(timestamp) / 1000
const withMs = (timestamp: string | null): string | null => timestamp && timestamp.replace('Z', '.000Z')

export const image = (logo: string | null) => ({ thumb: logo, small: logo, large: logo })

export const inBitcoin = (from: OpenPublication, amount_usd: number | null): number | null => {
  const unit = from.units.get('btc')
  return unit ? amountIn(amount_usd, unit) : null
}

export const coinOf = (from: OpenPublication, { slug, symbol, name }: MarketsRow) => ({
  id: from.idOf(slug),
  symbol: symbol.toLowerCase(),
  name,
})

const marketOf = ({ market_cap_rank, circulating_supply, total_supply, max_supply, last_updated }: MarketsRow) => ({
  market_cap_rank,
  ...unknown('market_cap_change_24h', 'market_cap_change_percentage_24h'),
  circulating_supply,
  total_supply,
  max_supply,
  last_updated: withMs(last_updated),
})

/** Returns the function that gives the highest price ever of some listings in the money of its day; null in a coin. */
async function highestOf(from: OpenPublication, rows: readonly MarketsRow[]) {
  const rates = await from.ratesOf(rows.flatMap(({ ath_date }) => (ath_date === null ? [] : [dayIn(ath_date)])))
  return ({ ath_usd, ath_date, price_usd }: MarketsRow, unit: Unit) => {
    const rate = ath_date === null || unit.slug !== null ? undefined : rates(dayIn(ath_date)).get(unit.symbol)
    const [ath, now] = [rate === undefined ? null : priceIn(ath_usd, rate), priceIn(price_usd, unit)]
    return {
      ath,
      ath_change_percentage: ath !== null && now !== null ? Number(((now / ath - 1) * 100).toFixed(5)) : null,
      ath_date: ath === null ? null : withMs(ath_date),
    }
  }
}

/** Changes that are known of a row; those over other times are not published. */
const CHANGES: Readonly<Record<string, (row: MarketsRow, unit: Unit) => number | null>> = {
  '1h': (row, unit) => (unit.symbol === 'USD' ? row.percent_change_1h : null),
  '24h': (row, unit) => changeIn(row.percent_change_24h, unit.percent_change_24h),
  '7d': (row, unit) => changeIn(row.percent_change_7d, unit.percent_change_7d),
}

interface RowOptions {
  readonly sparkline: boolean
  readonly price_change_percentage: readonly string[]
  readonly precision?: number | 'full' | undefined
}

export async function marketRows(from: OpenPublication, rows: readonly MarketsRow[], unit: Unit, query: RowOptions) {
  const highest = await highestOf(from, rows)
  return rows.map((row) => {
    const figures = figuresIn(row, unit)
    const changes = query.price_change_percentage.map((name) => [
      `price_change_percentage_${name}_in_currency`,
      CHANGES[name]?.(row, unit) ?? null,
    ])
    return {
      ...coinOf(from, row),
      image: row.logo_url,
      ...figures,
      current_price: rounded(figures.current_price, query.precision),
      ...marketOf(row),
      ...highest(row, unit),
      ...unknown('atl', 'atl_change_percentage', 'atl_date', 'roi'),
      ...(query.sparkline && {
        sparkline_in_7d: { price: row.sparkline_7d.flatMap((value) => priceIn(value, unit) ?? []) },
      }),
      ...Object.fromEntries(changes),
    }
  })
}

const IN_UNITS = [
  ...(['current_price', 'market_cap', 'fully_diluted_valuation', 'total_volume', 'high_24h', 'low_24h'] as const),
  ...(['ath', 'ath_change_percentage', 'ath_date'] as const),
] as const

async function marketData(from: OpenPublication, row: MarketsRow, withSparkline: boolean) {
  const highest = await highestOf(from, [row])
  const units = Array.from(
    from.units,
    ([symbol, unit]) => [symbol, { ...figuresIn(row, unit), ...highest(row, unit) }] as const,
  )
  return {
    ...Object.fromEntries(IN_UNITS.map((name) => [name, inUnits(units, (own) => own[name])])),
    ...marketOf(row),
    price_change_24h: differenceOf(row.price_usd, row.percent_change_24h),
    price_change_percentage_24h: row.percent_change_24h,
    price_change_percentage_7d: row.percent_change_7d,
    ...unknown(...['14d', '30d', '200d', '1y'].map((name) => `price_change_percentage_${name}`)),
    price_change_percentage_1h_in_currency: { usd: row.percent_change_1h },
    price_change_percentage_24h_in_currency: inUnits(units, (own) => own.price_change_percentage_24h),
    price_change_percentage_7d_in_currency: inUnits(from.units, (unit) => CHANGES['7d']?.(row, unit) ?? null),
    ...(withSparkline && { sparkline_7d: { price: row.sparkline_7d.filter((value) => value !== null) } }),
  }
}

const handleOf = (address: string | null): string | null => /\/([\w.-]+)\/?$/.exec(address ?? '')?.[1] ?? null
const listOf = (address: string | null): readonly string[] => (address === null ? [] : [address])

/** What only a profile has. */
const profileMembers = ({ contracts, tags, notice, description, links, explorers, logo_url }: Asset) => ({
  asset_platform_id: contracts[0]?.chain ?? null,
  platforms: platformsOf(contracts),
  detail_platforms: Object.fromEntries(
    contracts.map(({ chain, address, decimals }) => [chain, { decimal_place: decimals, contract_address: address }]),
  ),
  ...(contracts[0] && { contract_address: contracts[0].address }),
  ...unknown('block_time_in_minutes', 'hashing_algorithm', 'country_origin', 'genesis_date'),
  ...unknown('sentiment_votes_up_percentage', 'sentiment_votes_down_percentage'),
  categories: tags,
  preview_listing: false,
  public_notice: notice,
  additional_notices: [],
  description: { en: description ?? '' },
  links: {
    homepage: listOf(links.website),
    whitepaper: links.whitepaper,
    blockchain_site: explorers.map(({ url }) => url),
    official_forum_url: [],
    chat_url: listOf(links.discord),
    announcement_url: [],
    twitter_screen_name: handleOf(links.twitter),
    telegram_channel_identifier: handleOf(links.telegram),
    subreddit_url: null,
    repos_url: { github: listOf(links.source_code), bitbucket: [] },
  },
  image: image(logo_url),
})

export const platformsOf = (contracts: MarketsRow['contracts']) =>
  Object.fromEntries(contracts.map(({ chain, address }) => [chain, address]))

/** Most markets of a coin or an exchange beside it, as in the imitated API. */
export const MOST_TICKERS = 100

interface CoinOptions {
  readonly tickers: boolean
  readonly market_data: boolean
  readonly sparkline: boolean
}

export async function coinMembers(from: OpenPublication, row: MarketsRow, query: CoinOptions) {
  const profile = await from.document('assets/*', row.slug)
  const own = coinOf(from, row)
  return {
    ...own,
    web_slug: own.id,
    ...(profile && profileMembers(profile.asset)),
    market_cap_rank: row.market_cap_rank,
    ...(query.market_data && { market_data: await marketData(from, row, query.sparkline) }),
    last_updated: withMs(row.last_updated),
    ...(query.tickers && { tickers: (await tickersOf(from, row)).slice(0, MOST_TICKERS) }),
  }
}

type MarketOf = z.infer<typeof ExchangeMarket>

/** Returns a market as a ticker; what is not known of it is null. */
function tickerOf(
  from: OpenPublication,
  row: MarketOf & Partial<Market> & Pick<Market, 'exchange_id' | 'exchange_name'>,
) {
  const units = [...from.units].filter(([symbol]) => ['btc', 'eth', 'usd'].includes(symbol))
  return {
    base: row.base_symbol,
    target: row.quote_symbol,
    market: { name: row.exchange_name, identifier: row.exchange_id, has_trading_incentive: false },
    last: row.price,
    volume: row.volume_24h_base ?? null,
    converted_last: inUnits(units, (unit) => priceIn(row.price_usd, unit)),
    converted_volume: inUnits(units, (unit) => amountIn(row.volume_24h_usd, unit)),
    trust_score: null,
    bid_ask_spread_percentage: row.spread_percent,
    timestamp: row.collected_at ?? null,
    last_traded_at: row.last_traded_at ?? null,
    last_fetch_at: row.collected_at ?? null,
    is_anomaly: row.is_outlier,
    is_stale: row.is_stale,
    trade_url: row.trade_url,
    token_info_url: null,
    coin_id: from.idOf(row.slug),
  }
}

export const tickersOf = async (from: OpenPublication, { slug }: MarketsRow) =>
  rowsOf(await from.document('assets/*/markets', slug)).map((row) => tickerOf(from, { ...row, slug }))

export const tickersAt = (
  from: OpenPublication,
  { exchange_id, exchange_name }: ExchangeRow,
  rows: readonly MarketOf[],
) => rows.map((row) => tickerOf(from, { ...row, exchange_id, exchange_name }))

export const exchangeMembers = (
  from: OpenPublication,
  { exchange_name, exchange_type, volume_24h_usd }: ExchangeRow,
) => ({
  name: exchange_name,
  ...unknown('year_established', 'country', 'url', 'trust_score', 'trust_score_rank'),
  image: null,
  has_trading_incentive: false,
  trade_volume_24h_btc: inBitcoin(from, volume_24h_usd),
  centralized: exchange_type !== 'dex',
})

export async function categoryMembers(from: OpenPublication, { category_id, name, ...row }: CategoryRow) {
  const top = (await from.listed('categories/*', category_id)).slice(0, 3)
  return {
    id: category_id,
    name,
    market_cap: row.market_cap_usd,
    market_cap_change_24h: row.percent_change_24h,
    content: '',
    top_3_coins_id: top.map(({ slug }) => from.idOf(slug)),
    top_3_coins: top.flatMap(({ logo_url }) => logo_url ?? []),
    volume_24h: row.volume_24h_usd,
    updated_at: from.at,
  }
}

export const moverMembers = (from: OpenPublication, row: MarketsRow) => ({
  ...coinOf(from, row),
  image: row.logo_url,
  market_cap_rank: row.market_cap_rank,
  usd: row.price_usd,
  usd_24h_vol: row.volume_24h_usd,
  usd_24h_change: row.percent_change_24h,
})
