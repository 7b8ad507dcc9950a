import { API_FOLDER } from '../contract/prefix.ts'
import { ROOT, api } from './api.ts'
import type { TableRow } from './market-columns.tsx'
import { kept } from './kept.ts'
import { Market, WATCHED, askedIn } from './market-view.tsx'
import { MOST_MOVERS, mostTraded } from './market-totals.tsx'
import { start } from './start.tsx'

/** Where the reader was when this entry of the history was left. */
const left: unknown = history.state
const asked = askedIn(new URLSearchParams(location.search), kept(WATCHED) ?? '')

/** Rows that are read in one task, which so stays short on a phone. */
const AT_ONCE = 250

/** Reads all listings. In their document, each has a line of its own. */
async function allListings(): Promise<readonly TableRow[]> {
  const response = await fetch(new URL(`${API_FOLDER}/markets.json`, ROOT))
  // Hosts of few files have it within a larger one.
  if (!response.ok) return (await api.markets()).data.rows
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('{"asset_id"'))
  const rows: TableRow[] = []
  for (let at = 0; at < lines.length; at += AT_ONCE) {
    const some: TableRow[] = JSON.parse(
      `[${lines
        .slice(at, at + AT_ONCE)
        .join('')
        .replace(/,$/, '')}]`,
    )
    rows.push(...some)
    await new Promise((resolve) => setTimeout(resolve))
  }
  return rows
}

async function load() {
  const [feed, { renderToString: toHtml }, global, index, gainers, losers] = await Promise.all([
    allListings(),
    import('preact-render-to-string'),
    api.global(),
    api.index(),
    api.gainers({ limit: MOST_MOVERS }),
    api.losers({ limit: MOST_MOVERS }),
  ])
  return {
    feed,
    global: global.data.global,
    generatedAt: index.data.generatedAt,
    gainers: gainers.data.rows,
    losers: losers.data.rows,
    mostTraded: mostTraded(feed),
    asked,
    toHtml,
  }
}

await start({ load, view: (market) => <Market {...market} /> })
// The rows come later than the browser scrolls back.
if (typeof left === 'number') scrollTo(0, left)
addEventListener('scrollend', () => history.replaceState(scrollY, ''))
