import { once } from '../core/contract/once.ts'
import { addressWith, answerIfThere, keep, saved, readAnswer } from './browser.ts'
import { moment } from './format.ts'
import { BY_RANK, LISTS, MarketList, type MarketTableRow, marketValue, rowsOfPage } from './market-view.tsx'
import { find } from './search-form.ts'
import { show } from './show.tsx'
import { PAGE_ROWS } from './table.tsx'
import { sortedBy } from './tables.ts'
import { WATCHED, type Watchlist, changeSince, ownWatchlist, textOf, visitIn, watchlistIn } from './watchlist.ts'

const allListings = once(async (): Promise<readonly MarketTableRow[]> => (await readAnswer<'markets'>('markets')).rows)

/** The reader's last visit, before this one takes its place. */
const VISIT = 'visit'
const lastVisit = visitIn(saved(VISIT))

/** Returns the listings of a watchlist that are still listed, in its order. */
async function watchedRows(watched: Watchlist, isOwn: boolean): Promise<readonly MarketTableRow[]> {
  const found = await Promise.all([...watched].map((slug) => answerIfThere<'asset'>(`assets/${slug}`)))
  const rows = found.flatMap((answer) => (answer?.asset.listing_status === 'delisted' ? [] : (answer?.asset ?? [])))
  if (!isOwn) return rows
  const prices = rows.flatMap(({ slug, price_usd }) => (price_usd === null ? [] : [[slug, price_usd] as const]))
  const at = rows[0]?.last_updated
  if (at) keep(VISIT, JSON.stringify({ at, prices: Object.fromEntries(prices) }))
  return rows.map((row) => ({ ...row, sinceVisit: changeSince(lastVisit, row.slug, row.price_usd) }))
}

function queryIn(query: URLSearchParams) {
  const [shared, column] = [query.get(WATCHED), query.get('sort')]
  return {
    list: LISTS.find((list) => list === query.get('list')) ?? 'all',
    words: query.get('q') ?? '',
    verifiedOnly: query.has('verified'),
    order: column === null ? null : { column, descending: query.get('dir') === 'desc' },
    page: Number(query.get('page') ?? 1),
    /** Null: the reader's own watchlist. */
    shared: shared === null ? null : watchlistIn(shared),
  }
}
type MarketQuery = ReturnType<typeof queryIn>

async function listed({ list, shared }: MarketQuery): Promise<readonly MarketTableRow[]> {
  if (list === 'watchlist') return watchedRows(shared ?? ownWatchlist(), shared === null)
  if (list === 'all') return allListings()
  return (await readAnswer<'gainers'>(`${list}/limit=${PAGE_ROWS}`)).rows
}

async function rowsFor(asked: MarketQuery): Promise<readonly MarketTableRow[]> {
  const { words, verifiedOnly, order } = asked
  const all = await listed(asked)
  const verified = verifiedOnly ? all.filter((row) => row.verification_status === 'verified') : all
  const hits = words === '' ? null : new Map((await find(words)).map(({ kind, id }, at) => [`${kind} ${id}`, at]))
  const placeOf = ({ slug }: MarketTableRow) => hits?.get(`token ${slug}`) ?? null
  const found = hits ? verified.filter((row) => placeOf(row) !== null) : verified
  const by = order && marketValue(order.column)
  return sortedBy(found, by ?? placeOf, by ? order.descending : false)
}

function WatchlistActions({ shared }: Pick<MarketQuery, 'shared'>) {
  const link = new URL(`?list=watchlist&${WATCHED}=${textOf(ownWatchlist())}`, location.href).href
  const visit = lastVisit && `Your last visit: ${moment(lastVisit.at)}.`
  const action = shared === null ? { 'data-copy': link } : { 'data-adopt': textOf(shared) }
  const note = shared === null ? visit : 'This watchlist is from a link. Your own is unchanged.'
  return (
    <p class="actions">
      <button type="button" class="button" {...action}>
        {shared === null ? 'Copy link' : 'Add to my watchlist'}
      </button>
      {note !== null && <span class="soft">{note}</span>}
    </p>
  )
}

export function showRows(place: HTMLElement, query: URLSearchParams): Promise<void> {
  const asked = queryIn(query)
  const { list, words, order, page, shared } = asked
  return show(
    place,
    () => rowsFor(asked),
    (rows) => (
      <>
        {list === 'watchlist' && <WatchlistActions shared={shared} />}
        {words !== '' && (
          <p class="soft">
            {rows.length} found for “{words}”.
          </p>
        )}
        <MarketList
          rows={rowsOfPage(rows, page)}
          order={order ?? (list === 'all' && words === '' ? BY_RANK : null)}
          {...(list === 'watchlist' && { none: 'Select the star of a listing to watch it.' })}
          page={page}
          pages={Math.ceil(rows.length / PAGE_ROWS)}
          addressOf={(one) => addressWith({ page: String(one) }).search}
        />
      </>
    ),
  )
}
