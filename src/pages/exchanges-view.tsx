import type { ExchangeAnswer, ExchangeMarket, ExchangeRow } from '../client/answers.ts'
import { Figures } from './figures.tsx'
import { words as spaced } from './format.ts'
import { stateOf } from './marks.tsx'
import { type Column, Table, amounts, badges, counts, links, percents, prices, shares, words } from './table.tsx'

const FIGURES: readonly Column<ExchangeRow>[] = [
  amounts('Volume 24h', (row) => row.volume_24h_usd),
  percents('Used in prices', (row) => row.used_volume_percent),
  percents('Outliers', (row) => row.outlier_percent),
  counts('Markets', (row) => row.market_count),
  counts('Listings', (row) => row.asset_count),
  counts('Needed for', (row) => row.needed_count),
  words('Kind', (row) => row.exchange_type.toUpperCase()),
  badges('State', ({ status }) => status),
  words('Rights', ({ rights }) => spaced(rights.class)),
]

const venueColumns = (total_usd: number): readonly Column<ExchangeRow>[] => [
  links('Exchange', 'exchanges', (row) => [row.exchange_id, row.exchange_name]),
  shares('Share', (row) => (row.volume_24h_usd === null || total_usd === 0 ? null : row.volume_24h_usd / total_usd)),
  ...FIGURES,
]

const MARKETS: readonly Column<ExchangeMarket>[] = [
  links('Pair', 'token', (row) => [row.slug, row.pair]),
  prices('Price', (row) => row.price_usd),
  percents('Spread', (row) => row.spread_percent),
  amounts('Volume 24h', (row) => row.volume_24h_usd),
  shares('Weight', ({ weight }) => weight),
  badges('Quality', stateOf),
]

const BY_VOLUME = { column: 'Volume 24h', descending: true }

export const Exchanges = ({ rows }: { readonly rows: readonly ExchangeRow[] }) => (
  <>
    <h1>Exchanges</h1>
    <p class="lead">
      By volume, with the share of it that prices are computed from, and the listings that would lose the quorum of
      their price without the exchange.
    </p>
    <Table
      label="Exchanges"
      columns={venueColumns(rows.reduce((sum, row) => sum + (row.volume_24h_usd ?? 0), 0))}
      rows={rows}
      order={BY_VOLUME}
      none="No exchange has a market in the feed."
    />
  </>
)

interface ExchangeProps extends Pick<ExchangeAnswer, 'exchange' | 'rows'> {
  readonly isWhole?: boolean
}

export const Exchange = ({ exchange, rows, isWhole = false }: ExchangeProps) => (
  <>
    <p>
      <a href="./">← All exchanges</a>
    </p>
    <h1>{exchange.exchange_name}</h1>
    <Figures of={FIGURES.map(({ name, of }) => [name, of(exchange)])} />
    <h2>Markets</h2>
    <Table
      label="Markets"
      columns={MARKETS}
      rows={rows}
      order={BY_VOLUME}
      all={isWhole ? undefined : `./?id=${exchange.exchange_id}`}
      none={
        exchange.status === 'ok'
          ? 'None of its markets has a listing.'
          : 'No market is known: the exchange gave no answer.'
      }
    />
  </>
)
