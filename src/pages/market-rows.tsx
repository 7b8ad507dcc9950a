import type { AnswerOf } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { keep, kept, read } from './browser.ts'
import { moment } from './format.ts'
import { BY_RANK, MarketList, type TableRow, marketValue, rowsOfPage } from './market-view.tsx'
import type { Asked } from './lists.ts'
import { find } from './search-form.ts'
import { clear, show } from './shown.tsx'
import { sortedBy } from './sorted.ts'
import { ownWatchlist } from './stars.ts'
import { PAGE_ROWS } from './table.tsx'
import { WATCHED, type Watchlist, changeSince, merged, textOf, visitIn } from './watchlist.ts'

let feed: Promise<readonly TableRow[]> | null = null
/** Returns all listings, which are read when they are first asked for. */
async function allListings(): Promise<readonly TableRow[]> {
  feed ??= read<AnswerOf<'markets'>>(`${API_FOLDER}/markets.json`).then(({ rows }) => rows)
  try {
    return await feed
  } catch (error) {
    feed = null
    throw error
  }
}

/** The most listings of a watchlist that are read one by one. */
const MOST_READ_ALONE = 20

/** The reader's last visit, before this one takes its place. */
const VISIT = 'visit'
const lastVisit = visitIn(kept(VISIT))

/** Returns the listings of a watchlist that are still listed, in its order. */
async function watchedRows(watched: Watchlist, isOwn: boolean): Promise<readonly TableRow[]> {
  const slugs = [...watched]
  const readOne = async (slug: string): Promise<readonly TableRow[]> => {
    const { asset } = await read<AnswerOf<'asset'>>(`${API_FOLDER}/assets/${slug}.json`)
    return asset.listing_status === 'delisted' ? [] : [asset]
  }
  const found = slugs.length <= MOST_READ_ALONE ? (await Promise.all(slugs.map(readOne))).flat() : await allListings()
  const rows = slugs.flatMap((slug) => found.find((row) => row.slug === slug) ?? [])
  if (!isOwn) return rows
  const prices = rows.flatMap(({ slug, price_usd }) => (price_usd === null ? [] : [[slug, price_usd] as const]))
  const at = rows[0]?.last_updated
  if (at) keep(VISIT, JSON.stringify({ at, prices: Object.fromEntries(prices) }))
  return rows.map((row) => ({ ...row, sinceVisit: changeSince(lastVisit, row.slug, row.price_usd) }))
}

/** Returns the listings of a list in the order that it is published in. */
async function listed({ list, shared }: Asked): Promise<readonly TableRow[]> {
  if (list === 'watchlist') return watchedRows(shared ?? ownWatchlist(), shared === null)
  if (list === 'all') return allListings()
  return (await read<AnswerOf<'gainers'>>(`${API_FOLDER}/${list}/limit=${PAGE_ROWS}.json`)).rows
}

/** Returns all rows that are asked for, in their order. */
async function rowsFor(asked: Asked): Promise<readonly TableRow[]> {
  const { words, verifiedOnly, order } = asked
  const all = await listed(asked)
  const verified = verifiedOnly ? all.filter((row) => row.verification_status === 'verified') : all
  const hits = words === '' ? null : new Map((await find(words)).map(({ kind, id }, at) => [`${kind} ${id}`, at]))
  const placeOf = ({ slug }: TableRow) => hits?.get(`token ${slug}`) ?? null
  const found =
    hits === null
      ? verified
      : sortedBy(
          verified.filter((row) => placeOf(row) !== null),
          placeOf,
          false,
        )
  const by = order && marketValue(order.column)
  return by ? sortedBy(found, by, order.descending) : found
}

/** Shares the reader's own watchlist, or takes over one that was shared. */
const WatchlistActions = ({ shared }: Pick<Asked, 'shared'>) => (
  <p class="actions">
    {shared === null ? (
      <>
        <button
          type="button"
          class="button"
          data-copy={new URL(`?list=watchlist&${WATCHED}=${textOf(ownWatchlist())}`, location.href).href}
        >
          Copy link
        </button>
        {lastVisit !== null && <span class="soft">Your last visit: {moment(lastVisit.at)}.</span>}
      </>
    ) : (
      <>
        <button type="button" class="button" data-adopt={textOf(merged(ownWatchlist(), shared))}>
          Add to my watchlist
        </button>
        <span class="soft">This watchlist is from a link. Your own is unchanged.</span>
      </>
    )}
  </p>
)

const addressOfPage = (page: number): string => {
  const url = new URL(location.href)
  url.searchParams.set('page', String(page))
  return url.search
}

export { clear }

/** Forgets the rows of an earlier snapshot. */
export const forgetRows = (): void => void (feed = null)

/** Draws into a place what is asked for. */
export const showRows = (place: HTMLElement, asked: Asked): Promise<void> =>
  show(place, {
    load: () => rowsFor(asked),
    view: (rows) => (
      <>
        {asked.list === 'watchlist' && <WatchlistActions shared={asked.shared} />}
        {asked.words !== '' && (
          <p class="soft">
            {rows.length} found for “{asked.words}”.
          </p>
        )}
        <MarketList
          rows={rowsOfPage(rows, asked.page)}
          order={asked.order ?? (asked.list === 'all' && asked.words === '' ? BY_RANK : null)}
          none={asked.list === 'watchlist' ? 'Select the star of a listing to watch it.' : 'No matching listings.'}
          page={asked.page}
          pages={Math.ceil(rows.length / PAGE_ROWS)}
          addressOf={addressOfPage}
        />
      </>
    ),
  })
