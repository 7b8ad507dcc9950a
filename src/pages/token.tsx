import { NotFoundError } from '../client/errors.ts'
import { Loading } from './loaded.tsx'
import { api } from './api.ts'
import { price } from './format.ts'
import { useSite } from './site.tsx'
import { type Optional, idHere, start } from './start.tsx'
import { TokenChart, loadDrawings } from './token-chart.tsx'
import { Token } from './token-view.tsx'

async function load(signal: AbortSignal, optional: Optional) {
  // Older links have it as their hash.
  const slug = idHere() || decodeURIComponent(location.hash.slice(1))
  try {
    const [asset, markets] = await Promise.all([
      api.asset(slug, { signal }),
      optional('the markets', api.assetMarkets(slug, { signal })),
    ])
    const { name, symbol, price_usd } = asset.data.asset
    document.title = `${name} (${symbol}) ${price(price_usd)}`
    return { slug, asset: asset.data.asset, markets: markets?.data.rows ?? null }
  } catch (error) {
    // A document of its own shows that the listing exists, so only a part of the site is here.
    const isKnown = document.querySelector('meta[name=figures]') !== null
    if (slug !== '' && (isKnown || !(error instanceof NotFoundError))) throw error
    return { slug, asset: null, markets: null }
  }
}

/** Shown where an address names no listing. */
function UnknownToken({ slug }: { readonly slug: string }) {
  const { root } = useSite()
  return (
    <div class="empty">
      <h1>No such token</h1>
      <p>{slug === '' ? 'The URL contains no token.' : `No listing has the slug “${slug}”.`}</p>
      <p>
        <a href={`${root}?q=${encodeURIComponent(slug)}`}>Search the market</a>
      </p>
    </div>
  )
}

// In time for the listing.
void loadDrawings()
const line = document.querySelector('.history')?.innerHTML
// A document shows its line until the chart is there.
const before = line === undefined ? <Loading /> : <div dangerouslySetInnerHTML={{ __html: line }} />

await start({
  load,
  view: ({ slug, asset, markets }) =>
    asset === null ? (
      <UnknownToken slug={slug} />
    ) : (
      <Token asset={asset} markets={markets} chart={<TokenChart asset={asset} before={before} />} />
    ),
})
