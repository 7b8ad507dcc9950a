import { NotFoundError } from '../client/errors.ts'
import { Loading } from './loaded.tsx'
import { api } from './api.ts'
import { price } from './format.ts'
import { idHere, start } from './start.tsx'
import { TokenChart, chartAskedIn, loadSeries } from './token-chart.tsx'
import { Token } from './token-view.tsx'
import { UnknownToken } from './unknown-token.tsx'

async function load(signal: AbortSignal) {
  // Older links have it as their hash.
  const slug = idHere() || decodeURIComponent(location.hash.slice(1))
  try {
    const [asset, markets] = await Promise.all([api.asset(slug, { signal }), api.assetMarkets(slug, { signal })])
    const { name, symbol, price_usd } = asset.data.asset
    document.title = `${name} (${symbol}) ${price(price_usd)}`
    return { slug, asset: asset.data.asset, markets: markets.data.rows }
  } catch (error) {
    if (error instanceof NotFoundError || slug === '') return { slug, asset: null, markets: [] }
    throw error
  }
}

// In time for the listing.
void loadSeries()
const asked = chartAskedIn(new URLSearchParams(location.search))
const line = document.querySelector('.history')?.innerHTML
// A document shows its line until the chart is there.
const before = line === undefined ? <Loading /> : <div dangerouslySetInnerHTML={{ __html: line }} />

await start({
  load,
  view: ({ slug, asset, markets }) =>
    asset === null ? (
      <UnknownToken slug={slug} />
    ) : (
      <Token asset={asset} markets={markets} chart={<TokenChart asset={asset} asked={asked} before={before} />} />
    ),
})
