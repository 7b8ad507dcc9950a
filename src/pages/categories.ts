import type { AssetRow, CategoryRow } from '../client/answers.ts'
import { changeCell, nameCell } from './cells.ts'
import { type Child, el, part } from './dom.ts'
import { UNKNOWN, count, money, price } from './format.ts'
import { api, empty, frame, into } from './frame.ts'
import { type Column, table } from './tables.ts'

/** Number of listings of a category that the page shows; `/categories/:category` has all. */
const MOST = 500

const CATEGORIES: readonly Column<CategoryRow>[] = [
  { name: 'Category', of: ({ category_id, name }) => el('a', { href: `#${category_id}` }, name) },
  { name: 'Listings', of: ({ listing_count }) => count(listing_count), number: true },
  { name: 'Market cap', of: (row) => money(row.market_cap_usd), number: true },
  { name: '24 h', of: (row) => changeCell(row.percent_change_24h), number: true },
  { name: 'Volume 24 h', of: (row) => money(row.volume_24h_usd), number: true },
]

const LISTINGS: readonly Column<AssetRow>[] = [
  {
    name: 'Name',
    of: nameCell,
  },
  { name: '#', of: ({ market_cap_rank }) => market_cap_rank ?? UNKNOWN, number: true },
  { name: 'Price', of: (row) => price(row.price_usd), number: true },
  { name: '24 h', of: (row) => changeCell(row.percent_change_24h), number: true },
  { name: 'Market cap', of: (row) => money(row.market_cap_usd), number: true },
]

async function category(id: string): Promise<Child> {
  const { category: of, rows, count: all } = (await api.category(id)).data
  return [
    el('p', {}, el('a', { href: '#' }, 'All categories')),
    el('h2', {}, of.name),
    el(
      'p',
      { class: 'lead' },
      `${count(all)} listings, market cap ${money(of.market_cap_usd)}. `,
      all > MOST ? `The ${MOST} largest are shown.` : null,
    ),
    table('Listings', LISTINGS, rows.slice(0, MOST)),
  ]
}

const open = (): Promise<void> =>
  into(part('categories', HTMLElement), async () => {
    const id = decodeURIComponent(location.hash.slice(1))
    if (id !== '') return category(id)
    const { rows } = (await api.categories()).data
    return rows.length === 0 ? empty('No listing has a tag.') : table('Categories', CATEGORIES, rows)
  })

addEventListener('hashchange', () => void open())
await Promise.all([open(), frame(() => void open())])
