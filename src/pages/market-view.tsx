import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import type { AssetRow, Global } from '../client/answers.ts'
import { api } from './api.ts'
import { Empty } from './figures.tsx'
import { keep, keepInAddress } from './kept.ts'
import { LongList } from './long-list.tsx'
import { BY_RANK, type TableRow, marketColumns } from './market-columns.tsx'
import { Movers, Totals } from './market-totals.tsx'
import { CopyButton } from './marks.tsx'
import { Portfolio } from './portfolio.tsx'
import { OverTime } from './over-time.tsx'
import { useFound } from './search-form.tsx'
import { type Order, Table } from './table.tsx'
import { type Watchlist, textOf, toggled, watchlistIn } from './watchlist.ts'

/** Lists of the market page, in the order of their tabs. */
const LISTS = ['all', 'gainers', 'losers', 'trending', 'watchlist', 'portfolio'] as const
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

interface MarketProps {
  readonly feed: readonly TableRow[]
  readonly global: Global
  readonly generatedAt: string
  readonly gainers: readonly AssetRow[]
  readonly losers: readonly AssetRow[]
  readonly mostTraded: readonly AssetRow[]
  readonly asked: Asked
  readonly toHtml: (content: VNode) => string
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

/** Lists that are published by slug, loaded when they are first chosen. */
function usePublished(list: List): ReadonlyMap<List, readonly string[]> {
  const [known, setKnown] = useState<ReadonlyMap<List, readonly string[]>>(new Map())
  useEffect(() => {
    if ((list !== 'gainers' && list !== 'losers' && list !== 'trending') || known.has(list)) return
    const add = (slugs: readonly string[]) => setKnown((before) => new Map([...before, [list, slugs]]))
    api[list]().then(
      ({ data }) => add(data.rows.map(({ slug }) => slug)),
      () => add([]),
    )
  }, [list])
  return known
}

/** The search field of the site, which narrows this page's table, too. */
function searchField(): HTMLInputElement | null {
  const field = document.getElementById('search')
  return field instanceof HTMLInputElement ? field : null
}

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

/** Follows the stars of the rows, which are plain HTML. */
function useStars(toggle: (slug: string) => void): void {
  useEffect(() => {
    const follow = ({ target }: Event) => {
      const star = target instanceof HTMLElement && target.matches('.star') ? target : null
      if (star === null) return
      star.ariaPressed = String(star.ariaPressed !== 'true')
      toggle(star.dataset['slug'] ?? '')
    }
    addEventListener('click', follow)
    return () => removeEventListener('click', follow)
  }, [])
}

interface ChoicesProps extends Pick<Asked, 'list' | 'verifiedOnly'> {
  readonly change: (part: Partial<Asked>) => void
}

/** The choice of a list, and whether it has verified listings alone. */
const Choices = ({ list, verifiedOnly, change }: ChoicesProps) => (
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

function SharedActions({ asked, adopt }: { readonly asked: Asked; readonly adopt: () => void }) {
  const link = new URL(`?list=${asked.list}`, location.href)
  link.searchParams.set(WATCHED, textOf(asked.watchlist))
  return (
    <p class="actions">
      <CopyButton text={link.href} label="Copy link" />
      {asked.isShared && (
        <button type="button" class="button" onClick={adopt}>
          Keep as my watchlist
        </button>
      )}
    </p>
  )
}

/** Why the list is empty, and where to go from there. */
const NothingFound = ({ asked, clear }: { readonly asked: Asked; readonly clear: () => void }) =>
  isOwn(asked.list) && asked.watchlist.size === 0 ? (
    <Empty>Select the star of a listing to watch it.</Empty>
  ) : (
    <div class="empty">
      <p>No matching listings.</p>
      <button type="button" class="button" onClick={clear}>
        Show all listings
      </button>
    </div>
  )

const isOwn = (list: List): boolean => list === 'watchlist' || list === 'portfolio'

/** Characters of an address from which on a search looks into the contracts. */
const LEAST_OF_ADDRESS = 6

/** Returns the listings that are asked for; null while their list is loaded. */
function useRows(
  feed: readonly TableRow[],
  { list, watchlist, words, verifiedOnly }: Asked,
): readonly TableRow[] | null {
  const published = usePublished(list)
  const found = useFound(words)
  const slugs = isOwn(list) ? [...watchlist.keys()] : published.get(list)
  return useMemo(() => {
    if (list !== 'all' && slugs === undefined) return null
    const bySlug = new Map(feed.map((row) => [row.slug, row]))
    const listed = list === 'all' ? feed : (slugs ?? []).flatMap((slug) => bySlug.get(slug) ?? [])
    const rows = verifiedOnly ? listed.filter((row) => row.verification_status === 'verified') : listed
    if (found === null) return rows
    const address = words.trim().toLowerCase()
    const hasAddress = ({ contracts }: TableRow) =>
      address.length >= LEAST_OF_ADDRESS && contracts.some((one) => one.address.toLowerCase().startsWith(address))
    const places = new Map(found.map(({ kind, id }, at) => [kind === 'token' ? id : '', at]))
    return rows
      .map((row) => ({ row, place: places.get(row.slug) ?? (hasAddress(row) ? -1 : null) }))
      .flatMap(({ row, place }) => (place === null ? [] : [{ row, place }]))
      .toSorted((a, b) => a.place - b.place)
      .map(({ row }) => row)
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
  const rows = useRows(market.feed, asked)
  const { list, watchlist, words, verifiedOnly } = asked
  // All listings are published by rank; the other lists, and what is found, by no column of the table.
  const order = asked.order ?? (list === 'all' && words === '' ? BY_RANK : null)
  useSearchField(words, (words) => change({ words }))
  useStars((slug) => setAsked((before) => ({ ...before, watchlist: toggled(before.watchlist, slug) })))
  const clear = () => {
    const field = searchField()
    if (field) field.value = ''
    change({ words: '', verifiedOnly: false, list: 'all' })
  }
  return (
    <>
      <h1>Market</h1>
      <Totals {...market} />
      <Movers {...market} />
      <OverTime groups={WHOLE_MARKET} />
      <Choices list={list} verifiedOnly={verifiedOnly} change={change} />
      {isOwn(list) && watchlist.size > 0 && <SharedActions asked={asked} adopt={() => change({ isShared: false })} />}
      {rows?.length === 0 && <NothingFound asked={asked} clear={clear} />}
      {list === 'portfolio' ? (
        watchlist.size > 0 && (
          <Portfolio
            watchlist={watchlist}
            rows={rows ?? NO_ROWS}
            all={market.feed}
            change={(watchlist) => change({ watchlist })}
          />
        )
      ) : (
        <Table
          label="Listings"
          columns={marketColumns(watchlist)}
          rows={rows ?? NO_ROWS}
          order={order}
          choose={(order) => change({ order })}
          body={(columns, rows) => (
            <LongList
              columns={columns}
              rows={rows}
              question={JSON.stringify([list, words, verifiedOnly, order])}
              toHtml={market.toHtml}
            />
          )}
        />
      )}
    </>
  )
}
