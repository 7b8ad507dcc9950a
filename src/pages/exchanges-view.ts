import type { ExchangeAnswer, ExchangeMarket, ExchangeRow } from '../client/answers.ts'
import { type Child, el } from './dom.ts'
import { count, counted, money, percent, price, share, words } from './format.ts'
import { empty, tokenPage } from './frame.ts'
import { badge } from './marks.ts'
import { type Column, table } from './tables.ts'

/** Number of markets of a venue that the page shows; `/exchanges/:exchange` has all. */
const MOST = 500

const VENUES: readonly Column<ExchangeRow>[] = [
  { name: 'Venue', of: ({ exchange_id, exchange_name }) => el('a', { href: `#${exchange_id}` }, exchange_name) },
  { name: 'Volume 24 h', of: (row) => money(row.volume_24h_usd), number: true },
  { name: 'Used in prices', of: (row) => percent(row.used_volume_percent), number: true },
  { name: 'Outliers', of: ({ outlier_percent }) => percent(outlier_percent), number: true },
  { name: 'Markets', of: ({ market_count }) => count(market_count), number: true },
  { name: 'Listings', of: ({ asset_count }) => count(asset_count), number: true },
  { name: 'Needed for', of: ({ needed_count }) => count(needed_count), number: true },
  { name: 'Kind', of: ({ exchange_type }) => exchange_type.toUpperCase() },
  { name: 'State', of: ({ status }) => badge(status) },
  { name: 'Rights', of: ({ rights }) => words(rights.class) },
]

const MARKETS: readonly Column<ExchangeMarket>[] = [
  { name: 'Pair', of: ({ slug, pair }) => el('a', { href: tokenPage(slug) }, pair) },
  { name: 'Price', of: (row) => price(row.price_usd), number: true },
  { name: 'Spread', of: (row) => percent(row.spread_percent), number: true },
  { name: 'Volume 24 h', of: (row) => money(row.volume_24h_usd), number: true },
  { name: 'Weight', of: ({ weight }) => share(weight), number: true },
  { name: 'Quality', of: (row) => badge(row.is_outlier ? 'outlier' : row.is_stale ? 'stale' : row.quality) },
]

/** All venues. */
export const venueList = (rows: readonly ExchangeRow[]): Child =>
  rows.length === 0
    ? empty('No venue has a market in the feed.')
    : [
        el(
          'p',
          { class: 'lead' },
          `${counted(rows.length, 'venue')} by volume, with the share of it that prices are computed from, and the listings that would ` +
            'lose the quorum of their price without the venue.',
        ),
        table('Venues', VENUES, rows),
      ]

/** One venue and its markets. */
export const venuePage = ({
  exchange,
  rows,
  count: all,
}: Pick<ExchangeAnswer, 'exchange' | 'rows' | 'count'>): Child => [
  el('p', {}, el('a', { href: '#' }, '← All venues')),
  el('h2', {}, exchange.exchange_name),
  el(
    'p',
    { class: 'lead' },
    `${counted(all, 'market')}, ${money(exchange.volume_24h_usd)} in 24 hours. `,
    all > MOST ? `The ${MOST} largest are shown.` : null,
  ),
  rows.length === 0 ? empty('No market in the feed.') : table('Markets', MARKETS, rows.slice(0, MOST)),
]
