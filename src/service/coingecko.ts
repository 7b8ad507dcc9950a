import { ascending, descending, group, sort } from 'd3-array'
import * as z from 'zod'
import type { Asset, MarketsRow } from '../core/contract/asset.ts'
import type { Currency } from '../core/contract/conversion.ts'
import { FIAT_NAMES } from '../core/contract/fiat.ts'
import type { Market } from '../core/contract/market.ts'
import { foldedAddress } from '../core/contract/names.ts'
import { byKey } from '../core/contract/order.ts'
import { DAY_MS, dayIn, dayOf, msOf } from '../core/contract/time.ts'
import type { ExchangeMarket, ExchangeRow } from '../core/contract/whole-market.ts'
import { Day, Slug } from '../core/contract/words.ts'
import { documents } from '../core/endpoints/table.ts'
import { candlesOf, documentBars, lastPrices, pastUnit, pricesSince } from './past.ts'
import type { DocumentName, OpenPublication, Unit } from './publication.ts'
import { amountIn, changeIn, changeFrom, documentRows, figuresIn, priceIn } from './publication.ts'
import type { Call, ParsedQuery, Shape } from './shape.ts'
import { asError, booleanOf, integer, lowerNames, names, refuse, route } from './shape.ts'

/** Members that the imitated API has and this one does not know. */
const unknown = (...members: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(members.map((name) => [name, null]))

const inUnits = <Of, T>(units: Iterable<readonly [string, Of]>, figure: (unit: Of) => T) =>
  Object.fromEntries(Array.from(units, ([symbol, unit]) => [symbol, figure(unit)]))

const rounded = (value: number | null, precision: string): number | null =>
  value === null || precision === 'full' ? value : Number(value.toFixed(Number(precision)))

const seconds = (timestamp: string | null): number | null => (timestamp === null ? null : Date.parse(timestamp) / 1000)
const withMs = (timestamp: string | null): string | null => timestamp && timestamp.replace('Z', '.000Z')

const image = (logo: string | null) => ({ thumb: logo, small: logo, large: logo })

const inBitcoin = (from: OpenPublication, amount_usd: number | null): number | null => {
  const unit = from.units.get('btc')
  return unit ? amountIn(amount_usd, unit) : null
}

const coinOf = (from: OpenPublication, { slug, symbol, name }: MarketsRow) => ({
  id: from.idOf(slug),
  symbol: symbol.toLowerCase(),
  name,
})

const foundCoin = (from: OpenPublication, { slug, symbol, name, market_cap_rank, logo_url }: MarketsRow) => ({
  id: from.idOf(slug),
  symbol,
  name,
  market_cap_rank,
  ...image(logo_url),
})

const marketOf = ({ market_cap_rank, circulating_supply, total_supply, max_supply, last_updated }: MarketsRow) => ({
  market_cap_rank,
  ...unknown('market_cap_change_24h', 'market_cap_change_percentage_24h'),
  circulating_supply,
  total_supply,
  max_supply,
  last_updated: withMs(last_updated),
})

/** Returns the function that gives the figures of some listings, the highest price ever in the money of its day; null in a coin. */
async function figuresOf(from: OpenPublication, rows: readonly MarketsRow[]) {
  const rates = await from.ratesOf(rows.flatMap(({ ath_date }) => (ath_date === null ? [] : [dayIn(ath_date)])))
  return (row: MarketsRow, unit: Unit) => {
    const figures = figuresIn(row, unit)
    const { current_price: now } = figures
    const rate = row.ath_date === null || unit.slug !== null ? undefined : rates(dayIn(row.ath_date)).get(unit.symbol)
    const ath = rate === undefined ? null : priceIn(row.ath_usd, rate)
    return {
      ...figures,
      ath,
      ath_change_percentage: ath !== null && now !== null ? Number(((now / ath - 1) * 100).toFixed(5)) : null,
      ath_date: ath === null ? null : withMs(row.ath_date),
    }
  }
}

/** Changes that are known of a row; those over other times are not published. */
const CHANGES: Readonly<Record<string, (row: MarketsRow, unit: Unit) => number | null>> = {
  '1h': (row, unit) => (unit.symbol === 'USD' ? row.percent_change_1h : null),
  '24h': (row, unit) => changeIn(row.percent_change_24h, unit.percent_change_24h),
  '7d': (row, unit) => changeIn(row.percent_change_7d, unit.percent_change_7d),
}

const IN_UNITS = [
  ...(['current_price', 'market_cap', 'fully_diluted_valuation', 'total_volume', 'high_24h', 'low_24h'] as const),
  ...(['ath', 'ath_change_percentage', 'ath_date'] as const),
] as const

async function marketData(from: OpenPublication, row: MarketsRow, withSparkline: boolean) {
  const figures = await figuresOf(from, [row])
  const units = Array.from(from.units, ([symbol, unit]) => [symbol, figures(row, unit)] as const)
  return {
    ...Object.fromEntries(IN_UNITS.map((name) => [name, inUnits(units, (own) => own[name])])),
    ...marketOf(row),
    price_change_24h: changeFrom(row.price_usd, row.percent_change_24h),
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

const platformsOf = (contracts: MarketsRow['contracts']) =>
  Object.fromEntries(contracts.map(({ chain, address }) => [chain, address]))

/** Most markets of a coin or an exchange beside it, as in the imitated API. */
const MOST_TICKERS = 100

async function coinMembers(from: OpenPublication, row: MarketsRow, query: ParsedQuery<typeof COIN>['query']) {
  const profile = await from.document('asset', { slug: row.slug })
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

function tickerOf(
  from: OpenPublication,
  row: z.infer<typeof ExchangeMarket> & Partial<Market>,
  { exchange_id, exchange_name }: Pick<Market, 'exchange_id' | 'exchange_name'>,
) {
  const units = [...from.units].filter(([symbol]) => ['btc', 'eth', 'usd'].includes(symbol))
  return {
    base: row.base_symbol,
    target: row.quote_symbol,
    market: { name: exchange_name, identifier: exchange_id, has_trading_incentive: false },
    last: row.price,
    volume: row.volume_24h_base ?? null,
    converted_last: inUnits(units, (unit) => priceIn(row.price_usd, unit)),
    converted_volume: inUnits(units, (unit) => amountIn(row.volume_24h_usd, unit)),
    ...unknown('trust_score', 'token_info_url'),
    bid_ask_spread_percentage: row.spread_percent,
    timestamp: row.collected_at ?? null,
    last_traded_at: row.last_traded_at ?? null,
    last_fetch_at: row.collected_at ?? null,
    is_anomaly: row.is_outlier,
    is_stale: row.is_stale,
    trade_url: row.trade_url,
    coin_id: from.idOf(row.slug),
  }
}

const tickersOf = async (from: OpenPublication, { slug }: MarketsRow) =>
  documentRows(await from.document('assetMarkets', { slug })).map((row) => tickerOf(from, { ...row, slug }, row))

const exchangeMembers = (from: OpenPublication, row: ExchangeRow) => ({
  id: row.exchange_id,
  name: row.exchange_name,
  ...unknown('year_established', 'country', 'url', 'image', 'trust_score', 'trust_score_rank'),
  has_trading_incentive: false,
  trade_volume_24h_btc: inBitcoin(from, row.volume_24h_usd),
  centralized: row.exchange_type !== 'dex',
})

const MOST_MOVERS = 30
const MOST_TRENDING = 15
const MOST_FOUND = 25
/** Former slugs that one request looks for: each takes a read, and some hosts count reads. */
const MOST_FORMER = 20

const listingOf = async (from: OpenPublication, id: string): Promise<MarketsRow> =>
  (await from.listing(id)) ?? refuse(404, 'coin not found')

async function named<Of extends DocumentName>(from: OpenPublication, of: Of, name: string) {
  const [, group = '', parameter = ''] = documents[of].path.split(/\/:?/)
  const found = Slug.safeParse(name).success ? await from.document(of, { [parameter]: name }) : null
  return found ?? refuse(404, `${group} not found`)
}

async function listingAt({ from, part }: Call): Promise<MarketsRow> {
  const { rows } = await named(from, 'chainContracts', part('platform'))
  const address = foldedAddress(part('address'))
  return listingOf(from, rows.find((one) => one.address === address)?.slug ?? '')
}

const unitOf = (from: OpenPublication, name: string): Unit => from.units.get(name) ?? refuse(400, 'invalid vs_currency')

const precision = z.stringFormat('precision', /^(full|\d|1[0-8])$/).default('full')
const currency = z.string().transform((text) => text.toLowerCase())
const days = z
  .string()
  .regex(/^(max|\d{1,5}(\.\d+)?)$/, 'must be a number of days or max')
  .transform((text) => (text === 'max' ? Infinity : Number(text)))

/** A `yyyy-mm-dd`, or `dd-mm-yyyy` as clients of earlier years have it, as its start in ms since 1970. */
const date = z
  .string()
  .transform((text) => (/^\d\d-/.test(text) ? text.split('-').toReversed().join('-') : text))
  .pipe(Day)
  .transform((day) => Date.parse(day))

/** Seconds since 1970, or an ISO date with or without a time in UTC, as ms since 1970. */
const moment = z
  .union([z.stringFormat('seconds', /^\d{1,11}(\.\d+)?$/), z.iso.date(), z.iso.datetime({ local: true })], {
    error: 'must be seconds since 1970, or an ISO date',
  })
  .transform((text) => (/^[\d.]+$/.test(text) ? Number(text) * 1000 : msOf(text)))

const SIMPLE = {
  vs_currencies: lowerNames,
  include_market_cap: booleanOf(),
  include_24hr_vol: booleanOf(),
  include_24hr_change: booleanOf(),
  include_last_updated_at: booleanOf(),
  precision,
}

function simplePrice(from: OpenPublication, row: MarketsRow, query: ParsedQuery<typeof SIMPLE>['query']) {
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

const CHOSEN = {
  ids: names.optional(),
  names: lowerNames.optional(),
  symbols: lowerNames.optional(),
  include_tokens: z.enum(['top', 'all']).default('top'),
}

async function chosen(from: OpenPublication, query: ParsedQuery<typeof CHOSEN>['query']) {
  const { ids, names: named, symbols, include_tokens } = query
  if ((ids ?? named ?? symbols) === undefined) return null
  const found = new Map<string, MarketsRow>()
  let reads = MOST_FORMER
  for (const id of ids ?? []) {
    const row = from.known(id) ?? (reads-- > 0 ? await from.listing(id) : null)
    if (row) found.set(id, row)
  }
  const sharing = (texts: readonly string[] = [], member: 'name' | 'symbol') => {
    const rows = group(texts.length > 0 ? from.listings : [], (row) => row[member].toLowerCase())
    return texts.flatMap((text) => (rows.get(text) ?? []).slice(0, include_tokens === 'all' ? Infinity : 1))
  }
  for (const row of [...sharing(named, 'name'), ...sharing(symbols, 'symbol')]) found.set(from.idOf(row.slug), row)
  return found
}

/** Sorts rows as `order` says, unknown figures last. The rows come by rank. */
function ordered(from: OpenPublication, rows: readonly MarketsRow[], order: string): readonly MarketsRow[] {
  if (order === 'market_cap_desc') return rows
  const compare = order.endsWith('_asc') ? ascending : descending
  const keyOf = ({ slug, market_cap_usd, volume_24h_usd }: MarketsRow) =>
    order.startsWith('id')
      ? from.idOf(slug)
      : ((order.startsWith('volume') ? volume_24h_usd : market_cap_usd) ?? undefined)
  return sort(rows, (a, b) => compare(keyOf(a), keyOf(b)))
}

const PAGE = {
  per_page: integer.refine((rows) => rows >= 1 && rows <= 250, 'must be 1 to 250').default(100),
  page: integer.refine((page) => page >= 1, 'must be 1 or more').default(1),
}

const onPage = <Row>(rows: readonly Row[], { per_page, page }: ParsedQuery<typeof PAGE>['query']) =>
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
  sparkline: booleanOf(),
  price_change_percentage: lowerNames
    .pipe(z.array(z.enum(['1h', '24h', '7d', '14d', '30d', '200d', '1y'])))
    .default([]),
  precision,
}

const MONEY = { vs_currency: currency, precision }
const CHART = { ...MONEY, days }
const CHART_RANGE = { ...MONEY, from: moment, to: moment }
const MOVERS = { vs_currency: currency.default('usd'), duration: z.literal('24h').default('24h') }
const TOTALS = { vs_currency: currency.default('usd'), days: days.default(Infinity) }
const COIN = { tickers: booleanOf(true), market_data: booleanOf(true), sparkline: booleanOf() }

async function chart({ from, query, now }: ParsedQuery<typeof MONEY>, row: MarketsRow, since: number, until = now) {
  const all = await pricesSince(from, row, since, now)
  const unitAt = await pastUnit(from, query.vs_currency, all, { since, now })
  const points = all.flatMap((point) => {
    const unit = point.time >= since && point.time <= until ? unitAt(point.time) : null
    return unit === null ? [] : [{ unit, ...point }]
  })
  return {
    prices: points.map(({ time, price_usd, unit }) => [time, rounded(priceIn(price_usd, unit), query.precision)]),
    market_caps: points.map(({ time }) => [time, null]),
    total_volumes: points.map(({ time, volume_24h_usd, unit }) => [time, amountIn(volume_24h_usd, unit)]),
  }
}

const routesOfCoin = (path: string, listing: (call: Call) => Promise<MarketsRow>) => [
  route(path, COIN, async (asked) => coinMembers(asked.from, await listing(asked), asked.query)),
  route(`${path}/market_chart`, CHART, async (asked) =>
    chart(asked, await listing(asked), asked.now - asked.query.days * DAY_MS),
  ),
  route(`${path}/market_chart/range`, CHART_RANGE, async (asked) => {
    const row = await listing(asked)
    const { from, to } = asked.query
    if (from > to) refuse(422, 'from must not be after to')
    return chart(asked, row, from, to)
  }),
]

async function figuresAt(from: OpenPublication, slug: string, start: number, now: number) {
  const day = dayOf(start - DAY_MS)
  const lastOf = lastPrices(from, now)
  const own = await lastOf(slug, start)
  if (own === null) return null
  const closes = documentRows(await from.document('closesOfDay', { day }))
  const { market_cap_usd = null, volume_24h_usd = null } = closes.find((row) => row.slug === slug) ?? {}
  const money = Array.from((await from.ratesOf([day]))(day), ([, rate]) => [rate.symbol.toLowerCase(), rate] as const)
  const coins = Array.from(from.units, async ([name, { symbol, slug: coin }]) => {
    const last = coin === null ? null : await lastOf(coin, start)
    return last === null ? [] : [[name, { symbol, price_usd: last.price_usd }] as const]
  })
  const units = [...new Map<string, Currency>([...money, ...(await Promise.all(coins)).flat()])].toSorted(byKey)
  return {
    current_price: inUnits(units, (unit) => priceIn(own.price_usd, unit)),
    market_cap: inUnits(units, (unit) => amountIn(market_cap_usd, unit)),
    total_volume: inUnits(units, (unit) => amountIn(volume_24h_usd, unit)),
  }
}

/** What is found by something else than an id comes before coins by id, whose addresses would match it. */
const routes = [
  route('/asset_platforms', {}, async ({ from }) =>
    documentRows(await from.document('chains')).map(({ chain, chain_id, name, aliases }) => ({
      id: chain,
      chain_identifier: chain_id,
      name,
      shortname: aliases[0] ?? '',
      native_coin_id: null,
      image: image(null),
    })),
  ),
  route('/coins/categories', {}, async ({ from }) =>
    Promise.all(
      documentRows(await from.document('categories')).map(async ({ category_id, name, ...row }) => {
        const top = (await from.listed('category', { category: category_id })).slice(0, 3)
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
      }),
    ),
  ),
  route('/coins/categories/list', {}, async ({ from }) =>
    documentRows(await from.document('categories')).map(({ category_id, name }) => ({ category_id, name })),
  ),
  route('/coins/top_gainers_losers', MOVERS, async ({ from, query: { vs_currency: name } }) => {
    const unit = unitOf(from, name)
    const movers = async (path: 'gainers' | 'losers') =>
      (await from.listed(path)).slice(0, MOST_MOVERS).map((row) => {
        const { current_price, total_volume, price_change_percentage_24h } = figuresIn(row, unit)
        return {
          ...coinOf(from, row),
          image: row.logo_url,
          market_cap_rank: row.market_cap_rank,
          [name]: current_price,
          [`${name}_24h_vol`]: total_volume,
          [`${name}_24h_change`]: price_change_percentage_24h,
        }
      })
    return { top_gainers: await movers('gainers'), top_losers: await movers('losers') }
  }),
  route('/coins/:id/tickers', { ...PAGE, exchange_ids: names.optional() }, async ({ from, part, query }) => {
    const row = await listingOf(from, part('id'))
    const all = await tickersOf(from, row)
    const wanted = all.filter(({ market }) => query.exchange_ids?.includes(market.identifier) ?? true)
    return { name: row.name, tickers: onPage(wanted, query) }
  }),
  ...routesOfCoin('/coins/:platform/contract/:address', listingAt),
  route('/exchanges', PAGE, async ({ from, query }) =>
    onPage(documentRows(await from.document('exchanges')), query).map((row) => exchangeMembers(from, row)),
  ),
  route('/exchanges/list', {}, async ({ from }) =>
    documentRows(await from.document('exchanges')).map((row) => ({ id: row.exchange_id, name: row.exchange_name })),
  ),
  route('/exchanges/:id', {}, async ({ from, part }) => {
    const { exchange, rows } = await named(from, 'exchange', part('id'))
    return {
      ...exchangeMembers(from, exchange),
      ...unknown('facebook_url', 'reddit_url', 'telegram_url', 'twitter_handle'),
      description: '',
      coins: exchange.asset_count,
      pairs: exchange.market_count,
      tickers: rows.slice(0, MOST_TICKERS).map((row) => tickerOf(from, row, exchange)),
    }
  }),
  route('/exchanges/:id/tickers', { ...PAGE, coin_ids: names.optional() }, async ({ from, part, query }) => {
    const { exchange, rows } = await named(from, 'exchange', part('id'))
    const wanted = rows.filter(({ slug }) => query.coin_ids?.includes(from.idOf(slug)) ?? true)
    const tickers = onPage(wanted, query).map((row) => tickerOf(from, row, exchange))
    return { name: exchange.exchange_name, tickers }
  }),
  route('/search/trending', {}, async ({ from }) => ({
    coins: (await from.listed('trending')).slice(0, MOST_TRENDING).map((row, score) => ({
      item: {
        ...foundCoin(from, row),
        coin_id: null,
        slug: row.slug,
        price_btc: inBitcoin(from, row.price_usd),
        score,
        data: { price: row.price_usd, price_change_percentage_24h: { usd: row.percent_change_24h } },
      },
    })),
    nfts: [],
    categories: [],
  })),
  route('/token_lists/:platform/all.json', {}, async ({ from, part }) => {
    const { chain, rows } = await named(from, 'chainContracts', part('platform'))
    const chains = documentRows(await from.document('chains'))
    const { chain_id, name } = chains.find((row) => row.chain === chain) ?? { chain_id: null, name: chain }
    return {
      name,
      timestamp: from.at,
      version: { major: 1, minor: 0, patch: 0 },
      tokens: rows.flatMap(({ address, symbol, name: of, decimals, slug }) =>
        decimals === null
          ? []
          : [{ chainId: chain_id, address, name: of, symbol, decimals, logoURI: from.known(slug)?.logo_url ?? null }],
      ),
    }
  }),
  route('/global/market_cap_chart', TOTALS, async ({ from, query, now }) => {
    const since = now - query.days * DAY_MS
    const all = documentRows(await from.document('totals', { group: 'market' }))
    // The rate of a day is that at its end.
    const rows = all.map((row) => ({ time: Date.parse(row.day) + DAY_MS, ...row })).filter(({ time }) => time > since)
    const unitAt = await pastUnit(from, query.vs_currency, rows, { since, now })
    const series = (name: 'market_cap_usd' | 'volume_24h_usd') =>
      rows.flatMap((row) => {
        const unit = unitAt(row.time)
        return unit === null ? [] : [[Date.parse(row.day), amountIn(row[name], unit)]]
      })
    return { market_cap_chart: { market_cap: series('market_cap_usd'), volume: series('volume_24h_usd') } }
  }),
  route('/ping', {}, () => ({ gecko_says: '(V3) To the Moon!' })),
  route('/simple/price', { ...CHOSEN, ...SIMPLE }, async ({ from, query }) => {
    const rows = (await chosen(from, query)) ?? refuse(422, 'Missing parameter ids')
    return inUnits(rows, (row) => simplePrice(from, row, query))
  }),
  route('/simple/token_price/:platform', { contract_addresses: names, ...SIMPLE }, async ({ from, part, query }) => {
    const { rows } = await named(from, 'chainContracts', part('platform'))
    const slugs = new Map(rows.map(({ address, slug }) => [address, slug]))
    const found = query.contract_addresses.flatMap((address) => {
      const row = from.known(slugs.get(foldedAddress(address)) ?? '')
      return row ? [[address.toLowerCase(), simplePrice(from, row, query)]] : []
    })
    return Object.fromEntries(found)
  }),
  route('/simple/supported_vs_currencies', {}, ({ from }) => [...from.units.keys()]),
  route(
    '/coins/list',
    { include_platform: booleanOf(), status: z.enum(['active', 'inactive']).default('active') },
    ({ from, query }) =>
      (query.status === 'inactive' ? [] : from.listings).map((row) => ({
        ...coinOf(from, row),
        ...(query.include_platform && { platforms: platformsOf(row.contracts) }),
      })),
  ),
  route('/coins/markets', MARKETS, async ({ from, query }) => {
    const unit = unitOf(from, query.vs_currency)
    const wanted = await chosen(from, query)
    const inCategory = query.category === undefined ? null : await named(from, 'category', query.category)
    const kept = [wanted?.values(), inCategory?.rows].map((all) => all && new Set(Array.from(all, ({ slug }) => slug)))
    const rows = from.listings.filter(({ slug }) => kept.every((slugs) => slugs?.has(slug) ?? true))
    const shown = onPage(ordered(from, rows, query.order), query)
    const own = await figuresOf(from, shown)
    return shown.map((row) => {
      const figures = own(row, unit)
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
        ...unknown('atl', 'atl_change_percentage', 'atl_date', 'roi'),
        ...(query.sparkline && {
          sparkline_in_7d: { price: row.sparkline_7d.flatMap((value) => priceIn(value, unit) ?? []) },
        }),
        ...Object.fromEntries(changes),
      }
    })
  }),
  ...routesOfCoin('/coins/:id', ({ from, part }) => listingOf(from, part('id'))),
  route('/coins/:id/ohlc', CHART, async ({ from, part, query, now }) => {
    const all = await candlesOf(from, await listingOf(from, part('id')), query.days, now)
    const recent = all.filter(({ end }) => end >= now - query.days * DAY_MS)
    const bars = await documentBars(from, recent, query.vs_currency)
    return bars.map(({ end, prices }) => [end, ...prices.map((price) => rounded(price, query.precision))])
  }),
  route('/coins/:id/history', { date }, async ({ from, part, query, now }) => {
    const row = await listingOf(from, part('id'))
    const market_data = query.date > now ? null : await figuresAt(from, row.slug, query.date, now)
    return {
      ...coinOf(from, row),
      image: { thumb: row.logo_url, small: row.logo_url },
      ...(market_data && { last_updated: new Date(query.date).toISOString(), market_data }),
    }
  }),
  route('/exchange_rates', {}, ({ from }) => {
    const bitcoin = from.units.get('btc') ?? refuse(503, 'The rate of Bitcoin is not published')
    return {
      rates: inUnits(from.units, (unit) => ({
        name: (unit.slug && from.known(unit.slug)?.name) ?? FIAT_NAMES[unit.symbol] ?? unit.symbol,
        unit: unit.symbol,
        value: priceIn(bitcoin.price_usd, unit),
        type: unit.slug === null ? 'fiat' : 'crypto',
      })),
    }
  }),
  route('/search', { query: z.string().max(200).default('') }, async ({ from, query }) => {
    const text = query.query.trim().toLowerCase()
    const has = (...words: readonly string[]) => words.some((word) => word.toLowerCase().includes(text))
    const [exchanges, categories] = await Promise.all([from.document('exchanges'), from.document('categories')])
    return {
      coins: from.listings
        .filter(({ slug, symbol, name }) => has(from.idOf(slug), symbol, name))
        .slice(0, MOST_FOUND)
        .map((row) => ({ ...foundCoin(from, row), api_symbol: from.idOf(row.slug) })),
      exchanges: documentRows(exchanges)
        .filter(({ exchange_id, exchange_name }) => has(exchange_id, exchange_name))
        .map(({ exchange_id, exchange_name, exchange_type }) => ({
          id: exchange_id,
          name: exchange_name,
          market_type: exchange_type === 'dex' ? 'dex' : 'spot',
          ...image(null),
        })),
      icos: [],
      categories: documentRows(categories)
        .filter(({ category_id, name }) => has(category_id, name))
        .map(({ category_id, name }) => ({ id: category_id, name })),
      nfts: [],
    }
  }),
  route('/global', {}, async ({ from }) => {
    const published = (await from.document('global')) ?? refuse(503, 'The totals of the market are not published')
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

/** CoinGecko's public API, version 3 (docs.coingecko.com), answered from the published documents. */
export const coingeckoShape: Shape = { prefix: '/api/v3', routes, refused: asError }
