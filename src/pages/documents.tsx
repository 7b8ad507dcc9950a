import type { ComponentChildren } from 'preact'
import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { Attachment, Attachments, World, Written } from '../endpoints/endpoint.ts'
import { SPARKLINE } from '../contract/history.ts'
import { ECOSYSTEM, type Ecosystem } from '../contract/product.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { TOKEN_PAGES } from '../contract/site-files.ts'
import { latestEvents } from '../endpoints/operations.ts'
import { sparklineOf } from '../history/series.ts'
import { globalOf } from '../endpoints/whole-market.ts'
import type { Listing } from '../feed/listing.ts'
import { Categories, Category } from './categories-view.tsx'
import { ChartChoices, USUAL_CHART } from './chart-choices.tsx'
import { Docs } from './docs-view.tsx'
import { type SiteFrame, documentOf, rootOf } from './document.tsx'
import { EcosystemPage } from './ecosystem-view.tsx'
import { Exchange, Exchanges } from './exchanges-view.tsx'
import { DOLLARS, moment, titled } from './format.ts'
import { SITE_PLACEHOLDER, guidesOf } from './guides.ts'
import { LineChart } from './line-chart.tsx'
import { RequestIntroduction } from './list-view.tsx'
import { Loading } from './loaded.tsx'
import { logoFiles, slugsWithLogo } from './logos.ts'
import { Market, askedIn } from './market-view.tsx'
import { Overview, mostTraded } from './market-totals.tsx'
import { type Page, pagesOf } from './pages.ts'
import { referenceOf } from './reference.ts'
import { searchIndex } from './search-index.ts'
import { SAMPLE_NOTICE, SiteContext, pageFile } from './site.tsx'
import { Method } from './method-view.tsx'
import { Status } from './status-view.tsx'
import { Token } from './token-view.tsx'

/** Number of rows of the market in its document. */
const FIRST_ROWS = 100

const BUCKET_MS = SPARKLINE.bucket_hours * HOUR_MS

/** What the pages of a site are built from. */
interface SiteOptions extends Omit<SiteFrame, 'pages'> {
  /** Address of the site, with a slash at its end; null: not known, so no page names its own address. */
  readonly site: string | null
  readonly ecosystem?: Ecosystem
}

interface Building {
  readonly world: World
  readonly written: Written
  readonly site: string
  readonly ecosystem: Ecosystem
}

/** Content of the pages that are published once, by path. */
const CONTENT: Readonly<Record<string, (building: Building) => ComponentChildren>> = {
  'index.html': ({ world }) => (
    <Market
      feed={world.listed.slice(0, FIRST_ROWS).map(({ asset }) => ({
        ...asset,
        sparkline_7d: sparklineOf(world.pastOf(asset.slug), world.seriesOf(asset.slug)),
      }))}
      above={
        <Overview
          mostTraded={mostTraded(world.listed.map(({ asset }) => asset))}
          global={globalOf(world)}
          generatedAt={world.at}
          gainers={world.gainers}
          losers={world.losers}
        />
      }
      isPart={false}
      asked={askedIn(new URLSearchParams(), '')}
    />
  ),
  'token/index.html': () => <Loading />,
  'categories/index.html': ({ world }) => (
    <Categories rows={[...world.categories.values()].map(({ row }) => row)} chains={[]} />
  ),
  'exchanges/index.html': ({ world }) => <Exchanges rows={[...world.venues.values()].map(({ row }) => row)} />,
  'ecosystem/index.html': ({ world, ecosystem }) => (
    <EcosystemPage {...ecosystem} rows={world.ecosystem} registry={world.registryCounts} pairs={world.pairs} />
  ),
  'status/index.html': ({ world }) => (
    <Status
      {...world.health}
      rows={world.sources}
      freshness={world.freshness}
      coverage={{ ...world.coverage, with_history: world.withHistory() }}
      runs={world.runs}
      held={world.quarantine}
      changes={latestEvents(world)}
    />
  ),
  'method/index.html': ({ world }) => <Method methodology={world.methodology} />,
  'list/index.html': () => <RequestIntroduction />,
  'docs/index.html': ({ world, written, site }) => {
    const openApi = written.openApi()
    return openApi === null ? (
      <Loading />
    ) : (
      <Docs guides={guidesOf(world, site)} reference={referenceOf(openApi)} site={site} />
    )
  },
}

/** What a page lacks without JavaScript, by program, besides what all pages lack. */
const LACKS: Readonly<Record<string, string>> = {
  market: `the market shows the first ${FIRST_ROWS} listings by rank, and `,
  token: 'the chart shows seven days, there is no converter, and ',
}

/** The page that shows any token, by its script. */
const ANY_TOKEN = 'token/index.html'

interface MissingProps {
  readonly page: Page
  /** When the figures of the page were taken over; undefined: in this publication. */
  readonly figuresAt: string | undefined
}

/** What a page says without JavaScript. */
const Missing = ({ page: { path, program }, figuresAt }: MissingProps) => (
  <>
    <p>
      Without JavaScript, {path === ANY_TOKEN ? 'this address shows no listing, and ' : LACKS[program]}nothing is
      sorted, filtered or refreshed. Figures are from{' '}
      {figuresAt === undefined ? 'the last publication' : moment(figuresAt)};{' '}
      <a href={`${rootOf(path)}${API_FOLDER}.json`}>{API_FOLDER}.json</a> leads to the data.
    </p>
    {program === 'list' && (
      <p>
        A request is sent as JSON: <a href="../docs/#submitListingRequest">the command</a>.
      </p>
    )}
  </>
)

/** A page of one thing. */
interface Own {
  readonly page: Page
  readonly content: () => ComponentChildren
}

/**
 * Returns the pages as documents that need no script: the market with its first rows, and a page for each of the first
 * listings, each exchange and each category. The scripts of the pages take over from there.
 */
export function pageDocuments({ site, ecosystem = ECOSYSTEM, ...looks }: SiteOptions): Attachments {
  const frame = { ...looks, pages: pagesOf(ecosystem) }
  return (world, written) => {
    const hasPages = !world.site.names
    const slugs = {
      logos: new Set(slugsWithLogo(world)),
      pages: new Set(hasPages ? world.listed.slice(0, TOKEN_PAGES.most).map(({ asset }) => asset.slug) : []),
    }
    const sources = new Map(world.sources.map(({ source_id, source_label }) => [source_id, source_label]))
    const notice = world.label.startsWith('sample') ? SAMPLE_NOTICE : undefined
    const address = site ?? SITE_PLACEHOLDER
    const built = (page: Page, content: ComponentChildren, figuresAt?: string): string => {
      const canonical = site === null ? undefined : new URL(page.path.replace(/index\.html$/, ''), site).href
      const around = { root: rootOf(page.path), currency: DOLLARS, sources, ...slugs }
      return documentOf(page, frame, {
        content: <SiteContext.Provider value={around}>{content}</SiteContext.Provider>,
        missing: <Missing page={page} figuresAt={figuresAt} />,
        canonical,
        notice,
        figuresAt,
      })
    }
    const found = frame.pages.map((page) => {
      const content = CONTENT[page.path]?.({ world, written, site: address, ecosystem })
      return { path: page.path, text: built(page, content) }
    })
    const things = hasPages ? [...tokenPages(world), ...exchangePages(world), ...categoryPages(world)] : []
    const own = things.map(({ page, content }): Attachment => {
      return { path: page.path, text: built(page, content(), world.at) }
    })
    return [
      ...found,
      ...own,
      ...logoFiles(world),
      searchIndex(world),
      { path: TOKEN_PAGES.list, text: `${JSON.stringify([...slugs.pages].toSorted())}\n` },
      ...(site === null ? [] : guides(site, [...found, ...own])),
    ]
  }
}

/** The line of the last seven days, from the values of the sparkline. */
function Week({ world, slug }: { readonly world: World; readonly slug: string }) {
  const prices = sparklineOf(world.pastOf(slug), world.seriesOf(slug))
  const rows = prices.flatMap((price_usd, index) =>
    price_usd === null
      ? []
      : [{ timestamp: isoOf(Date.parse(world.at) - (prices.length - 1 - index) * BUCKET_MS), price_usd }],
  )
  return (
    <>
      <ChartChoices asked={USUAL_CHART} />
      <div class="history">
        <LineChart slug={slug} days={7} interval={`${SPARKLINE.bucket_hours}h`} to={world.at} rows={rows} />
      </div>
    </>
  )
}

/** The pages of the first listings. */
const tokenPages = (world: World): Own[] =>
  world.listed.slice(0, TOKEN_PAGES.most).map(({ asset, markets }: Listing) => {
    const { slug, name, symbol } = asset
    return {
      page: {
        path: pageFile('token', slug),
        program: 'token',
        name: null,
        title: `${name} (${symbol}): price, markets and history`,
        description: `Price of ${name} (${symbol}) with the venues behind it, market cap, supply, exchange markets, contracts and a year of history.`,
      },
      content: () => <Token asset={asset} markets={markets} chart={<Week world={world} slug={slug} />} />,
    }
  })

const exchangePages = ({ venues }: World): Own[] =>
  [...venues.values()].map(({ row, markets }) => ({
    page: {
      path: pageFile('exchanges', row.exchange_id),
      program: 'exchanges',
      name: null,
      title: `${row.exchange_name}: volume and markets`,
      description: `Volume of ${row.exchange_name} in 24 hours, and its markets with price, spread and weight.`,
    },
    content: () => <Exchange exchange={row} rows={markets.map(({ slug, market }) => ({ ...market, slug }))} />,
  }))

const categoryPages = ({ categories }: World): Own[] =>
  [...categories.values()].map(({ row, assets }) => ({
    page: {
      path: pageFile('categories', row.category_id),
      program: 'categories',
      name: null,
      title: `${titled(row.name)}: crypto assets by market cap`,
      description: `Crypto assets of the category ${titled(row.name)} with price, change, market cap and volume.`,
    },
    content: () => <Category category={row} rows={assets} />,
  }))

/** What crawlers read first: the addresses of all pages. */
function guides(site: string, documents: readonly Attachment[]): Attachment[] {
  const urls = documents.map(
    ({ path }) => `<url><loc>${new URL(path.replace(/index\.html$/, ''), site).href}</loc></url>`,
  )
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`
  return [
    { path: 'sitemap.xml', text },
    { path: 'robots.txt', text: `User-agent: *\nAllow: /\nSitemap: ${new URL('sitemap.xml', site).href}\n` },
  ]
}
