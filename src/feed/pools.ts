import type { DexPair } from '../contract/ecosystem.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent, roundPrice } from '../contract/numbers.ts'
import { compare } from '../contract/order.ts'
import { isoOf } from '../contract/time.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Pool } from '../sources/source.ts'
import { keepTime } from './carry.ts'
import { qualityOf } from './market-rows.ts'

/** The pools of a run, each once, in any order. Of two sources that know one pool the first in the table counts. */
export function pairsOf(
  reports: readonly Report[],
  registry: Registry,
  slugOfContract: (chain: string, address: string) => string | null,
  before: readonly DexPair[],
): DexPair[] {
  const known = new Map(before.map((pair) => [pair.pair_id, pair]))
  const pairs = new Map<string, DexPair>()
  for (const { source, pools, attemptedAt } of reports)
    for (const pool of pools) {
      const chain = registry.chainOf(source.id, pool.platform)
      if (chain === null) continue
      const origin = { chain, source_label: source.label, collected_at: isoOf(attemptedAt) }
      const found = pairOf(pool, origin, registry, slugOfContract)
      const pair = keepTime(found, known.get(found.pair_id), attemptedAt)
      if (!pairs.has(pair.pair_id)) pairs.set(pair.pair_id, pair)
    }
  return [...pairs.values()]
}

/** By liquidity, largest first. */
export const pairOrder = (a: DexPair, b: DexPair): number =>
  (b.liquidity_usd ?? -1) - (a.liquidity_usd ?? -1) || compare(a.pair_id, b.pair_id)

function pairOf(
  pool: Pool,
  { chain, source_label, collected_at }: Pick<DexPair, 'chain' | 'collected_at' | 'source_label'>,
  registry: Registry,
  slugOfContract: (chain: string, address: string) => string | null,
): DexPair {
  const [base, quote, address] = [pool.base.address, pool.quote.address, pool.pool_address].map((text) =>
    registry.normalizeAddress(chain, text),
  )
  const money = (value: number | null) => (value === null ? null : roundMoney(value))
  return {
    pair_id: `${chain}:${address}`,
    dex_id: pool.dex_id,
    dex_name: pool.dex_name,
    chain,
    pair: `${pool.base.symbol}/${pool.quote.symbol}`,
    base_symbol: pool.base.symbol,
    quote_symbol: pool.quote.symbol,
    base_asset_id: slugOfContract(chain, base ?? ''),
    base_address: base ?? '',
    quote_address: quote ?? '',
    pool_address: address ?? '',
    price_native: pool.price_native === null ? null : roundPrice(pool.price_native),
    price_usd: pool.price_usd === null ? null : roundPrice(pool.price_usd),
    percent_change_24h: pool.percent_change_24h === null ? null : roundPercent(pool.percent_change_24h),
    volume_24h_usd: money(pool.volume_24h_usd),
    liquidity_usd: money(pool.liquidity_usd),
    transactions_24h: pool.transactions_24h,
    pair_created_at: pool.created_at === null ? null : isoOf(pool.created_at),
    pair_url: pool.url,
    explorer_url: registry.poolUrl(chain, address ?? ''),
    collected_at,
    source_label,
    is_stale: false,
    is_preview: true,
  }
}

/** A pool as a market of its base asset. */
export function poolMarket(pair: DexPair): Market {
  const { price_usd, volume_24h_usd, price_native: price } = pair
  const row = {
    price_usd,
    volume_24h_usd,
    bid: null,
    ask: null,
    spread_percent: null,
    is_stale: pair.is_stale,
    is_outlier: false,
  }
  return {
    ...row,
    ...qualityOf(row),
    exchange_id: pair.dex_id,
    exchange_name: pair.dex_name,
    exchange_type: 'dex',
    pair: pair.pair,
    base_symbol: pair.base_symbol,
    quote_symbol: pair.quote_symbol,
    price,
    volume_24h_base: volume_24h_usd === null || price_usd === null ? null : roundMoney(volume_24h_usd / price_usd),
    used_in_price: false,
    weight: null,
    trade_url: pair.pair_url,
    explorer_url: pair.explorer_url,
    contract_address: pair.pool_address,
    chain: pair.chain,
    liquidity_usd: pair.liquidity_usd,
    last_traded_at: null,
    collected_at: pair.collected_at,
    source_label: pair.source_label,
    last_price: price,
    quote_usd: null,
    volume_24h_quote: null,
    unchanged_since: null,
    matched_by: 'contract',
    matched_at: null,
  }
}
