import { SEARCH_IDS } from '../contract/site-files.ts'
import { api, fileOfSite } from './api.ts'
import { listAt, membersAt } from './json.ts'
import { kept } from './kept.ts'
import { COLUMNS, type Order } from './market-rows.ts'
import { type Asked, LISTS, Market, WATCHED } from './market-view.tsx'
import { mostTraded } from './movers.tsx'
import { start } from './start.tsx'
import { watchlistIn } from './watchlist.ts'

/** Number of movers that the page shows of each kind. */
const MOVERS = 3

/** Where the reader was when this entry of the history was left. */
const left: unknown = history.state

function orderIn(query: URLSearchParams): Order | null {
  const column = COLUMNS.find((column) => column === query.get('sort'))
  return column ? { column, descending: query.get('dir') === 'desc' } : null
}

function askedIn(query: URLSearchParams): Asked {
  const shared = query.get(WATCHED)
  return {
    list: LISTS.find((list) => list === query.get('list')) ?? 'all',
    words: query.get('q') ?? '',
    verifiedOnly: query.has('verified'),
    order: orderIn(query),
    watchlist: watchlistIn(shared ?? kept(WATCHED) ?? ''),
    isShared: shared !== null,
  }
}
const asked = askedIn(new URLSearchParams(location.search))

/** Reads the ids of listings at other services. After a failure they find nothing. */
async function otherIds(): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = await fileOfSite(SEARCH_IDS).catch(() => ({}))
  return new Map(membersAt(ids).map(([slug, own]) => [slug, listAt(own).map(String)]))
}

async function load() {
  const [markets, global, index, gainers, losers, ids] = await Promise.all([
    api.markets(),
    api.global(),
    api.index(),
    api.gainers({ limit: MOVERS }),
    api.losers({ limit: MOVERS }),
    otherIds(),
  ])
  return {
    feed: markets.data.rows,
    global: global.data.global,
    generatedAt: index.data.generatedAt,
    gainers: gainers.data.rows,
    losers: losers.data.rows,
    mostTraded: mostTraded(markets.data.rows),
    ids,
    asked,
  }
}

await start({ load, view: (market) => <Market {...market} /> })
// The rows come later than the browser scrolls back.
if (typeof left === 'number') scrollTo(0, left)
addEventListener('scrollend', () => history.replaceState(scrollY, ''))
