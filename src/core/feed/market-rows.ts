import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent, roundPrice } from '../contract/numbers.ts'
import { compare } from '../contract/order.ts'
import { type Ms, isoOf, HOUR_MS } from '../contract/time.ts'
import type { Quote } from '../sources/source.ts'
import { LIMITS } from './methodology.ts'
import type { Rates } from './rates.ts'

type QualityInputs = Pick<
  Market,
  'price_usd' | 'bid' | 'ask' | 'spread_percent' | 'volume_24h_usd' | 'is_stale' | 'is_outlier'
>

type Reason = keyof typeof LIMITS extends infer Name ? (Name extends `cost_${infer Word}` ? Word : never) : never

function bookReason({ bid, ask, spread_percent: spread }: QualityInputs): Reason | null {
  if (bid === null || ask === null) return 'no_order_book'
  if (bid > ask) return 'crossed_book'
  if (spread === null) return null
  if (spread > LIMITS.very_wide_spread_percent) return 'very_wide_spread'
  return spread > LIMITS.wide_spread_percent ? 'wide_spread' : null
}

function volumeReason(volume: number | null, isImplausible: boolean): Reason | null {
  if (volume === null || volume === 0) return 'no_volume'
  if (isImplausible) return 'implausible_volume'
  if (volume < LIMITS.very_thin_volume_usd) return 'very_thin_volume'
  return volume < LIMITS.thin_volume_usd ? 'thin_volume' : null
}

/** How far a market can be relied on; `isVolumeImplausible`: other venues do not make its volume plausible. */
export function qualityOf(
  market: QualityInputs,
  isVolumeImplausible = false,
): Pick<Market, 'quality' | 'quality_score' | 'quality_reasons'> {
  const { price_usd, volume_24h_usd: volume, is_stale, is_outlier } = market
  const found: readonly (Reason | null)[] = [
    price_usd === null ? 'no_price' : null,
    is_outlier ? 'outlier' : null,
    is_stale ? 'stale' : null,
    bookReason(market),
    volumeReason(volume, isVolumeImplausible),
  ]
  const quality_reasons = found.filter((reason) => reason !== null)
  const quality_score = Math.max(
    0,
    quality_reasons.reduce((score, one) => score - LIMITS[`cost_${one}`], 100),
  )
  const level = quality_score >= LIMITS.high_score ? 'high' : quality_score >= LIMITS.medium_score ? 'medium' : 'low'
  return { quality: price_usd === null ? 'unknown' : level, quality_score, quality_reasons }
}

/** The spread of a book in percent of its middle, negative where it is crossed; null without both sides. */
export const spreadOf = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? null : ((ask - bid) / ((ask + bid) / 2)) * 100

/** The last trade held within the book, in the quote currency. */
export function heldPrice({ last, bid, ask }: { last: number; bid: number | null; ask: number | null }): number {
  if (bid !== null && ask !== null && bid > ask) return last
  return Math.min(Math.max(last, bid ?? 0), ask ?? Infinity)
}

/**
 * Returns a venue's quote as a published row, before it is compared with other markets: its quality is unknown until then.
 * Prices and volumes are rounded here, so that everything computed from them can be recomputed.
 */
export function marketOf(
  quote: Quote,
  origin: { readonly id: string; readonly label: string; readonly now: Ms; readonly collected_at: string },
  { matched_by, matched_at }: Pick<Market, 'matched_by' | 'matched_at'>,
  rates: Rates,
): Market {
  const quote_usd = rates.get(quote.quote)?.price_usd ?? null
  const { last_price, bid, ask, price, price_usd, spread_percent } = bookFigures(quote, quote_usd)
  const { volume_24h_base, volume_24h_quote, volume_24h_usd } = volumesOf(quote, price, quote_usd)
  // Member by member: V8 takes fifty times as long to spread into an object as to copy it.
  return {
    exchange_id: origin.id,
    exchange_name: origin.label,
    exchange_type: 'cex',
    pair: `${quote.base}/${quote.quote}`,
    base_symbol: quote.base,
    quote_symbol: quote.quote,
    price,
    price_usd,
    bid,
    ask,
    spread_percent,
    volume_24h_base,
    volume_24h_usd,
    is_stale: isOld(quote, origin.now),
    is_outlier: false,
    used_in_price: false,
    weight: null,
    trade_url: quote.trade_url,
    explorer_url: null,
    contract_address: null,
    chain: null,
    liquidity_usd: null,
    last_traded_at: quote.traded_at === undefined ? null : isoOf(quote.traded_at),
    collected_at: origin.collected_at,
    source_label: origin.label,
    last_price,
    quote_usd,
    volume_24h_quote,
    unchanged_since: origin.collected_at,
    matched_by,
    matched_at,
    quality: 'unknown',
    quality_score: 0,
    quality_reasons: [],
  }
}

export const rounded = (value: number | null, round: (value: number) => number): number | null =>
  value === null ? null : round(value)

/** Returns the figures of a quote that follow from its last trade and its book, with those rounded. */
export function bookFigures(quote: Pick<Quote, 'last' | 'bid' | 'ask'>, rate: number | null) {
  const last_price = rounded(quote.last, roundPrice)
  const bid = rounded(quote.bid, roundPrice)
  const ask = rounded(quote.ask, roundPrice)
  const price = last_price === null ? null : heldPrice({ last: last_price, bid, ask })
  const price_usd = price === null || rate === null ? null : roundPrice(price * rate)
  const spread = spreadOf(bid, ask)
  const spread_percent = spread === null || spread < 0 ? null : roundPercent(spread)
  return { last_price, bid, ask, price, price_usd, spread_percent }
}

/** Returns the volumes of a quote in its base, its quote currency and dollars. Those that the venue does not report follow from the price. */
function volumesOf(quote: Quote, price: number | null, rate: number | null) {
  const inQuote = quote.volume_24h_quote
  const base = quote.volume_24h_base ?? (inQuote !== null && price !== null ? inQuote / price : null)
  const volume_24h_quote = rounded(inQuote ?? (base !== null && price !== null ? base * price : null), roundPrice)
  const volume_24h_usd = volume_24h_quote === null || rate === null ? null : roundMoney(volume_24h_quote * rate)
  return { volume_24h_base: rounded(base, roundMoney), volume_24h_quote, volume_24h_usd }
}

const isOld = ({ at, traded_at }: Quote, now: Ms): boolean =>
  now - Math.min(at ?? now, traded_at ?? now) > LIMITS.live_hours * HOUR_MS

/** By volume, flagged ones last; then by venue and pair, so that the order is total. */
export function marketOrder(a: Market, b: Market): number {
  return (
    Number(a.is_stale || a.is_outlier) - Number(b.is_stale || b.is_outlier) ||
    (b.volume_24h_usd ?? -1) - (a.volume_24h_usd ?? -1) ||
    compare(a.exchange_id, b.exchange_id) ||
    compare(a.pair, b.pair)
  )
}
