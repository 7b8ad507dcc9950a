import type { Global } from '../client/answers.ts'
import { type Child, el } from './dom.ts'
import { type ShownCurrency, change, count, money, percent, tone } from './format.ts'
import { timeOf } from './frame.ts'

/** Number of assets whose dominance is shown. */
const LARGEST = 2

/** The line of totals above the market table. */
export function totals(global: Global, generatedAt: string, shown: ShownCurrency): Child {
  const { listings, venues, market_cap_usd, volume_24h_usd, percent_change_24h: moved, dominance } = global
  const largest = dominance.slice(0, LARGEST).map(({ symbol, percent: part }) => `${symbol} ${percent(part)}`)
  return [
    el('span', {}, 'Market cap ', el('b', {}, money(market_cap_usd, shown))),
    moved === null ? null : el('span', { 'data-tone': tone(moved) }, change(moved)),
    el('span', {}, 'Volume 24 h ', el('b', {}, money(volume_24h_usd, shown))),
    largest.length === 0 ? null : el('span', {}, 'Dominance ', el('b', {}, largest.join(', '))),
    el(
      'span',
      {},
      el('b', {}, count(listings)),
      ' listings, ',
      el('b', {}, count(venues)),
      venues === 1 ? ' venue' : ' venues',
    ),
    el('span', {}, 'Updated ', timeOf(generatedAt)),
  ]
}
