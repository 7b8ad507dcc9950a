import { api } from './api.ts'
import { kept } from './kept.ts'
import { Market, WATCHED, askedIn } from './market-view.tsx'
import { MOST_MOVERS, mostTraded } from './market-totals.tsx'
import { start } from './start.tsx'

/** Where the reader was when this entry of the history was left. */
const left: unknown = history.state
const asked = askedIn(new URLSearchParams(location.search), kept(WATCHED) ?? '')

async function load() {
  const [markets, global, index, gainers, losers] = await Promise.all([
    api.markets(),
    api.global(),
    api.index(),
    api.gainers({ limit: MOST_MOVERS }),
    api.losers({ limit: MOST_MOVERS }),
  ])
  return {
    feed: markets.data.rows,
    global: global.data.global,
    generatedAt: index.data.generatedAt,
    gainers: gainers.data.rows,
    losers: losers.data.rows,
    mostTraded: mostTraded(markets.data.rows),
    asked,
  }
}

await start({ load, view: (market) => <Market {...market} /> })
// The rows come later than the browser scrolls back.
if (typeof left === 'number') scrollTo(0, left)
addEventListener('scrollend', () => history.replaceState(scrollY, ''))
