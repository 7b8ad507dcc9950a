import type { ComponentChildren } from 'preact'
import type { AssetRow, Global } from '../client/answers.ts'
import { Change, Money, Time } from './figures.tsx'
import { count, counted, percent } from './format.ts'
import { TokenLink } from './marks.tsx'

/** Number of assets whose dominance is shown. */
const LARGEST = 2

/** The line of totals above the market table. */
export function Totals({ global, generatedAt }: { readonly global: Global; readonly generatedAt: string }) {
  const { listings, venues, market_cap_usd, volume_24h_usd, percent_change_24h: moved, dominance } = global
  const largest = dominance.slice(0, LARGEST).map(({ symbol, percent: part }) => `${symbol} ${percent(part)}`)
  return (
    <p class="totals">
      <span>
        Market cap{' '}
        <b>
          <Money usd={market_cap_usd} />
        </b>{' '}
        {moved !== null && <Change percent={moved} />}
      </span>
      <span>
        Volume 24 h{' '}
        <b>
          <Money usd={volume_24h_usd} />
        </b>
      </span>
      {largest.length > 0 && (
        <span>
          Dominance <b>{largest.join(', ')}</b>
        </span>
      )}
      <span>
        <b>{count(listings)}</b> listings, <b>{counted(venues, 'venue')}</b>
      </span>
      <span>
        Updated <Time at={generatedAt} />
      </span>
    </p>
  )
}

/** Number of listings of each card. */
export const MOST_MOVERS = 3

type Mover = Pick<AssetRow, 'slug' | 'name' | 'percent_change_24h' | 'volume_24h_usd'>

interface CardProps {
  readonly name: string
  readonly rows: readonly Mover[]
  readonly value: (row: Mover) => ComponentChildren
}

const Card = ({ name, rows, value }: CardProps) =>
  rows.length === 0 ? null : (
    <section class="mover" aria-label={name}>
      <h2>{name}</h2>
      <ul class="plain">
        {rows.slice(0, MOST_MOVERS).map((row) => (
          <li>
            <TokenLink slug={row.slug}>{row.name}</TokenLink> {value(row)}
          </li>
        ))}
      </ul>
    </section>
  )

interface MoversProps {
  readonly gainers: readonly Mover[]
  readonly losers: readonly Mover[]
  readonly mostTraded: readonly Mover[]
}

const change = ({ percent_change_24h }: Mover) => <Change percent={percent_change_24h} />

/** Returns the most traded listings. */
export const mostTraded = <Row extends Mover>(rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (b.volume_24h_usd ?? 0) - (a.volume_24h_usd ?? 0)).slice(0, MOST_MOVERS)

/** The strongest movers and the most traded listings at a glance. */
export const Movers = ({ gainers, losers, mostTraded: traded }: MoversProps) => (
  <div class="movers" role="group" aria-label="Movers">
    <Card name="Top gainers in 24 h" rows={gainers} value={change} />
    <Card name="Top losers in 24 h" rows={losers} value={change} />
    <Card name="Most traded in 24 h" rows={traded} value={({ volume_24h_usd }) => <Money usd={volume_24h_usd} />} />
  </div>
)
