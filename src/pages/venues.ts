import type { Market } from '../client/answers.ts'
import { type Child, el, on, outward } from './dom.ts'
import { money, percent, price, share, words } from './format.ts'
import { empty, timeOf } from './frame.ts'
import { badge } from './marks.ts'
import { type Column, table } from './tables.ts'

/** Number of markets shown before "Show all". */
const FIRST = 15

const stateOf = ({ is_outlier, is_stale, quality }: Market) => (is_outlier ? 'outlier' : is_stale ? 'stale' : quality)

const COLUMNS: readonly Column<Market>[] = [
  {
    name: 'Exchange',
    of: ({ exchange_name, trade_url }) => (trade_url === null ? exchange_name : outward(trade_url, exchange_name)),
  },
  { name: 'Pair', of: ({ pair }) => pair },
  { name: 'Price', of: (market) => price(market.price_usd), number: true },
  { name: 'Spread', of: (market) => percent(market.spread_percent), number: true },
  { name: 'Volume 24 h', of: (market) => money(market.volume_24h_usd), number: true },
  { name: 'Weight', of: ({ weight }) => share(weight), number: true },
  {
    name: 'Quality',
    of: (market) => badge(stateOf(market), market.quality_reasons.map(words).join(', ') || null),
  },
  { name: 'As of', of: ({ last_traded_at, collected_at }) => timeOf(last_traded_at ?? collected_at) },
]

/** Shows the markets of an asset with their quality. */
export function venues(rows: readonly Market[]): Child {
  if (rows.length === 0) return empty('No venue in the feed trades it.')
  const place = el('div', {}, table('Markets', COLUMNS, rows.slice(0, FIRST)))
  if (rows.length <= FIRST) return place
  const more = el('button', { type: 'button', class: 'button' }, `Show all ${rows.length}`)
  on(more, {
    click: () => {
      place.replaceChildren(table('Markets', COLUMNS, rows))
      more.remove()
    },
  })
  return [place, more]
}
