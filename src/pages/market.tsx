import { API_FOLDER } from '../contract/prefix.ts'
import { ROOT, api } from './api.ts'
import type { TableRow } from './market-columns.tsx'
import { kept } from './kept.ts'
import { PartsMissing } from './loaded.tsx'
import { Market, type MarketProps, WATCHED, askedIn, isOwn } from './market-view.tsx'
import { MOST_MOVERS, Overview, mostTraded } from './market-totals.tsx'
import { type Optional, type Show, start } from './start.tsx'

/** Where the reader was when this entry of the history was left. */
const left: unknown = history.state
const asked = askedIn(new URLSearchParams(location.search), kept(WATCHED) ?? '')

const nextTask = () => new Promise((resolve) => setTimeout(resolve))

/** Reads all listings while they arrive, so that no task has them all. In their document, each has a line of its own. */
async function allListings(): Promise<readonly TableRow[]> {
  const response = await fetch(new URL(`${API_FOLDER}/markets.json`, ROOT))
  // Hosts of few files have it within a larger one.
  if (!response.ok || response.body === null) return (await api.markets()).data.rows
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const rows: TableRow[] = []
  let rest = ''
  let declared: string | undefined
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    // A part may have a thousand rows: receiving, reading and drawing them are tasks of their own.
    await nextTask()
    const lines = (rest + part.value).split('\n')
    rest = lines.pop() ?? ''
    declared ??= lines.find((line) => line.startsWith('"count":'))
    const whole = lines.filter((line) => line.startsWith('{"asset_id"')).join('')
    const some: TableRow[] = JSON.parse(`[${whole.replace(/,$/, '')}]`)
    rows.push(...some)
  }
  // A text that was cut off may end with a whole row, and a page of the host in its place has none.
  if (declared !== `"count":${rows.length},`) throw new Error(`${response.url} is incomplete.`)
  await nextTask()
  return rows
}

/** The most listings of a reader's own list that are read one by one, before all others. */
const MOST_READ_ALONE = 20

/** Reads the listings of the reader's own list; null: there are many, or one cannot be read. */
async function ownListings(signal: AbortSignal): Promise<readonly TableRow[] | null> {
  const slugs = [...asked.watchlist]
  if (!isOwn(asked.list) || slugs.length > MOST_READ_ALONE) return null
  const read = slugs.map(async (slug) => (await api.asset(slug, { signal })).data.asset)
  const assets = await Promise.all(read).catch(() => null)
  return (
    assets && assets.flatMap((asset) => (asset.listing_status === 'delisted' ? [] : { ...asset, sparkline_7d: [] }))
  )
}

/** What is above the listings in the document. */
const above = document.querySelector('.above')?.innerHTML ?? ''

async function load(signal: AbortSignal, optional: Optional, show: Show<MarketProps>): Promise<MarketProps> {
  const own = document.documentElement.dataset['live'] === undefined ? await ownListings(signal) : null
  if (own)
    await show({
      above: <div class="above" dangerouslySetInnerHTML={{ __html: above }} />,
      feed: own,
      isPart: true,
      asked,
    })
  const [feed, { renderToString: toHtml }, global, index, gainers, losers] = await Promise.all([
    allListings().catch(() => {
      throw new PartsMissing(['the listings'])
    }),
    import('preact-render-to-string'),
    optional('the totals', api.global()),
    api.index(),
    optional('the gainers', api.gainers({ limit: MOST_MOVERS })),
    optional('the losers', api.losers({ limit: MOST_MOVERS })),
  ])
  const overview = {
    global: global?.data.global ?? null,
    generatedAt: index.data.generatedAt,
    gainers: gainers?.data.rows ?? [],
    losers: losers?.data.rows ?? [],
    mostTraded: mostTraded(feed),
  }
  return { above: <Overview {...overview} />, feed, isPart: false, asked, toHtml }
}

await start({ load, view: (market) => <Market {...market} /> })
// The rows come later than the browser scrolls back.
if (typeof left === 'number') scrollTo(0, left)
addEventListener('scrollend', () => history.replaceState(scrollY, ''))
