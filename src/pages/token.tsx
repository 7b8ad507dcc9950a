import { Loading } from './loaded.tsx'
import { api } from './api.ts'
import { price } from './format.ts'
import { idHere, startThing } from './thing.tsx'
import { TokenChart, loadDrawings } from './token-chart.tsx'
import { Token } from './token-view.tsx'

// In time for the listing.
void loadDrawings()
const line = document.querySelector('.history')?.innerHTML
// A document shows its line until the chart is there.
const before = line === undefined ? <Loading /> : <div dangerouslySetInnerHTML={{ __html: line }} />

// Older links have it as their hash.
const slug = idHere() || decodeURIComponent(location.hash.slice(1))

await startThing({
  kind: 'token',
  id: slug,
  load: async (signal, optional) => {
    const markets = api.assetMarkets(slug, { signal })
    // Not missed where there is no such token.
    markets.catch(() => {})
    const { asset } = (await api.asset(slug, { signal })).data
    document.title = `${asset.name} (${asset.symbol}) ${price(asset.price_usd)}`
    return { asset, markets: (await optional('the markets', markets))?.data.rows ?? null }
  },
  view: ({ asset, markets }) => (
    <Token asset={asset} markets={markets} chart={<TokenChart asset={asset} before={before} />} />
  ),
})
