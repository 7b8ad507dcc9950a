import { group } from 'd3-array'
import * as z from 'zod'
import type { Asset, MarketsRow } from '../core/contract/asset.ts'
import { FIAT_NAMES } from '../core/contract/fiat.ts'
import type { Market } from '../core/contract/market.ts'
import { foldedAddress } from '../core/contract/names.ts'
import type { ExchangeMarket } from '../core/contract/whole-market.ts'
import type { Currency } from '../core/contract/conversion.ts'
import { byKey, compare } from '../core/contract/order.ts'
import { Slug } from '../core/contract/words.ts'
import { DAY_MS, INTERVAL_MS, dayIn, dayOf } from '../core/contract/time.ts'
import {
  DOCUMENTS,
  type Publication,
  type Unit,
  amountIn,
  changeIn,
  differenceOf,
  figuresIn,
  priceIn,
} from './publication.ts'
import { closesOn, moneyAt, pastUnit, pricesSince, rangeReaching } from './past.ts'
import { type ParsedQuery, Refusal, currency, flag, integer, lowerNames, names, route } from './shape.ts'

const precision = z
  .union([z.literal('full'), integer.refine((digits) => digits <= 18, 'must be full or 0 to 18')])
  .optional()
const days = z.union([
  z.literal('max').transform(() => Infinity),
  z
    .string()
    .regex(/^\d{1,5}(\.\d+)?$/, 'must be a number of days or max')
    .transform(Number),
])

const rounded = (value: number | null, digits: number | 'full' | undefined): number | null =>
  value === null || digits === undefined || digits === 'full' ? value : Number(value.toFixed(digits))

const seconds = (timestamp: string | null): number | null => (timestamp === null ? null : Date.parse(timestamp) / 1000)
const withMs = (timestamp: string | null): string | null => timestamp && timestamp.replace('Z', '.000Z')

function unitOf(from: Publication, symbol: string): Unit {
  const unit = from.units.get(symbol)
  if (!unit) throw new Refusal(400, 'invalid vs_currency')
  return unit
}

export async function listingOf(from: Publication, id: string): Promise<MarketsRow> {
  const row = await from.listing(id)
  if (row === null) throw new Refusal(404, 'coin not found')
  return row
}

export async function named<Schema extends z.ZodType>(from: Publication, schema: Schema, folder: string, id: string) {
  const found = Slug.safeParse(id).success ? await from.document(schema, `${folder}/${id}`) : null
  if (found === null) throw new Refusal(404, `${folder} not found`)
  return found
}

const SIMPLE = {
  vs_currencies: lowerNames,
  include_market_cap: flag(),
  include_24hr_vol: flag(),
  include_24hr_change: flag(),
  include_last_updated_at: flag(),
  precision,
}

/** The figures of one listing in each currency, as `simple/price` names them. Unknown currencies are left out. */
function simplePrice(from: Publication, row: MarketsRow, query: ParsedQuery<typeof SIMPLE>['query']) {
  const figures = query.vs_currencies.flatMap((symbol) => {
    const unit = from.units.get(symbol)
    if (!unit) return []
    const { current_price, market_cap, total_volume, price_change_percentage_24h } = figuresIn(row, unit)
    return [
      [symbol, rounded(current_price, query.precision)],
      ...(query.include_market_cap ? [[`${symbol}_market_cap`, market_cap]] : []),
      ...(query.include_24hr_vol ? [[`${symbol}_24h_vol`, total_volume]] : []),
      ...(query.include_24hr_change ? [[`${symbol}_24h_change`, price_change_percentage_24h]] : []),
    ]
  })
  const time = query.include_last_updated_at ? { last_updated_at: seconds(row.last_updated) } : {}
  return { ...Object.fromEntries(figures), ...time }
}

/** Former slugs that one request looks for: each takes a read, and some hosts count reads. */
const MOST_FORMER = 20

/** The listings of the ids, names and symbols of a request, by the id that was asked for. */
async function chosen(
  from: Publication,
  { ids, names: named, symbols, include_tokens }: Chosen,
): Promise<ReadonlyMap<string, MarketsRow>> {
  const found = new Map<string, MarketsRow>()
  let reads = MOST_FORMER
  for (const id of ids ?? []) {
    const row = from.known(id) ?? (reads-- > 0 ? await from.listing(id) : null)
    if (row) found.set(id, row)
  }
  for (const [wanted, member] of [
    [named, 'name'],
    [symbols, 'symbol'],
  ] as const) {
    const byText = group(wanted ? from.listings : [], (row) => row[member].toLowerCase())
    for (const text of wanted ?? []) {
      const rows = byText.get(text) ?? []
      for (const row of include_tokens === 'all' ? rows : rows.slice(0, 1)) found.set(from.idOf(row.slug), row)
    }
  }
  return found
}

const CHOSEN = {
  ids: names.optional(),
  names: lowerNames.optional(),
  symbols: lowerNames.optional(),
  include_tokens: z.enum(['top', 'all']).default('top'),
}
type Chosen = ParsedQuery<typeof CHOSEN>['query']

const isChosen = ({ ids, names: named, symbols }: Chosen): boolean => (ids ?? named ?? symbols) !== undefined

/** Sorts rows as `order` says, unknown figures last. The rows come by rank. */
function ordered(from: Publication, rows: readonly MarketsRow[], order: string): readonly MarketsRow[] {
  if (order === 'market_cap_desc') return rows
  const sign = order.endsWith('_asc') ? 1 : -1
  const keyOf = ({ slug, market_cap_usd, volume_24h_usd }: MarketsRow) =>
    order.startsWith('id') ? from.idOf(slug) : order.startsWith('volume') ? volume_24h_usd : market_cap_usd
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }))
  const isUnknown = ({ key }: (typeof keyed)[number]) => Number(key === null)
  return keyed
    .toSorted((a, b) => isUnknown(a) - isUnknown(b) || sign * compare(a.key ?? 0, b.key ?? 0))
    .map(({ row }) => row)
}

/** Changes that are known of a row; those over other times are not published. */
const CHANGES: Readonly<Record<string, (row: MarketsRow, unit: Unit) => number | null>> = {
  '1h': (row, unit) => (unit.symbol === 'USD' ? row.percent_change_1h : null),
  '24h': (row, unit) => changeIn(row.percent_change_24h, unit.percent_change_24h),
  '7d': (row, unit) => changeIn(row.percent_change_7d, unit.percent_change_7d),
}

export const coinOf = (from: Publication, { slug, symbol, name }: MarketsRow) => ({
  id: from.idOf(slug),
  symbol: symbol.toLowerCase(),
  name,
})

/** Members of every coin with its market, whatever the currency. */
const marketOf = ({ market_cap_rank, circulating_supply, total_supply, max_supply, last_updated }: MarketsRow) => ({
  market_cap_rank,
  ...unknown('market_cap_change_24h', 'market_cap_change_percentage_24h'),
  circulating_supply,
  total_supply,
  max_supply,
  last_updated: withMs(last_updated),
})

/** What money was worth on the days of the highest prices of some listings. */
const ratesOfHighest = (from: Publication, rows: readonly MarketsRow[]) =>
  from.ratesOf([...new Set(rows.flatMap(({ ath_date }) => (ath_date === null ? [] : [dayIn(ath_date)])))])

/** The highest price ever, which is known in dollars, in the money of its day; null in a coin. */
function highestOf(
  { ath_usd, ath_date, price_usd }: MarketsRow,
  unit: Unit,
  rates: Awaited<ReturnType<typeof ratesOfHighest>>,
) {
  const rate = ath_date === null || unit.slug !== null ? undefined : rates(dayIn(ath_date)).get(unit.symbol)
  const ath = rate === undefined ? null : priceIn(ath_usd, rate)
  const now = priceIn(price_usd, unit)
  return {
    ath,
    ath_change_percentage: ath !== null && now !== null ? Number(((now / ath - 1) * 100).toFixed(5)) : null,
    ath_date: ath === null ? null : withMs(ath_date),
  }
}

function marketRow(
  from: Publication,
  row: MarketsRow,
  {
    unit,
    query,
    rates,
  }: {
    readonly unit: Unit
    readonly query: ParsedQuery<typeof MARKETS>['query']
    readonly rates: Awaited<ReturnType<typeof ratesOfHighest>>
  },
) {
  const figures = figuresIn(row, unit)
  return {
    ...coinOf(from, row),
    image: row.logo_url,
    ...figures,
    current_price: rounded(figures.current_price, query.precision),
    ...marketOf(row),
    ...highestOf(row, unit, rates),
    ...unknown('atl', 'atl_change_percentage', 'atl_date', 'roi'),
    ...(query.sparkline
      ? { sparkline_in_7d: { price: row.sparkline_7d.flatMap((value) => priceIn(value, unit) ?? []) } }
      : {}),
    ...Object.fromEntries(
      query.price_change_percentage.map((name) => [
        `price_change_percentage_${name}_in_currency`,
        CHANGES[name]?.(row, unit) ?? null,
      ]),
    ),
  }
}

export const PAGE = {
  per_page: integer.refine((rows) => rows >= 1 && rows <= 250, 'must be 1 to 250').default(100),
  page: integer.refine((page) => page >= 1, 'must be 1 or more').default(1),
}

export const onPage = <Row>(rows: readonly Row[], { per_page, page }: ParsedQuery<typeof PAGE>['query']) =>
  rows.slice((page - 1) * per_page, page * per_page)

const MARKETS = {
  ...CHOSEN,
  vs_currency: currency,
  category: z.string().optional(),
  // `gecko` is what clients of earlier years call the order by market cap.
  order: z
    .stringFormat('order', /^(market_cap|volume|id|gecko)_(asc|desc)$/)
    .transform((order) => order.replace('gecko', 'market_cap'))
    .default('market_cap_desc'),
  ...PAGE,
  sparkline: flag(),
  price_change_percentage: lowerNames
    .refine(
      (all) => all.every((name) => /^(1h|24h|7d|14d|30d|200d|1y)$/.test(name)),
      'must be some of 1h,24h,7d,14d,30d,200d,1y',
    )
    .default([]),
  precision,
}

export const CHART = { vs_currency: currency, precision, days }
export const CHART_RANGE = { vs_currency: currency, precision, from: integer, to: integer }
type Charted = Pick<ParsedQuery<Pick<typeof CHART, 'vs_currency' | 'precision'>>, 'from' | 'query' | 'now'>

/** The chart of the last days. */
export const chartOf = (asked: ParsedQuery<typeof CHART>, row: MarketsRow) =>
  chart(asked, row, asked.now - asked.query.days * DAY_MS, asked.now)

/** The chart between two times. */
export function chartBetween(asked: ParsedQuery<typeof CHART_RANGE>, row: MarketsRow) {
  const { from, to } = asked.query
  if (from > to) throw new Refusal(422, 'from must not be after to')
  return chart(asked, row, from * 1000, to * 1000)
}

async function chart({ from, query, now }: Charted, row: MarketsRow, since: number, until: number) {
  const all = await pricesSince(from, row, since, now)
  const rateAt = await pastUnit(from, query.vs_currency, all, { since, now })
  const points = all.flatMap((point) => {
    const rate = point.time >= since && point.time <= until ? rateAt(point.time) : null
    return rate === null ? [] : [{ rate, ...point }]
  })
  return {
    prices: points.map(({ time, price_usd, rate }) => [time, rounded(priceIn(price_usd, rate), query.precision)]),
    market_caps: points.map(({ time }) => [time, null]),
    total_volumes: points.map(({ time, volume_24h_usd, rate }) => [time, amountIn(volume_24h_usd, rate)]),
  }
}

export const unknown = (...members: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(members.map((name) => [name, null]))

/** Every currency of a figure, by its symbol. */
export const inUnits = <Unit, T>(units: Iterable<readonly [string, Unit]>, figure: (unit: Unit) => T) =>
  Object.fromEntries(Array.from(units, ([symbol, unit]) => [symbol, figure(unit)]))

const AMOUNTS = [
  'current_price',
  'market_cap',
  'fully_diluted_valuation',
  'total_volume',
  'high_24h',
  'low_24h',
] as const

async function marketData(from: Publication, row: MarketsRow, withSparkline: boolean) {
  const rates = await ratesOfHighest(from, [row])
  const highest = Array.from(from.units, ([symbol, unit]) => [symbol, highestOf(row, unit, rates)] as const)
  const ofHighest = (name: keyof ReturnType<typeof highestOf>) => inUnits(highest, (own) => own[name])
  const figures = Array.from(from.units, ([symbol, unit]) => [symbol, figuresIn(row, unit)] as const)
  const each = (name: keyof ReturnType<typeof figuresIn>) => inUnits(figures, (own) => own[name])
  return {
    ...Object.fromEntries(AMOUNTS.map((name) => [name, each(name)])),
    ath: ofHighest('ath'),
    ath_change_percentage: ofHighest('ath_change_percentage'),
    ath_date: ofHighest('ath_date'),
    ...marketOf(row),
    price_change_24h: differenceOf(row.price_usd, row.percent_change_24h),
    price_change_percentage_24h: row.percent_change_24h,
    price_change_percentage_7d: row.percent_change_7d,
    ...unknown(...['14d', '30d', '200d', '1y'].map((name) => `price_change_percentage_${name}`)),
    price_change_percentage_1h_in_currency: { usd: row.percent_change_1h },
    price_change_percentage_24h_in_currency: each('price_change_percentage_24h'),
    price_change_percentage_7d_in_currency: inUnits(from.units, (unit) =>
      changeIn(row.percent_change_7d, unit.percent_change_7d),
    ),
    ...(withSparkline ? { sparkline_7d: { price: row.sparkline_7d.filter((value) => value !== null) } } : {}),
  }
}

export const image = (logo: string | null) => ({ thumb: logo, small: logo, large: logo })

const handleOf = (address: string | null): string | null => /\/([\w.-]+)\/?$/.exec(address ?? '')?.[1] ?? null

/** What a profile tells that no list has. */
const profileMembers = ({ contracts, tags, notice, description, links, explorers, logo_url }: Asset) => {
  const [first] = contracts
  return {
    asset_platform_id: first?.chain ?? null,
    platforms: platformsOf(contracts),
    detail_platforms: Object.fromEntries(
      contracts.map(({ chain, address, decimals }) => [chain, { decimal_place: decimals, contract_address: address }]),
    ),
    ...(first ? { contract_address: first.address } : {}),
    ...unknown('block_time_in_minutes', 'hashing_algorithm', 'country_origin', 'genesis_date'),
    ...unknown('sentiment_votes_up_percentage', 'sentiment_votes_down_percentage'),
    categories: tags,
    preview_listing: false,
    public_notice: notice,
    additional_notices: [],
    description: { en: description ?? '' },
    links: {
      homepage: links.website === null ? [] : [links.website],
      whitepaper: links.whitepaper,
      blockchain_site: explorers.map(({ url }) => url),
      official_forum_url: [],
      chat_url: links.discord === null ? [] : [links.discord],
      announcement_url: [],
      twitter_screen_name: handleOf(links.twitter),
      telegram_channel_identifier: handleOf(links.telegram),
      subreddit_url: null,
      repos_url: { github: links.source_code === null ? [] : [links.source_code], bitbucket: [] },
    },
    image: image(logo_url),
  }
}

const platformsOf = (contracts: MarketsRow['contracts']) =>
  Object.fromEntries(contracts.map(({ chain, address }) => [chain, address]))

/** Most markets and most found coins of one answer, as in the imitated API. */
const MOST_TICKERS = 100
const MOST_FOUND = 25

/** Returns a market as a ticker; what is not known of it is null. */
export function tickerOf(
  from: Publication,
  row: z.infer<typeof ExchangeMarket> & Partial<Market> & Pick<Market, 'exchange_id' | 'exchange_name'>,
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

export async function tickersOf(from: Publication, { slug }: MarketsRow, most = MOST_TICKERS) {
  const markets = await from.document(DOCUMENTS.marketsOf, `assets/${slug}/markets`)
  return (markets?.rows ?? []).slice(0, most).map((row) => tickerOf(from, { ...row, slug }))
}

/** Returns the start of a `dd-mm-yyyy` in ms since 1970; null if it is no day. */
function startOf(text: string): number | null {
  const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? []
  const time = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  // A date that does not exist, such as 31-02-2026, reads back as another one.
  return Number.isFinite(time) && dayOf(time) === `${year}-${month}-${day}` ? time : null
}

function nameOfUnit(from: Publication, { symbol, slug }: Unit): string {
  const coin = slug === null ? undefined : from.listings.find((row) => row.slug === slug)
  return coin?.name ?? FIAT_NAMES[symbol] ?? symbol
}

/** Everything that is known of a coin. */
export async function coin(from: Publication, row: MarketsRow, query: ParsedQuery<typeof COIN>['query']) {
  const profile = await from.document(DOCUMENTS.asset, `assets/${row.slug}`)
  const own = coinOf(from, row)
  return {
    ...own,
    web_slug: own.id,
    ...(profile ? profileMembers(profile.asset) : {}),
    market_cap_rank: row.market_cap_rank,
    ...(query.market_data ? { market_data: await marketData(from, row, query.sparkline) } : {}),
    last_updated: withMs(row.last_updated),
    ...(query.tickers ? { tickers: await tickersOf(from, row) } : {}),
  }
}

const LIST = { include_platform: flag(), status: z.enum(['active', 'inactive']).default('active') }
export const COIN = { tickers: flag(true), market_data: flag(true), sparkline: flag() }

/** Prices, coins and their past. */
export const coinRoutes = [
  route('/ping', {}, () => ({ gecko_says: '(V3) To the Moon!' })),
  route('/simple/price', { ...CHOSEN, ...SIMPLE }, async ({ from, query }) => {
    if (!isChosen(query)) throw new Refusal(422, 'Missing parameter ids')
    const rows = await chosen(from, query)
    return Object.fromEntries([...rows].map(([id, row]) => [id, simplePrice(from, row, query)]))
  }),
  route('/simple/token_price/:platform', { contract_addresses: names, ...SIMPLE }, async ({ from, part, query }) => {
    const chain = await named(from, DOCUMENTS.contracts, 'contracts', part('platform'))
    const slugs = new Map(chain.rows.map(({ address, slug }) => [address, slug]))
    const found = query.contract_addresses.flatMap((address) => {
      const row = from.known(slugs.get(foldedAddress(address)) ?? '')
      return row ? [[address.toLowerCase(), simplePrice(from, row, query)]] : []
    })
    return Object.fromEntries(found)
  }),
  route('/simple/supported_vs_currencies', {}, ({ from }) => [...from.units.keys()]),
  route('/coins/list', LIST, ({ from, query }) =>
    query.status === 'inactive'
      ? []
      : from.listings.map((row) => ({
          ...coinOf(from, row),
          ...(query.include_platform ? { platforms: platformsOf(row.contracts) } : {}),
        })),
  ),
  route('/coins/markets', MARKETS, async ({ from, query }) => {
    const unit = unitOf(from, query.vs_currency)
    const wanted = isChosen(query) ? new Set((await chosen(from, query)).values()) : null
    const { category } = query
    const listed = category === undefined ? null : await named(from, DOCUMENTS.slugs, 'categories', category)
    const inCategory = listed && new Set(listed.rows.map(({ slug }) => slug))
    const rows = from.listings.filter((row) => (wanted?.has(row) ?? true) && (inCategory?.has(row.slug) ?? true))
    const shown = onPage(ordered(from, rows, query.order), query)
    const rates = await ratesOfHighest(from, shown)
    return shown.map((row) => marketRow(from, row, { unit, query, rates }))
  }),
  route('/coins/:id', COIN, async ({ from, part, query }) => coin(from, await listingOf(from, part('id')), query)),
  route('/coins/:id/market_chart', CHART, async (asked) =>
    chartOf(asked, await listingOf(asked.from, asked.part('id'))),
  ),
  route('/coins/:id/market_chart/range', CHART_RANGE, async (asked) =>
    chartBetween(asked, await listingOf(asked.from, asked.part('id'))),
  ),
  route('/coins/:id/ohlc', CHART, async ({ from, part, query, now }) => {
    const { slug } = await listingOf(from, part('id'))
    if ((from.units.get(query.vs_currency)?.slug ?? null) !== null)
      throw new Refusal(422, 'Candles are published in money of countries, such as usd')
    const candles = await from.document(DOCUMENTS.candles, `candles/${slug}/days=${rangeReaching(query.days)}`)
    const width = candles ? INTERVAL_MS[candles.interval] : 0
    const rows = (candles?.rows ?? [])
      .map((row) => ({ ...row, end: Date.parse(row.timestamp) + width }))
      .filter(({ end }) => end >= now - query.days * DAY_MS)
    const rateAt = await moneyAt(
      from,
      query.vs_currency,
      rows.map(({ end }) => end),
    )
    return rows.flatMap((row) => {
      const unit = rateAt(row.end)
      const bar = [row.open_usd, row.high_usd, row.low_usd, row.close_usd]
      return unit === null ? [] : [[row.end, ...bar.map((price) => rounded(priceIn(price, unit), query.precision))]]
    })
  }),
  route('/coins/:id/history', { date: z.string() }, async ({ from, part, query, now }) => {
    const row = await listingOf(from, part('id'))
    const start = startOf(query.date)
    if (start === null) throw new Refusal(422, 'Invalid parameter date: must be dd-mm-yyyy')
    const day = dayOf(start - DAY_MS)
    const closeOf = closesOn(from, day)
    const own = start > now ? null : await closeOf(row.slug)
    // The money of that day: countries' by its rate, and coins by their close of the day.
    const coins = await Promise.all(
      [...from.units].map(async ([symbol, unit]) => {
        const close = own === null || unit.slug === null ? null : await closeOf(unit.slug)
        return close === null ? [] : [[symbol, { symbol: unit.symbol, price_usd: close.close_usd }] as const]
      }),
    )
    const rates = (await from.ratesOf([day]))(day)
    const money = [...rates.values()].map((rate) => [rate.symbol.toLowerCase(), rate] as const)
    const units = [...new Map<string, Currency>([...money, ...coins.flat()])].toSorted(byKey)
    return {
      ...coinOf(from, row),
      image: { thumb: row.logo_url, small: row.logo_url },
      ...(own && {
        last_updated: new Date(start).toISOString(),
        market_data: {
          current_price: inUnits(units, (unit) => priceIn(own.close_usd, unit)),
          market_cap: inUnits(units, (unit) => amountIn(own.market_cap_usd, unit)),
          total_volume: inUnits(units, (unit) => amountIn(own.volume_24h_usd, unit)),
        },
      }),
    }
  }),
  route('/exchange_rates', {}, ({ from }) => {
    const btc = from.units.get('btc')
    if (!btc) throw new Refusal(503, 'The rate of Bitcoin is not published')
    return {
      rates: inUnits(from.units, (unit) => ({
        name: nameOfUnit(from, unit),
        unit: unit.symbol,
        value: priceIn(btc.price_usd, unit),
        type: unit.slug === null ? 'fiat' : 'crypto',
      })),
    }
  }),
  route('/search', { query: z.string().max(200).default('') }, async ({ from, query }) => {
    const text = query.query.trim().toLowerCase()
    const has = (...words: readonly string[]) => words.some((word) => word.toLowerCase().includes(text))
    const [exchanges, categories] = await Promise.all([
      from.document(DOCUMENTS.exchanges, 'exchanges'),
      from.document(DOCUMENTS.categories, 'categories'),
    ])
    return {
      coins: from.listings
        .filter(({ slug, symbol, name }) => has(from.idOf(slug), symbol, name))
        .slice(0, MOST_FOUND)
        .map(({ slug, symbol, name, market_cap_rank, logo_url }) => ({
          id: from.idOf(slug),
          name,
          api_symbol: from.idOf(slug),
          symbol,
          market_cap_rank,
          ...image(logo_url),
        })),
      exchanges: (exchanges?.rows ?? [])
        .filter(({ exchange_id, exchange_name }) => has(exchange_id, exchange_name))
        .map(({ exchange_id, exchange_name, exchange_type }) => ({
          id: exchange_id,
          name: exchange_name,
          market_type: exchange_type === 'dex' ? 'dex' : 'spot',
          ...image(null),
        })),
      icos: [],
      categories: (categories?.rows ?? [])
        .filter(({ category_id, name }) => has(category_id, name))
        .map(({ category_id, name }) => ({ id: category_id, name })),
      nfts: [],
    }
  }),
  route('/global', {}, async ({ from }) => {
    const published = await from.document(DOCUMENTS.global, 'global')
    if (published === null) throw new Refusal(503, 'The totals of the market are not published')
    const { listings, venues, market_cap_usd, volume_24h_usd, dominance, percent_change_24h } = published.global
    return {
      data: {
        active_cryptocurrencies: listings,
        ...unknown('upcoming_icos', 'ongoing_icos', 'ended_icos'),
        markets: venues,
        total_market_cap: inUnits(from.units, (unit) => amountIn(market_cap_usd, unit)),
        total_volume: inUnits(from.units, (unit) => amountIn(volume_24h_usd, unit)),
        market_cap_percentage: Object.fromEntries(
          dominance.map(({ symbol, percent }) => [symbol.toLowerCase(), percent]),
        ),
        market_cap_change_percentage_24h_usd: percent_change_24h,
        updated_at: seconds(published.timestamp),
      },
    }
  }),
]
