import type { DexPair, EcosystemRow, TnkAnswer } from '../client/answers.ts'
import { changeCell, nameCell } from './cells.ts'
import { type Child, el, outward } from './dom.ts'
import { UNKNOWN, count, money, price } from './format.ts'
import { empty, tokenPage } from './frame.ts'
import { badge } from './marks.ts'
import { type Column, table } from './tables.ts'

const ASSETS: readonly Column<EcosystemRow>[] = [
  {
    name: 'Asset',
    of: nameCell,
  },
  { name: 'Price', of: ({ price_usd }) => price(price_usd), number: true },
  { name: '24 h', of: (row) => changeCell(row.percent_change_24h), number: true },
  { name: 'Market cap', of: ({ market_cap_usd }) => money(market_cap_usd), number: true },
  { name: 'Role', of: ({ role }) => role ?? UNKNOWN },
  { name: 'Protocol', of: ({ protocol }) => protocol ?? UNKNOWN },
  { name: 'Identity', of: ({ verification_status }) => badge(verification_status) },
  { name: 'Listing', of: ({ listing_status }) => badge(listing_status) },
]

const PAIRS: readonly Column<DexPair>[] = [
  {
    name: 'Pair',
    of: ({ pair, pair_url }) => (pair_url === null ? pair : outward(pair_url, pair)),
  },
  { name: 'Price', of: ({ price_usd }) => price(price_usd), number: true },
  { name: '24 h', of: (row) => changeCell(row.percent_change_24h), number: true },
  { name: 'Volume 24 h', of: (row) => money(row.volume_24h_usd), number: true },
  { name: 'Liquidity', of: ({ liquidity_usd }) => money(liquidity_usd), number: true },
  {
    name: 'Trades 24 h',
    of: ({ transactions_24h }) => (transactions_24h === null ? UNKNOWN : count(transactions_24h)),
    number: true,
  },
  {
    name: 'Token',
    of: ({ base_asset_id }) =>
      base_asset_id === null ? UNKNOWN : el('a', { href: tokenPage(base_asset_id) }, base_asset_id),
  },
  { name: 'DEX', of: ({ dex_name }) => dex_name },
  { name: 'Chain', of: ({ chain }) => chain },
]

/** The registry in a sentence, and the assets of the ecosystem. */
export const ecosystemAssets = ({ rows, registry }: Pick<TnkAnswer, 'rows' | 'registry'>): Child => [
  el(
    'p',
    { class: 'lead' },
    `${count(registry.assets)} assets in the reviewed registry: ${count(registry.verified)} verified, `,
    `${count(registry.pending)} pending, ${count(registry.unverified)} unverified, ${count(registry.flagged)} flagged; `,
    `${count(registry.with_price)} with a price.`,
  ),
  rows.length === 0
    ? empty('The registry contains no asset of the ecosystem.')
    : table('Assets of the ecosystem', ASSETS, rows),
]

/** The pools that trade listed tokens. */
export const pools = (rows: readonly DexPair[]): Child =>
  rows.length === 0 ? empty('No known pools.') : table('DEX pairs', PAIRS, rows)
