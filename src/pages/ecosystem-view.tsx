import type { DexPair, EcosystemRow, TnkAnswer } from '../client/answers.ts'
import { UNKNOWN, count } from './format.ts'
import { Outward } from './marks.tsx'
import { type Column, Table, amounts, badges, changes, counts, links, listings, prices, words } from './table.tsx'
import { sortedBy } from './tables.ts'

const ASSETS: readonly Column<EcosystemRow>[] = [
  listings('Asset'),
  prices('Price', (row) => row.price_usd),
  changes('24h', (row) => row.percent_change_24h),
  amounts('Market cap', (row) => row.market_cap_usd),
  words('Role', ({ role }) => role, 'prose'),
  words('Protocol', ({ protocol }) => protocol),
  badges('Identity', (row) => row.verification_status),
  badges('Listing', (row) => row.listing_status),
]

const PAIRS: readonly Column<DexPair>[] = [
  { name: 'Pair', of: ({ pair, pair_url }) => <Outward url={pair_url}>{pair}</Outward>, by: ({ pair }) => pair },
  prices('Price', (row) => row.price_usd),
  changes('24h', (row) => row.percent_change_24h),
  amounts('Volume 24h', (row) => row.volume_24h_usd),
  amounts('Liquidity', (row) => row.liquidity_usd),
  counts('Trades 24h', (row) => row.transactions_24h),
  links('Token', 'token', ({ base_asset_id: slug }) => [slug, slug ?? UNKNOWN]),
  words('DEX', ({ dex_name }) => dex_name),
  words('Chain', ({ chain }) => chain),
]

interface EcosystemProps extends Pick<TnkAnswer, 'rows' | 'registry'> {
  readonly title: string
  readonly pairs: readonly DexPair[]
}

/** The registry in a sentence, the largest assets of the ecosystem first, and the pools, those of the ecosystem first. */
export const EcosystemPage = ({ title, rows, registry, pairs }: EcosystemProps) => (
  <>
    <h1>{title}</h1>
    <p class="lead">
      {count(registry.assets)} assets in the reviewed registry: {count(registry.verified)} verified,{' '}
      {count(registry.pending)} pending, {count(registry.unverified)} unverified, {count(registry.flagged)} flagged;{' '}
      {count(registry.with_price)} with a price.
    </p>
    <Table
      label="Assets of the ecosystem"
      columns={ASSETS}
      rows={sortedBy(rows, (row) => row.market_cap_usd, true)}
      order={{ column: 'Market cap', descending: true }}
      none="The registry contains no asset of the ecosystem."
    />
    <h2>DEX pairs</h2>
    <Table
      label="DEX pairs"
      columns={PAIRS}
      rows={sortedBy(pairs, ({ base_asset_id: slug }) => Number(rows.some((row) => row.slug === slug)), true)}
      none="No known pools."
    />
  </>
)
