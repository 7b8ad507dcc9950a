import type { AssetRow } from '../client/answers.ts'
import { changeCell } from './cells.ts'
import { type Child, el } from './dom.ts'
import { money } from './format.ts'
import { tokenPage } from './frame.ts'

/** Number of listings of each card. */
const MOST = 3

type Mover = Pick<AssetRow, 'slug' | 'name' | 'percent_change_24h' | 'volume_24h_usd'>

const card = (name: string, rows: readonly Mover[], value: (row: Mover) => Child): Child =>
  rows.length === 0
    ? null
    : el(
        'section',
        { class: 'mover', 'aria-label': name },
        el('h2', {}, name),
        el(
          'ul',
          {},
          ...rows
            .slice(0, MOST)
            .map((row) => el('li', {}, el('a', { href: tokenPage(row.slug), title: row.name }, row.name), value(row))),
        ),
      )

/** The strongest movers and the most traded listings at a glance. */
export const movers = (gainers: readonly Mover[], losers: readonly Mover[], all: readonly Mover[]): Child => [
  card('Top gainers in 24 h', gainers, (row) => changeCell(row.percent_change_24h)),
  card('Top losers in 24 h', losers, (row) => changeCell(row.percent_change_24h)),
  card(
    'Most traded in 24 h',
    all.toSorted((a, b) => (b.volume_24h_usd ?? 0) - (a.volume_24h_usd ?? 0)),
    (row) => money(row.volume_24h_usd),
  ),
]
