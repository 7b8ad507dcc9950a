import type { ComponentChildren } from 'preact'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { isSampleLabel } from '../core/contract/product.ts'
import { LOGO_FOLDER, SITE_FACTS, TOKEN_PAGES, logoFile } from '../core/contract/site-files.ts'
import type { Attachment, Attachments, PublicationData, ComposedSoFar } from '../core/endpoints/endpoint.ts'
import { globalOf } from '../core/endpoints/whole-market.ts'
import { logoOf } from '../core/registry/logos.ts'
import { Docs } from './docs-view.tsx'
import { documentOf, rootOf } from './document.tsx'
import { Time } from './figures.tsx'
import { counted, titled } from './format.ts'
import { RequestPage } from './list-view.tsx'
import { Categories, CategoryPage, EcosystemPage, Exchange, Exchanges } from './lists-view.tsx'
import licence from './logo-licence.json' with { type: 'json' }
import { MarketPage, rowsFile, rowsOfPage } from './market-view.tsx'
import { MethodPage } from './method.tsx'
import { type Page, page, pagesOf } from './pages.ts'
import { examplesOf, apiReferenceOf } from './reference.ts'
import { searchIndex } from './search.ts'
import { type Folder, SITE_PLACEHOLDER, SiteContext, type SiteFacts, siteAround } from './site.tsx'
import { Status } from './status-view.tsx'
import { PAGE_ROWS } from './table.tsx'
import { pastChanges, Token } from './token-view.tsx'

type PageWithContent = readonly [page: Page, content: ComponentChildren]

/** Number of movers of each kind, the volume from which on a listing is one, and the size of a logo that is part of the page. */
const MOVERS = { most: 5, least_volume_usd: 100_000, logo_bytes: 4000 } as const

const moversOf = (assets: PublicationData['gainers']) =>
  assets
    .filter(({ volume_24h_usd }) => (volume_24h_usd ?? 0) >= MOVERS.least_volume_usd)
    .slice(0, MOVERS.most)
    .map((asset) => {
      const logo = logoOf(asset.external_ids)
      return { logo: logo !== null && logo.length <= MOVERS.logo_bytes ? logo : null, ...asset }
    })

function marketPages(world: PublicationData, home: Page): PageWithContent[] {
  const pages = Math.max(1, Math.ceil(world.listed.length / PAGE_ROWS))
  const market = {
    pages,
    global: globalOf(world),
    days: world.totals.get('market') ?? [],
    gainers: moversOf(world.gainers),
    losers: moversOf(world.losers),
  }
  return Array.from({ length: pages }, (_, at) => {
    const number = at + 1
    const rows = rowsOfPage(world.marketsRows, number)
    const next = { ...home, path: rowsFile(number), title: `Crypto prices by rank, page ${number}` }
    return [at === 0 ? home : next, <MarketPage {...market} rows={rows} page={number} />]
  })
}

const CONTENT: Readonly<Record<string, (world: PublicationData, written: ComposedSoFar) => ComponentChildren>> = {
  'categories/index.html': ({ categories }) => <Categories rows={[...categories.values()].map(({ row }) => row)} />,
  'exchanges/index.html': ({ venues }) => <Exchanges rows={[...venues.values()].map(({ row }) => row)} />,
  'ecosystem/index.html': (world) => <EcosystemPage {...world} />,
  'status/index.html': (world) => <Status {...world} />,
  'method/index.html': (world) => <MethodPage {...world} />,
  'list/index.html': () => <RequestPage />,
  'docs/index.html': (world, written) => {
    const openApi = written.openApi()
    return openApi && <Docs world={world} reference={apiReferenceOf(openApi, examplesOf(world, written))} />
  },
}

const LEAST_SOURCES = 0.5

function noticesOf({ run: { label }, sources }: PublicationData): string[] {
  const answering = sources.filter(({ status }) => status !== 'down').length
  const sample = 'Sample data: real names, made-up numbers.'
  const few = `Only ${answering} of ${sources.length} sources answered in the last run. Prices may be old.`
  const areFew = answering < sources.length * LEAST_SOURCES
  return [isSampleLabel(label) && sample, areFew && few].filter((notice) => notice !== false)
}

/** Returns the pages of one thing each: of the first listings, each exchange and each category. */
function* ownPages(world: PublicationData): Generator<PageWithContent> {
  const thing = (folder: Folder, id: string, title: string, description: string) =>
    page({ path: `${folder}/${id}.html`, title, program: 'thing' }, description)
  for (const [place, { asset, markets }] of world.listed.slice(0, TOKEN_PAGES).entries()) {
    const { slug, name, symbol } = asset
    const text = `Price of ${name} (${symbol}) with the venues behind it, a free API for it, market cap, supply, markets, contracts and history.`
    yield [
      thing('token', slug, `${name} (${symbol}): price, markets and API`, text),
      <Token
        asset={asset}
        markets={markets}
        week={world.marketsRows[place]?.sparkline_7d ?? []}
        past={pastChanges(world, slug)}
        hasDaily={world.dailySpans.has(slug)}
        hasCandles={world.candleSpans.has(slug)}
      />,
    ]
  }
  for (const { row, markets } of world.venues.values()) {
    const text = `Volume of ${row.exchange_name} in 24 hours, and its markets with price, spread and weight.`
    yield [
      thing('exchanges', row.exchange_id, `${row.exchange_name}: volume and markets`, text),
      <Exchange exchange={row} rows={markets.map(({ slug, market }) => ({ slug, ...market }))} />,
    ]
  }
  for (const { row, assets } of world.categories.values()) {
    const text = `Crypto assets of the category ${titled(row.name)} with price, change, market cap and volume.`
    yield [
      thing('categories', row.category_id, `${titled(row.name)}: crypto assets by market cap`, text),
      <CategoryPage category={row} rows={assets} />,
    ]
  }
}

const Missing = ({ path, program }: Page) => (
  <p>
    Without JavaScript, {path === 'token/index.html' && 'this address shows no listing, and '}nothing is sorted,
    filtered or refreshed; <a href={`${rootOf(path)}${API_FOLDER}.json`}>{API_FOLDER}.json</a> leads to the data.
    {program === 'list' && [
      ' A request is sent as JSON: ',
      <a href="../docs/#submitListingRequest">the command</a>,
      '.',
    ]}
  </p>
)

const AsOf = ({ listed, run: { label }, at, sources }: PublicationData) => (
  <>
    {counted(listed.length, 'listing')}, {label}. Published <Time at={at} />.
    {sources.map(
      ({ last_success, rights: { attribution } }) =>
        last_success !== null &&
        attribution !== null && [
          ' ',
          <a href={attribution.url} rel="noopener">
            {attribution.text}
          </a>,
          '.',
        ],
    )}
  </>
)

const addressOf = (path: string, site: string): string => new URL(path.replace(/index\.html$/, ''), site).href

function* crawlerFiles(paths: readonly string[], site: string): Generator<Attachment> {
  const urls = paths.map((path) => `<url><loc>${addressOf(path, site)}</loc></url>`).join('\n')
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`
  yield { path: 'sitemap.xml', text }
  yield { path: 'robots.txt', text: `User-agent: *\nAllow: /\nSitemap: ${addressOf('sitemap.xml', site)}\n` }
}

/**
 * Returns the pages as documents that need no script: the listings by rank, a page for each of the first listings, each
 * exchange and each category, and those that are published once.
 */
export const pageDocuments: Attachments = function* documents(world, written) {
  const { site } = world
  const assets = world.listed.map(({ asset }) => asset)
  const withLogo = assets.filter(({ slug, logo_url }) => logo_url?.endsWith(`/${logoFile(slug)}`))
  const facts: SiteFacts = {
    logos: withLogo.map(({ slug }) => slug),
    pages: (site.names ? [] : assets.slice(0, TOKEN_PAGES).map(({ slug }) => slug)).toSorted(),
    sources: Object.fromEntries(world.sources.map(({ source_id, source_label }) => [source_id, source_label])),
  }
  const around = siteAround(facts, '', site.address ?? SITE_PLACEHOLDER)
  const paths: string[] = []
  const built = ([page, content]: PageWithContent): Attachment => {
    paths.push(page.path)
    const text = documentOf(page, {
      site,
      content: <SiteContext.Provider value={{ ...around, root: rootOf(page.path) }}>{content}</SiteContext.Provider>,
      missing: <Missing {...page} />,
      canonical: site.address === null ? undefined : addressOf(page.path, site.address),
      notices: noticesOf(world),
      state: world.health.sourceStatus,
      asOf: <AsOf {...world} />,
    })
    return { path: page.path, text }
  }
  for (const page of pagesOf(site.ecosystem))
    if (page.path === 'index.html') yield* marketPages(world, page).map(built)
    else yield built([page, CONTENT[page.path]?.(world, written) ?? <p class="loading">Loading…</p>])
  // One at a time: the texts of all pages would be the most memory of a run.
  if (!site.names) for (const page of ownPages(world)) yield built(page)
  yield { path: `${LOGO_FOLDER}/LICENSE.txt`, text: `${licence.join('\n')}\n` }
  for (const { slug, external_ids } of withLogo) yield { path: logoFile(slug), text: `${logoOf(external_ids) ?? ''}\n` }
  yield searchIndex(world)
  yield { path: SITE_FACTS, text: `${JSON.stringify(facts)}\n` }
  if (site.address !== null) yield* crawlerFiles(paths, site.address)
}
