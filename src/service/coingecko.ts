import { group } from 'd3-array'
import * as z from 'zod'
import type { MarketsRow } from '../core/contract/asset.ts'
import type { Currency } from '../core/contract/conversion.ts'
import { FIAT_NAMES } from '../core/contract/fiat.ts'
import { foldedAddress } from '../core/contract/names.ts'
import { byKey, compare } from '../core/contract/order.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { Slug } from '../core/contract/words.ts'
import {
  MOST_TICKERS,
  categoryMembers,
  coinMembers,
  coinOf,
  exchangeMembers,
  image,
  inBitcoin,
  inUnits,
  marketRows,
  moverMembers,
  platformsOf,
  rounded,
  seconds,
  tickersAt,
  tickersOf,
  unknown,
} from './coingecko-members.ts'
import { documentBars, candlesOf, closesOn, pastUnit, pricesSince } from './past.ts'
import { type OpenPublication, amountIn, figuresIn, priceIn, rowsOf } from './publication.ts'
import {
  type Call,
  type ParsedQuery,
  ShapeRefusal,
  type Shape,
  asError,
  flag,
  integer,
  lowerNames,
  names,
  route,
} from './shape.ts'

const MOST_MOVERS = 30
const MOST_TRENDING = 15
const MOST_FOUND = 25
/** Former slugs that one request looks for: each takes a read, and some hosts count reads. */
const MOST_FORMER = 20

async function listingOf({ from, part }: Call): Promise<MarketsRow> {
  const row = await from.listing(part('id'))
  if (row === null) throw new ShapeRefusal(404, 'coin not found')
  return row
}

async function named<Path extends 'categories/*' | 'contracts/*' | 'exchanges/*'>(
  from: OpenPublication,
  path: Path,
  name: string,
) {
  const found = Slug.safeParse(name).success ? await from.document(path, name) : null
  if (found === null) throw new ShapeRefusal(404, `${path.slice(0, -2)} not found`)
  return found
}

/** Returns the listing of a contract. @throws ShapeRefusal of a chain or a contract that no listing has */
async function listingAt({ from, part, ...call }: Call): Promise<MarketsRow> {
  const { rows } = await named(from, 'contracts/*', part('platform'))
  const address = foldedAddress(part('address'))
  const slug = rows.find((one) => one.address === address)?.slug ?? ''
  return listingOf({ ...call, from, part: () => slug })
}

const precision = z
  .union([z.literal('full'), integer.refine((digits) => digits <= 18, 'must be full or 0 to 18')])
  .optional()
const currency = z.string().transform((text) => text.toLowerCase())
const DAYS = /^\d{1,5}(\.\d+)?$/
const days = z.union([
  z.literal('max').transform(() => Infinity),
  z.string().regex(DAYS, 'must be a number of days or max').transform(Number),
])

const SIMPLE = {
  vs_currencies: lowerNames,
  include_market_cap: flag(),
  include_24hr_vol: flag(),
  include_24hr_change: flag(),
  include_last_updated_at: flag(),
  precision,
}

/** The figures of one listing in each currency, as `simple/price` names them. Unknown currencies are left out. */
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

async function chosen(
  from: OpenPublication,
  { ids, names: named, symbols, include_tokens }: ParsedQuery<typeof CHOSEN>['query'],
): Promise<ReadonlyMap<string, MarketsRow> | null> {
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
  const sign = order.endsWith('_asc') ? 1 : -1
  const keyOf = ({ slug, market_cap_usd, volume_24h_usd }: MarketsRow) =>
    order.startsWith('id') ? from.idOf(slug) : order.startsWith('volume') ? volume_24h_usd : market_cap_usd
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }))
  const isUnknown = ({ key }: (typeof keyed)[number]) => Number(key === null)
  return keyed
    .toSorted((a, b) => isUnknown(a) - isUnknown(b) || sign * compare(a.key ?? 0, b.key ?? 0))
    .map(({ row }) => row)
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
  sparkline: flag(),
  price_change_percentage: lowerNames
    .refine(
      (all) => all.every((name) => /^(1h|24h|7d|14d|30d|200d|1y)$/.test(name)),
      'must be some of 1h,24h,7d,14d,30d,200d,1y',
    )
    .default([]),
  precision,
}

const CHART = { vs_currency: currency, precision, days }
const CHART_RANGE = { vs_currency: currency, precision, from: integer, to: integer }
const COIN = { tickers: flag(true), market_data: flag(true), sparkline: flag() }

async function chart(
  { from, query, now }: Pick<ParsedQuery<Pick<typeof CHART, 'vs_currency' | 'precision'>>, 'from' | 'query' | 'now'>,
  row: MarketsRow,
  since: number,
  until = now,
) {
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
    if (from > to) throw new ShapeRefusal(422, 'from must not be after to')
    return chart(asked, row, from * 1000, to * 1000)
  }),
]

/** Returns the start of a `dd-mm-yyyy` in ms since 1970. @throws ShapeRefusal if it is no day */
function startOf(text: string): number {
  const [, day, month, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text) ?? []
  const time = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  // A date that does not exist, such as 31-02-2026, reads back as another one.
  if (Number.isFinite(time) && dayOf(time) === `${year}-${month}-${day}`) return time
  throw new ShapeRefusal(422, 'Invalid parameter date: must be dd-mm-yyyy')
}

async function figuresAt(from: OpenPublication, slug: string, start: number) {
  const day = dayOf(start - DAY_MS)
  const closeOf = closesOn(from, day)
  const own = await closeOf(slug)
  if (own === null) return null
  const rates = (await from.ratesOf([day]))(day)
  const money = Array.from(rates.values(), (rate) => [rate.symbol.toLowerCase(), rate] as const)
  const coins = await Promise.all(
    Array.from(from.units, async ([name, { symbol, slug: coin }]) => {
      const close = coin === null ? null : await closeOf(coin)
      return close === null ? [] : [[name, { symbol, price_usd: close.close_usd }] as const]
    }),
  )
  const units = [...new Map<string, Currency>([...money, ...coins.flat()])].toSorted(byKey)
  return {
    current_price: inUnits(units, (unit) => priceIn(own.close_usd, unit)),
    market_cap: inUnits(units, (unit) => amountIn(own.market_cap_usd, unit)),
    total_volume: inUnits(units, (unit) => amountIn(own.volume_24h_usd, unit)),
  }
}

/** Lists, and what is found by something else than an id. Their addresses come before those of coins by id. */
const listRoutes = [
  route('/asset_platforms', {}, async ({ from }) =>
    rowsOf(await from.document('contracts')).map(({ chain, chain_id, name, aliases }) => ({
      id: chain,
      chain_identifier: chain_id,
      name,
      shortname: aliases[0] ?? '',
      native_coin_id: null,
      image: image(null),
    })),
  ),
  route('/coins/categories', {}, async ({ from }) =>
    Promise.all(rowsOf(await from.document('categories')).map((row) => categoryMembers(from, row))),
  ),
  route('/coins/categories/list', {}, async ({ from }) =>
    rowsOf(await from.document('categories')).map(({ category_id, name }) => ({ category_id, name })),
  ),
  route('/coins/top_gainers_losers', {}, async ({ from }) => {
    const [gainers, losers] = await Promise.all([from.listed('gainers'), from.listed('losers')])
    return {
      top_gainers: gainers.slice(0, MOST_MOVERS).map((row) => moverMembers(from, row)),
      top_losers: losers.slice(0, MOST_MOVERS).map((row) => moverMembers(from, row)),
    }
  }),
  route('/coins/:id/tickers', { ...PAGE, exchange_ids: names.optional() }, async (asked) => {
    const row = await listingOf(asked)
    const { exchange_ids, ...page } = asked.query
    const all = await tickersOf(asked.from, row)
    const wanted = all.filter(({ market }) => exchange_ids?.includes(market.identifier) ?? true)
    return { name: row.name, tickers: onPage(wanted, page) }
  }),
  ...routesOfCoin('/coins/:platform/contract/:address', listingAt),
  route('/exchanges', PAGE, async ({ from, query }) =>
    onPage(rowsOf(await from.document('exchanges')), query).map((row) => ({
      id: row.exchange_id,
      ...exchangeMembers(from, row),
    })),
  ),
  route('/exchanges/list', {}, async ({ from }) =>
    rowsOf(await from.document('exchanges')).map((row) => ({ id: row.exchange_id, name: row.exchange_name })),
  ),
  route('/exchanges/:id', {}, async ({ from, part }) => {
    const { exchange, rows } = await named(from, 'exchanges/*', part('id'))
    return {
      ...exchangeMembers(from, exchange),
      ...unknown('facebook_url', 'reddit_url', 'telegram_url', 'twitter_handle'),
      description: '',
      coins: exchange.asset_count,
      pairs: exchange.market_count,
      tickers: tickersAt(from, exchange, rows.slice(0, MOST_TICKERS)),
    }
  }),
  route('/exchanges/:id/tickers', PAGE, async ({ from, part, query }) => {
    const { exchange, rows } = await named(from, 'exchanges/*', part('id'))
    return { name: exchange.exchange_name, tickers: tickersAt(from, exchange, onPage(rows, query)) }
  }),
  route('/search/trending', {}, async ({ from }) => ({
    coins: (await from.listed('trending')).slice(0, MOST_TRENDING).map((row, score) => ({
      item: {
        ...coinOf(from, row),
        symbol: row.symbol,
        coin_id: null,
        slug: row.slug,
        market_cap_rank: row.market_cap_rank,
        ...image(row.logo_url),
        price_btc: inBitcoin(from, row.price_usd),
        score,
        data: { price: row.price_usd, price_change_percentage_24h: { usd: row.percent_change_24h } },
      },
    })),
    nfts: [],
    categories: [],
  })),
  route('/token_lists/:platform/all.json', {}, async ({ from, part }) => {
    const { chain, rows } = await named(from, 'contracts/*', part('platform'))
    const chains = rowsOf(await from.document('contracts'))
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
  route('/global/market_cap_chart', {}, async ({ from }) => {
    const rows = rowsOf(await from.document('totals/market'))
    const series = (name: 'market_cap_usd' | 'volume_24h_usd') => rows.map((row) => [Date.parse(row.day), row[name]])
    return { market_cap_chart: { market_cap: series('market_cap_usd'), volume: series('volume_24h_usd') } }
  }),
]

const coinRoutes = [
  route('/ping', {}, () => ({ gecko_says: '(V3) To the Moon!' })),
  route('/simple/price', { ...CHOSEN, ...SIMPLE }, async ({ from, query }) => {
    const rows = await chosen(from, query)
    if (rows === null) throw new ShapeRefusal(422, 'Missing parameter ids')
    return inUnits(rows, (row) => simplePrice(from, row, query))
  }),
  route('/simple/token_price/:platform', { contract_addresses: names, ...SIMPLE }, async ({ from, part, query }) => {
    const { rows } = await named(from, 'contracts/*', part('platform'))
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
    { include_platform: flag(), status: z.enum(['active', 'inactive']).default('active') },
    ({ from, query }) =>
      (query.status === 'inactive' ? [] : from.listings).map((row) => ({
        ...coinOf(from, row),
        ...(query.include_platform && { platforms: platformsOf(row.contracts) }),
      })),
  ),
  route('/coins/markets', MARKETS, async ({ from, query }) => {
    const unit = from.units.get(query.vs_currency)
    if (!unit) throw new ShapeRefusal(400, 'invalid vs_currency')
    const wanted = await chosen(from, query)
    const inCategory = query.category === undefined ? null : await named(from, 'categories/*', query.category)
    const kept = [
      wanted && new Set(Array.from(wanted.values(), ({ slug }) => slug)),
      inCategory && new Set(inCategory.rows.map(({ slug }) => slug)),
    ]
    const rows = from.listings.filter(({ slug }) => kept.every((slugs) => slugs?.has(slug) ?? true))
    return marketRows(from, onPage(ordered(from, rows, query.order), query), unit, query)
  }),
  ...routesOfCoin('/coins/:id', listingOf),
  route('/coins/:id/ohlc', CHART, async (asked) => {
    const { from, query, now } = asked
    const { slug } = await listingOf(asked)
    const bars = (await candlesOf(from, slug, query.days)).filter(({ end }) => end >= now - query.days * DAY_MS)
    return (await documentBars(from, bars, query.vs_currency)).map(({ end, open, high, low, close }) => [
      end,
      ...[open, high, low, close].map((price) => rounded(price, query.precision)),
    ])
  }),
  route('/coins/:id/history', { date: z.string() }, async (asked) => {
    const { from, query, now } = asked
    const row = await listingOf(asked)
    const start = startOf(query.date)
    const market_data = start > now ? null : await figuresAt(from, row.slug, start)
    return {
      ...coinOf(from, row),
      image: { thumb: row.logo_url, small: row.logo_url },
      ...(market_data && { last_updated: new Date(start).toISOString(), market_data }),
    }
  }),
  route('/exchange_rates', {}, ({ from }) => {
    const bitcoin = from.units.get('btc')
    if (!bitcoin) throw new ShapeRefusal(503, 'The rate of Bitcoin is not published')
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
        .map(({ slug, symbol, name, market_cap_rank, logo_url }) => ({
          id: from.idOf(slug),
          name,
          api_symbol: from.idOf(slug),
          symbol,
          market_cap_rank,
          ...image(logo_url),
        })),
      exchanges: rowsOf(exchanges)
        .filter(({ exchange_id, exchange_name }) => has(exchange_id, exchange_name))
        .map(({ exchange_id, exchange_name, exchange_type }) => ({
          id: exchange_id,
          name: exchange_name,
          market_type: exchange_type === 'dex' ? 'dex' : 'spot',
          ...image(null),
        })),
      icos: [],
      categories: rowsOf(categories)
        .filter(({ category_id, name }) => has(category_id, name))
        .map(({ category_id, name }) => ({ id: category_id, name })),
      nfts: [],
    }
  }),
  route('/global', {}, async ({ from }) => {
    const published = await from.document('global')
    if (published === null) throw new ShapeRefusal(503, 'The totals of the market are not published')
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
export const coingecko: Shape = { routes: [...listRoutes, ...coinRoutes], refused: asError }
