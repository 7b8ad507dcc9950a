import { NotFoundError } from '../client/errors.ts'
import { Loading } from './loaded.tsx'
import { api } from './api.ts'
import { price } from './format.ts'
import { start } from './start.tsx'
import { TokenChart, chartAskedIn } from './token-chart.tsx'
import { Token } from './token-view.tsx'
import { UnknownToken } from './unknown-token.tsx'

const query = new URLSearchParams(location.search)

/** Returns the slug of `/token/bitcoin`, `/token/bitcoin.html` or `/token/?id=bitcoin`; of an older link, its hash. */
function slugHere(): string {
  const [, inPath = ''] = /\/token\/([a-z0-9-]+)(?:\.html)?$/.exec(location.pathname) ?? []
  return query.get('id') ?? (inPath || decodeURIComponent(location.hash.slice(1)))
}

async function load(signal: AbortSignal) {
  const slug = slugHere()
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

const asked = chartAskedIn(query)
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
