import type { AssetRow, CategoryAnswer, CategoryRow } from '../client/answers.ts'
import { changeCell, nameCell } from './cells.ts'
import { type Child, el } from './dom.ts'
import { UNKNOWN, count, counted, money, price, titled } from './format.ts'
import { empty } from './frame.ts'
import { type Column, table } from './tables.ts'

/** Number of listings of a category that the page shows; `/categories/:category` has all. */
const MOST = 500

const CATEGORIES: readonly Column<CategoryRow>[] = [
  { name: 'Category', of: ({ category_id, name }) => el('a', { href: `#${category_id}` }, titled(name)) },
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

/** All categories. */
export const categoryList = (rows: readonly CategoryRow[]): Child =>
  rows.length === 0
    ? empty('No listing has a tag.')
    : [
        el('p', { class: 'lead' }, 'Listings by the tags that their sources give them. One listing may have several.'),
        table('Categories', CATEGORIES, rows),
      ]

/** One category and its listings. */
export const categoryPage = ({
  category,
  rows,
  count: all,
}: Pick<CategoryAnswer, 'category' | 'rows' | 'count'>): Child => [
  el('p', {}, el('a', { href: '#' }, '← All categories')),
  el('h2', {}, titled(category.name)),
  el(
    'p',
    { class: 'lead' },
    `${counted(all, 'listing')}, market cap ${money(category.market_cap_usd)}. `,
    all > MOST ? `The ${MOST} largest are shown.` : null,
  ),
  table('Listings', LISTINGS, rows.slice(0, MOST)),
]
