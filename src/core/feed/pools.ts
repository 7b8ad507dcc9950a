import type { DexPair } from '../contract/ecosystem.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent, roundPrice } from '../contract/numbers.ts'
import { compare } from '../contract/order.ts'
import { isoOf } from '../contract/time.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Pool } from '../sources/source.ts'
import { keepTime } from './carry.ts'
import { type SourceHealth, carriedBeside } from './freshness.ts'
import type { Previous } from './listing.ts'
import { qualityOf, rounded } from './market-rows.ts'

/**
 * The pools of a run, each once, and after a failure of their source those of earlier ones, marked stale: the deepest
 * first. Of two sources that know one pool the first in the table counts.
 */
export function pairsOf(
  reports: readonly Report[],
  registry: Registry,
  slugOfContract: (chain: string, address: string) => string | null,
  before: Pick<Previous, 'pairs' | 'sources'> & Pick<SourceHealth, 'isSilent' | 'now'>,
): DexPair[] {
  const known = new Map(before.pairs.map((pair) => [pair.pair_id, pair]))
  const pairs = new Map<string, DexPair>()
  const ids = new Map([...before.sources.values()].map(({ source_id, source_label }) => [source_label, source_id]))
  for (const { source, pools, attemptedAt } of reports) {
    ids.set(source.label, source.id)
    for (const pool of pools) {
      const chain = registry.chainOf(source.id, pool.platform)
      if (chain === null) continue
      const origin = { chain, source_label: source.label, collected_at: isoOf(attemptedAt) }
      const found = pairOf(pool, origin, registry, slugOfContract)
      const pair = keepTime(found, known.get(found.pair_id), attemptedAt)
      if (!pairs.has(pair.pair_id)) pairs.set(pair.pair_id, pair)
    }
  }
  const fresh = [...pairs.values()]
  const sourceOf = ({ source_label }: DexPair) => ids.get(source_label)
  const kept = carriedBeside(fresh, before.pairs, { keyOf: ({ pair_id }) => pair_id, sourceOf }, before)
  return [...fresh, ...kept.map((pair) => ({ ...pair, is_stale: true }))].toSorted(
    (a, b) => (b.liquidity_usd ?? -1) - (a.liquidity_usd ?? -1) || compare(a.pair_id, b.pair_id),
  )
}

function pairOf(
  pool: Pool,
  { chain, source_label, collected_at }: Pick<DexPair, 'chain' | 'collected_at' | 'source_label'>,
  registry: Registry,
  slugOfContract: (chain: string, address: string) => string | null,
): DexPair {
  const normal = (text: string) => registry.normalizeAddress(chain, text)
  const [base_address, pool_address] = [normal(pool.base.address), normal(pool.pool_address)]
  return {
    pair_id: `${chain}:${pool_address}`,
    dex_id: pool.dex_id,
    dex_name: pool.dex_name,
    chain,
    pair: `${pool.base.symbol}/${pool.quote.symbol}`,
    base_symbol: pool.base.symbol,
    quote_symbol: pool.quote.symbol,
    base_asset_id: slugOfContract(chain, base_address),
    base_address,
    quote_address: normal(pool.quote.address),
    pool_address,
    price_native: rounded(pool.price_native, roundPrice),
    price_usd: rounded(pool.price_usd, roundPrice),
    percent_change_24h: rounded(pool.percent_change_24h, roundPercent),
    volume_24h_usd: rounded(pool.volume_24h_usd, roundMoney),
    liquidity_usd: rounded(pool.liquidity_usd, roundMoney),
    transactions_24h: pool.transactions_24h,
    pair_created_at: pool.created_at === null ? null : isoOf(pool.created_at),
    pair_url: pool.url,
    explorer_url: registry.poolUrl(chain, pool_address),
    collected_at,
    source_label,
    is_stale: false,
    is_preview: true,
  }
}

export function poolMarket(pair: DexPair): Market {
  const { dex_id, dex_name, pool_address, pair_url, price_native: price, price_usd, volume_24h_usd } = pair
  const row = { bid: null, ask: null, spread_percent: null, is_outlier: false, ...pair }
  return {
    ...row,
    ...qualityOf(row),
    exchange_id: dex_id,
    exchange_name: dex_name,
    exchange_type: 'dex',
    price,
    volume_24h_base: volume_24h_usd === null || price_usd === null ? null : roundMoney(volume_24h_usd / price_usd),
    used_in_price: false,
    weight: null,
    trade_url: pair_url,
    contract_address: pool_address,
    last_traded_at: null,
    last_price: price,
    quote_usd: null,
    volume_24h_quote: null,
    unchanged_since: null,
    matched_by: 'contract',
    matched_at: null,
  }
}
