import { McpServer } from '@modelcontextprotocol/server'
import { closest } from 'fastest-levenshtein'
import { HTTPException } from 'hono/http-exception'
import * as z from 'zod'
import type { MarketsRow } from '../core/contract/asset.ts'
import { VERSION } from '../core/contract/words.ts'
import { DAY_MS, isoOf, msOf } from '../core/contract/time.ts'
import { lastPrices, pastUnit, pricesSince, worthAt } from './past.ts'
import { refuse } from './shape.ts'
import { type OpenPublication, amountIn, changeIn, figuresIn, priceIn, documentRows } from './publication.ts'

const coin = z.string().min(1).max(80).describe('Slug, such as bitcoin, or symbol, such as BTC. Find one with search.')
const vs = z.string().max(10).default('usd').describe('Currency of the amounts, such as usd, eur or btc.')
const limit = z.int().min(1).max(50).default(10).describe('Most rows.')
const max_bytes = z.int().min(500).max(16_000).default(2000).describe('Most bytes of the answer.')

const slugOf = ({ slug }: MarketsRow): string => slug
const nearestTo = (name: string, { listings }: OpenPublication): string =>
  closest(name.toLowerCase(), listings.map(slugOf))

const listingOf = (from: OpenPublication, name: string): MarketsRow =>
  from.known(name.toLowerCase()) ??
  from.symbols.get(name.toUpperCase()) ??
  refuse(422, `There is no coin "${name}". The nearest is ${nearestTo(name, from)}; find others with search.`)

const unitOf = (from: OpenPublication, symbol: string) =>
  from.units.get(symbol.toLowerCase()) ??
  refuse(422, `There is no rate of "${symbol}". Use one of ${[...from.units.keys()].join(', ')}.`)

const briefly = ({ slug, symbol, name, market_cap_rank, price_usd, price_confidence, last_updated }: MarketsRow) => ({
  coin: slug,
  symbol,
  name,
  rank: market_cap_rank,
  price_usd,
  confidence: price_confidence,
  as_of: last_updated,
})

/** The last of the rows are left out where an answer would be too long. */
type Answer = Readonly<Record<string, unknown>> & { readonly rows?: readonly unknown[] }

const tool = <Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
  answer: (from: OpenPublication, args: z.infer<z.ZodObject<Shape>>, now: number) => Answer | Promise<Answer>,
) => ({
  description,
  inputSchema: z.object({ ...shape, max_bytes }),
  answer: (from: OpenPublication, args: unknown, now: number) => answer(from, z.object(shape).parse(args), now),
})

const TOOLS = {
  search: tool(
    'Finds coins by name, symbol or slug. Ask this first.',
    { query: z.string().min(1).max(100), limit },
    (from, { query, limit: most }) => {
      const text = query.trim().toLowerCase()
      const exact = (row: MarketsRow) => [row.slug, row.symbol.toLowerCase(), row.name.toLowerCase()].includes(text)
      const found = from.listings.filter(({ slug, symbol, name }) =>
        [slug, symbol, name].some((word) => word.toLowerCase().includes(text)),
      )
      if (found.length === 0) refuse(422, `Nothing is called "${query}". The nearest is ${nearestTo(text, from)}.`)
      const rows = found.toSorted((a, b) => Number(exact(b)) - Number(exact(a)))
      return { found: found.length, rows: rows.slice(0, most).map(briefly) }
    },
  ),
  price: tool(
    'Current prices of some coins with their changes, market cap and volume.',
    { coins: z.array(coin).min(1).max(20), vs },
    (from, { coins, vs: symbol }) => {
      const unit = unitOf(from, symbol)
      const rows = coins.map((name) => {
        const row = listingOf(from, name)
        const { current_price, market_cap, total_volume, price_change_percentage_24h } = figuresIn(row, unit)
        return {
          coin: row.slug,
          price: current_price,
          percent_change_24h: price_change_percentage_24h,
          percent_change_7d: changeIn(row.percent_change_7d, unit.percent_change_7d),
          market_cap,
          volume_24h: total_volume,
          rank: row.market_cap_rank,
          confidence: row.price_confidence,
          as_of: row.last_updated,
        }
      })
      return { vs: symbol.toLowerCase(), rows }
    },
  ),
  price_at: tool(
    'The last price of a coin at or before a past time.',
    { coin, time: z.string().max(40).describe('Such as 2026-03-31 or 2026-03-31T14:00:00Z, in UTC.'), vs },
    async (from, { coin: name, time, vs: symbol }, now) => {
      const row = listingOf(from, name)
      const at = msOf(time)
      if (Number.isNaN(at)) refuse(422, `"${time}" is not a time. Write it as 2026-03-31 or 2026-03-31T14:00:00Z.`)
      if (at > now) refuse(422, `${isoOf(at)} is in the future. The newest price is of ${from.at}; use price.`)
      const last = await lastPrices(from, now)(row.slug, at)
      if (last === null) {
        const [first, ...more] = await pricesSince(from, row, -Infinity, now)
        const span = first && `begin at ${isoOf(first.time)} and end at ${isoOf((more.at(-1) ?? first).time)}`
        return refuse(
          422,
          `${row.slug} has no price of the day before ${isoOf(at)}. Its prices ${span ?? 'are unknown'}.`,
        )
      }
      const unit = await worthAt(from, symbol.toLowerCase(), at, now)
      const price = unit && priceIn(last.price_usd, unit)
      return { coin: row.slug, vs: symbol.toLowerCase(), price, seen_at: last.timestamp }
    },
  ),
  history: tool(
    'Past prices of a coin, evenly spaced, the newest first.',
    { coin, days: z.number().min(1).max(10_000).default(30).describe('How far back.'), vs, limit },
    async (from, { coin: name, days, vs: symbol, limit: most }, now) => {
      const row = listingOf(from, name)
      const since = now - days * DAY_MS
      const prices = (await pricesSince(from, row, since, now)).filter(({ time }) => time >= since)
      const step = Math.max(1, Math.ceil(prices.length / most))
      const shown = prices.filter((_, place) => (prices.length - 1 - place) % step === 0)
      const unitAt = await pastUnit(from, symbol.toLowerCase(), shown, { since, now })
      const rows = shown.toReversed().map((price) => {
        const unit = unitAt(price.time)
        return [isoOf(price.time), unit && priceIn(price.price_usd, unit)]
      })
      return { coin: row.slug, vs: symbol.toLowerCase(), known: prices.length, columns: ['seen_at', 'price'], rows }
    },
  ),
  coin: tool(
    'What a coin is: description, links, contracts, supply and highest price.',
    { coin },
    async (from, { coin: name }) => {
      const row = listingOf(from, name)
      const { description = null, links = null } = (await from.document('asset', { slug: row.slug }))?.asset ?? {}
      return {
        ...briefly(row),
        description: description?.slice(0, 400) ?? null,
        website: links?.website ?? null,
        tags: row.tags.slice(0, 8),
        circulating_supply: row.circulating_supply,
        max_supply: row.max_supply,
        highest_usd: row.ath_usd,
        highest_on: row.ath_date,
        verification: row.verification_status,
        flag: row.market_flag,
        rows: row.contracts.map(({ chain, address }) => ({ chain, address })),
      }
    },
  ),
  markets: tool(
    'Where a coin trades: exchange markets by volume, and which of them its price is made of.',
    { coin, limit },
    async (from, { coin: name, limit: most }) => {
      const row = listingOf(from, name)
      const [markets, exchanges] = await Promise.all([
        from.document('assetMarkets', { slug: row.slug }),
        from.document('exchanges'),
      ])
      // Exchanges whose terms forbid that their data is handed on.
      const withheld = documentRows(exchanges).filter(({ rights }) => rights.class === 'no_redistribution')
      const open = documentRows(markets).filter((row) => withheld.every((one) => one.exchange_id !== row.exchange_id))
      const rows = open.slice(0, most).map((market) => ({
        exchange: market.exchange_id,
        pair: market.pair,
        price_usd: market.price_usd,
        volume_24h_usd: market.volume_24h_usd,
        spread_percent: market.spread_percent,
        used_in_price: market.used_in_price,
        as_of: market.collected_at,
      }))
      return { coin: row.slug, price_usd: row.price_usd, markets: open.length, rows }
    },
  ),
  market: tool(
    'The whole market: totals, dominance, and the coins that rose, fell, are trending or are the largest.',
    { list: z.enum(['gainers', 'losers', 'trending', 'top']).default('top'), vs, limit },
    async (from, { list, vs: symbol, limit: most }) => {
      const unit = unitOf(from, symbol)
      const { global } = (await from.document('global')) ?? {}
      const { market_cap_usd = null, volume_24h_usd = null, percent_change_24h = null } = global ?? {}
      const listed = list === 'top' ? from.listings : await from.listed(list)
      return {
        vs: symbol.toLowerCase(),
        market_cap: amountIn(market_cap_usd, unit),
        volume_24h: amountIn(volume_24h_usd, unit),
        percent_change_24h: changeIn(percent_change_24h, unit.percent_change_24h),
        list,
        rows: listed.slice(0, most).map((row) => ({
          coin: row.slug,
          price: priceIn(row.price_usd, unit),
          percent_change_24h: changeIn(row.percent_change_24h, unit.percent_change_24h),
          confidence: row.price_confidence,
          as_of: row.last_updated,
        })),
      }
    },
  ),
  sources: tool('How fresh the data is, and which sources answer.', {}, async (from) => {
    const rows = documentRows(await from.document('collector'))
    return {
      sources: rows.length,
      answering: rows.filter(({ error }) => error === null).length,
      rows: rows.map(({ source_id, status, error, rights }) => ({
        source: source_id,
        status,
        error: error?.message.slice(0, 120) ?? null,
        rights: rights.class,
      })),
    }
  }),
}

/** Returns an answer as text of a number of bytes at most, which says how many rows it leaves out. */
function textOf({ rows = [], ...head }: Answer, published_at: string, most: number): string {
  for (let count = rows.length; ; count--) {
    const own = rows.length > 0 ? { rows: rows.slice(0, count) } : {}
    const left = rows.length - count
    const more = left > 0 ? { left_out: left, more: 'Ask for fewer rows, or raise max_bytes.' } : {}
    const text = JSON.stringify({ ...head, ...own, ...more, published_at })
    if (count === 0 || new TextEncoder().encode(text).length <= most) return text
  }
}

/** Returns a server of the Model Context Protocol over the published documents. It answers what a tool refuses as its error. */
export function mcpServer(open: () => Promise<OpenPublication | null>, now: () => number): McpServer {
  const server = new McpServer(
    { name: 'quotetree', version: VERSION },
    { instructions: 'Crypto prices with time and confidence. Begin with search. Unknown figures are null.' },
  )
  const annotations = { readOnlyHint: true, openWorldHint: false }
  for (const [name, { answer, ...described }] of Object.entries(TOOLS))
    server.registerTool(name, { ...described, annotations }, async (args) => {
      try {
        const from = (await open()) ?? refuse(422, 'Nothing has been published yet. Ask again later.')
        const text = textOf(await answer(from, args, now()), from.at, args.max_bytes)
        return { content: [{ type: 'text', text }] }
      } catch (error) {
        if (error instanceof HTTPException) throw error
        // The message of a fault may name a file of this host.
        throw new Error('This could not be answered. Ask again later.', { cause: error })
      }
    })
  return server
}
