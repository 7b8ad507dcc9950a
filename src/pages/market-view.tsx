import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { api } from './api.ts'
import { Empty } from './figures.tsx'
import { keep, keepInAddress, kept } from './kept.ts'
import { Failure, PartsMissing } from './loaded.tsx'
import { LongList } from './long-list.tsx'
import { BY_RANK, type TableRow, marketColumns } from './market-columns.tsx'
import { OverTime } from './over-time.tsx'
import { useFound } from './search-form.tsx'
import { type Order, filled, inOrder, sortedBy } from './table.tsx'
import { type Watchlist, merged, textOf, toggled, watchlistIn } from './watchlist.ts'

/** Lists of the market page, in the order of their tabs. */
const LISTS = ['all', 'gainers', 'losers', 'trending', 'watchlist'] as const
type List = (typeof LISTS)[number]

/** What the reader asks the market for. */
interface Asked {
  readonly list: List
  readonly words: string
  readonly verifiedOnly: boolean
  /** Null: as published. */
  readonly order: Order | null
  readonly watchlist: Watchlist
  /** Whether the watchlist is from the address, and not the reader's own. */
  readonly isShared: boolean
}

/** Name of the watchlist in the address, where it was shared, and in the browser, where it is the reader's own. */
export const WATCHED = 'watch'

/** Returns what the address of the market asks for. `own` is the reader's own watchlist. */
export function askedIn(query: URLSearchParams, own: string): Asked {
  const [shared, column] = [query.get(WATCHED), query.get('sort')]
  return {
    list: LISTS.find((list) => list === query.get('list')) ?? 'all',
    words: query.get('q') ?? '',
    verifiedOnly: query.has('verified'),
    order: column === null ? null : { column, descending: query.get('dir') === 'desc' },
    watchlist: watchlistIn(shared ?? own),
    isShared: shared !== null,
  }
}

export interface MarketProps {
  /** Totals and movers. */
  readonly above: ComponentChildren
  readonly feed: readonly TableRow[]
  /** Whether the feed has the listings of the reader's own list alone, until all are read. */
  readonly isPart: boolean
  readonly asked: Asked
  /** Absent in a document. */
  readonly toHtml?: (content: VNode) => string
}

/** Keeps the view in the address, so that it can be shared, and the reader's own watchlist in the browser. */
function remember({ list, words, verifiedOnly, order, watchlist, isShared }: Asked): void {
  if (!isShared) keep(WATCHED, textOf(watchlist))
  keepInAddress({
    list: list === 'all' ? null : list,
    [WATCHED]: isShared ? textOf(watchlist) : null,
    q: words === '' ? null : words,
    verified: verifiedOnly ? '' : null,
    sort: order?.column ?? null,
    dir: order && (order.descending ? 'desc' : 'asc'),
  })
}

/**
 * Returns the slugs of a list that is published by itself: undefined until they are loaded, null after a failure. Each new
 * feed loads them again.
 */
function usePublished(list: List, feed: MarketProps['feed']) {
  const [known, setKnown] = useState<Partial<Record<List, readonly string[] | null>>>({})
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (list !== 'gainers' && list !== 'losers' && list !== 'trending') return
    const keep = (slugs: readonly string[] | null) => setKnown((before) => ({ ...before, [list]: slugs }))
    api[list]().then(
      ({ data }) => keep(data.rows.map(({ slug }) => slug)),
      () => keep(null),
    )
  }, [list, feed, attempt])
  return { published: known[list], again: () => setAttempt(attempt + 1) }
}

/** The search field of the site, which narrows this page's table, too. */
const searchField = () => document.querySelector<HTMLInputElement>('input#search')

/** Follows what the reader writes, also before this page was ready. */
function useSearchField(words: string, search: (words: string) => void): void {
  useEffect(() => {
    const field = searchField()
    if (words !== '' && field) field.value = words
    else if (field?.value) search(field.value)
    const follow = () => search(field?.value ?? '')
    field?.addEventListener('input', follow)
    return () => field?.removeEventListener('input', follow)
  }, [])
}

interface AskedProps {
  readonly asked: Asked
  readonly change: (part: Partial<Asked>) => void
}

/** The choice of a list, and whether it has verified listings alone. */
const Choices = ({ asked: { list, verifiedOnly }, change }: AskedProps) => (
  <div class="bar">
    <div class="tabs" role="group" aria-label="List">
      {LISTS.map((one) => (
        <button type="button" aria-pressed={one === list} onClick={() => change({ list: one, order: null })}>
          {one}
        </button>
      ))}
    </div>
    <label class="check">
      <input
        id="verified"
        type="checkbox"
        checked={verifiedOnly}
        onChange={({ currentTarget }) => change({ verifiedOnly: currentTarget.checked })}
      />{' '}
      Verified only
    </label>
  </div>
)

/** Shares a watchlist, and takes over one that was shared. */
function SharedActions({ asked: { list, watchlist, isShared }, change }: AskedProps) {
  const link = new URL(`?list=${list}`, location.href)
  link.searchParams.set(WATCHED, textOf(watchlist))
  const adopt = () => change({ isShared: false, watchlist: merged(watchlistIn(kept(WATCHED) ?? ''), watchlist) })
  return (
    <p class="actions">
      <button type="button" class="button" data-copy={link.href}>
        Copy link
      </button>
      {isShared && (
        <>
          <button type="button" class="button" onClick={adopt}>
            Add to my watchlist
          </button>
          <span class="soft">This watchlist is from a link. Your own is unchanged.</span>
        </>
      )}
    </p>
  )
}

/** Why the list is empty, and where to go from there. */
function NothingFound({ asked: { list, watchlist }, change }: AskedProps) {
  if (list === 'watchlist' && watchlist.size === 0) return <Empty>Select the star of a listing to watch it.</Empty>
  const clear = () => {
    const field = searchField()
    if (field) field.value = ''
    change({ words: '', verifiedOnly: false, list: 'all' })
  }
  return (
    <Empty>
      No matching listings.{' '}
      <button type="button" class="button" onClick={clear}>
        Show all listings
      </button>
    </Empty>
  )
}

export const isOwn = (list: List): boolean => list === 'watchlist'

/** Characters of an address from which on a search looks into the contracts. */
const LEAST_OF_ADDRESS = 6

/** Returns the listings that are asked for; null while their list is loaded. */
function useRows(
  { feed, isPart }: MarketProps,
  { list, watchlist, words, verifiedOnly }: Asked,
  published: readonly string[] | null | undefined,
): readonly TableRow[] | null {
  const found = useFound(words)
  const slugs = isOwn(list) ? [...watchlist] : isPart ? null : published
  return useMemo(() => {
    if (list === 'all' ? isPart : slugs == null) return null
    const bySlug = new Map(list === 'all' ? [] : feed.map((row) => [row.slug, row]))
    const listed = list === 'all' ? feed : (slugs ?? []).flatMap((slug) => bySlug.get(slug) ?? [])
    const rows = verifiedOnly ? listed.filter((row) => row.verification_status === 'verified') : listed
    if (found === null) return rows
    const address = words.trim().toLowerCase()
    const hasAddress = ({ contracts }: TableRow) =>
      address.length >= LEAST_OF_ADDRESS && contracts.some((one) => one.address.toLowerCase().startsWith(address))
    const places = new Map(found.map(({ kind, id }, at) => [kind === 'token' ? id : '', at]))
    const placeOf = (row: TableRow) => places.get(row.slug) ?? (hasAddress(row) ? -1 : null)
    const fitting = rows.filter((row) => placeOf(row) !== null)
    return sortedBy(fitting, placeOf, false)
    // What was found changes with the words.
  }, [feed, found, list, verifiedOnly, slugs?.join()])
}

const WHOLE_MARKET = [['market', 'Whole market']] as const
const NO_ROWS: readonly TableRow[] = []

/** The market: totals, movers, and all listings or those that are asked for. */
export function Market(market: MarketProps) {
  const [asked, setAsked] = useState(market.asked)
  const change = (part: Partial<Asked>) => setAsked((before) => ({ ...before, ...part }))
  // Before the paint: what a reader sees survives a reload.
  useLayoutEffect(() => remember(asked), [asked])
  const { published, again } = usePublished(asked.list, market.feed)
  const rows = useRows(market, asked, published)
  const { list, watchlist, words, verifiedOnly, isShared } = asked
  // All listings are published by rank; the other lists, and what is found, by no column of the table.
  const order = asked.order ?? (list === 'all' && words === '' ? BY_RANK : null)
  const all = marketColumns(watchlist)
  // The lines of the reader's own list come with all listings.
  const columns = market.isPart ? all : filled(all, market.feed)
  const sorted = useMemo(() => inOrder(rows ?? NO_ROWS, columns, asked.order), [rows, asked.order])
  useSearchField(words, (words) => change({ words }))
  // The rows are plain HTML.
  const followStars = ({ target }: Event) => {
    if (!(target instanceof HTMLElement && target.matches('.star'))) return
    target.ariaPressed = String(target.ariaPressed !== 'true')
    change({ watchlist: toggled(watchlist, target.dataset['slug'] ?? '') })
  }
  return (
    <>
      <h1>Market</h1>
      {market.above}
      <OverTime groups={WHOLE_MARKET} />
      <Choices asked={asked} change={change} />
      {(isOwn(list) || isShared) && watchlist.size > 0 && <SharedActions asked={asked} change={change} />}
      {published === null ? (
        <Failure error={new PartsMissing([`the ${list}`])} retry={again} />
      ) : rows?.length === 0 ? (
        <NothingFound asked={asked} change={change} />
      ) : (
        <LongList
          label="Listings"
          columns={columns}
          rows={sorted}
          order={order}
          choose={(order) => change({ order })}
          question={[list, words, verifiedOnly, order?.column, order?.descending].join()}
          toHtml={market.toHtml}
          onClick={followStars}
        />
      )}
    </>
  )
}
