import { parseHTML } from 'linkedom'
import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { Attachment, Attachments } from '../endpoints/attachment.ts'
import type { World, Written } from '../endpoints/endpoint.ts'
import { parseJson } from '../contract/read-json.ts'
import { SPARKLINE } from '../contract/history.ts'
import { TOKEN_PAGES } from '../contract/site-files.ts'
import { globalOf } from '../endpoints/global.ts'
import type { Listing } from '../feed/listing.ts'
import { badges } from './badges.ts'
import { basis } from './basis.ts'
import type { Brand } from './brand.ts'
import { categoryList } from './categories-view.ts'
import { converter } from './converter.ts'
import { SITE_PLACEHOLDER, reference } from './docs-view.ts'
import { type Child, el, show } from './dom.ts'
import { ecosystemAssets, pools } from './ecosystem-view.ts'
import { venueList } from './exchanges-view.ts'
import { DOLLARS, moment } from './format.ts'
import { ROOT, SAMPLE_NOTICE } from './frame.ts'
import { type Page, html } from './html.ts'
import { keptPage, marked } from './kept-page.ts'
import { lineChart } from './line-chart.ts'
import { logoFiles, slugsWithLogo } from './logos.ts'
import { type LogoOf } from './marks.ts'
import { logoAddress } from './own-logos.ts'
import { BY_RANK } from './market-rows.ts'
import { headings, rowView } from './market-table.ts'
import { totals } from './market-totals.ts'
import { movers } from './movers.ts'
import { searchIds } from './search-ids.ts'
import { heldBack, method, overview, recentChanges, runCalendar, sourcesTable } from './status-view.ts'
import { contracts, figures, links, title } from './token-view.ts'
import { venues } from './venues.ts'

/** Number of rows of the market page as a document. */
const FIRST_ROWS = 100

const BUCKET_MS = SPARKLINE.bucket_hours * HOUR_MS

/** What the pages of a site are built from. */
interface SiteOptions {
  readonly product: string
  readonly pages: readonly Page[]
  /** Looks of the publisher; the built-in ones by default. */
  readonly brand?: Brand | undefined
  /** Address of the site, with a slash at its end; null: not known, so no page names its own address. */
  readonly site: string | null
}

/**
 * Returns the pages as documents that need no script: the market with its first rows, and a page for each of the first
 * listings, which `token/<slug>.html` and, on most hosts, `token/<slug>` name. The scripts of the pages take over from there.
 */
export function pageDocuments({ product, pages, brand, site }: SiteOptions): Attachments {
  return (world, written) => {
    const tokens = world.listed.slice(0, TOKEN_PAGES.most)
    const render = renderer(new Set(tokens.map(({ asset }) => asset.slug)))
    const withLogo = new Set(slugsWithLogo(world))
    const rendering = { world, render, logoOf: (slug: string) => (withLogo.has(slug) ? logoAddress(slug) : null) }
    const notice = world.label.startsWith('sample') ? SAMPLE_NOTICE : undefined
    const built = (page: Page): Attachment => {
      const canonical = site === null ? undefined : new URL(page.path.replace(/index\.html$/, ''), site).href
      const root = page.path.includes('/') ? '../' : './'
      const noscript = page.noscript.replaceAll('{root}', root).replaceAll(SITE_PLACEHOLDER, site ?? SITE_PLACEHOLDER)
      return { path: page.path, text: html({ ...page, noscript, canonical, notice }, { product, pages, brand }) }
    }
    const found = pages.map((page) => built(withContent(page, { ...rendering, written, site })))
    const template = pages.find(({ program }) => program === 'token')
    const pageOf = (page: Page, listing: Listing): Attachment => {
      const { slug } = listing.asset
      const empty = emptyTokenPage(page, listing.asset)
      const lasting = lastingOf(built(empty).text, listing.asset, rendering)
      const kept = keptPage(world.last(empty.path), { slug, lasting, at: world.at })
      if (kept !== null) return { path: empty.path, text: kept }
      const { path, text } = built(withFigures(empty, listing, rendering))
      return { path, text: marked(text, lasting) }
    }
    const own = template === undefined ? [] : tokens.map((listing) => pageOf(template, listing))
    return [
      ...found,
      ...own,
      ...badges(world),
      ...logoFiles(world),
      searchIds(world),
      ...(site === null ? [] : guides(site, [...found, ...own])),
    ]
  }
}

/** A link to the page of a token, as the scripts make it. */
const LINK = new RegExp(`"${new URL('token/', ROOT).href}#([a-z0-9-]+)"`, 'g')

interface Rendering {
  readonly world: World
  readonly logoOf: LogoOf
  readonly render: Render
}

interface Building extends Rendering {
  readonly written: Written
  readonly site: string | null
}

/** Content of the pages by the id of its place. */
const CONTENT: Readonly<Record<string, (building: Building) => Readonly<Record<string, () => Child>>>> = {
  market: ({ world, logoOf }) => ({
    summary: () => totals(globalOf(world), world.at, DOLLARS),
    movers: () =>
      movers(
        world.gainers,
        world.losers,
        world.listed.map(({ asset }) => asset),
      ),
    table: () => firstRows(world, logoOf),
  }),
  categories: ({ world }) => ({ categories: () => categoryList([...world.categories.values()].map(({ row }) => row)) }),
  exchanges: ({ world }) => ({ exchanges: () => venueList([...world.venues.values()].map(({ row }) => row)) }),
  ecosystem: ({ world }) => ({
    assets: () => ecosystemAssets({ rows: world.ecosystem, registry: world.registryCounts }),
    pairs: () => pools(world.pairs),
  }),
  status: ({ world }) => {
    const { sources: rows, freshness, methodology, health, withHistory } = world
    const coverage = { ...world.coverage, with_history: withHistory() }
    return {
      overview: () => overview({ coverage, freshness, rows, ...health }),
      runs: () => runCalendar(world.runs),
      sources: () => sourcesTable(rows),
      quarantine: () => heldBack(world.quarantine),
      changes: () => recentChanges(world.changes.latest),
      methodology: () => method({ methodology }),
    }
  },
  docs: ({ world, written, site }) => {
    const openApi = written.openApi()
    return openApi === null
      ? {}
      : { docs: () => reference(parseJson(openApi), site ?? SITE_PLACEHOLDER, world.listed[0]?.asset ?? null) }
  },
}

/** Returns a page with the content that its script would show. */
function withContent(page: Page, building: Building): Page {
  const root = page.path.includes('/') ? '../' : './'
  const places = Object.entries(CONTENT[page.program]?.(building) ?? {})
  return {
    ...page,
    body: places.reduce((body, [id, view]) => filled(body, id, building.render(root, view)), page.body),
  }
}

type Render = (root: string, view: () => Child) => string

/**
 * Returns a function that renders a view outside of a browser. Views create elements with the global document, which
 * exists for that time alone.
 *
 * @param own slugs with a page of their own
 */
function renderer(own: ReadonlySet<string>): Render {
  const { document, Node } = parseHTML('<!doctype html><html></html>')
  return (root, view) => {
    const before = { document: globalThis.document, Node: globalThis.Node }
    Object.assign(globalThis, { document, Node })
    try {
      const place = document.createElement('div')
      show(place, view())
      return (
        place.innerHTML
          .replaceAll(LINK, (_, slug: string) => `"${root}token/${own.has(slug) ? `${slug}.html` : `#${slug}`}"`)
          .replaceAll(ROOT.href, root)
          // The script replaces times by how long ago they were. The document does not know when it is read.
          .replaceAll(/(<time [^<>]*title="([^"<>]*)"[^<>]*>)[^<]*/g, '$1$2')
      )
    } finally {
      Object.assign(globalThis, before)
    }
  }
}

/** Puts content into an empty or loading part of a page. */
const filled = (body: string, id: string, content: string): string =>
  body.replace(
    new RegExp(`(<(div|p) id="${id}"[^>]*)>[\\s\\S]*?</\\2>`),
    (_, open: string, tag: string) => `${open}>${content}</${tag}>`,
  )

/** The first rows of the market, by rank. */
function firstRows(world: World, logoOf: LogoOf): Child {
  const rows = world.listed.slice(0, FIRST_ROWS).map(({ asset }) => asset)
  const head = headings(BY_RANK, () => {})
  return el(
    'div',
    { role: 'table', 'aria-label': 'Listings', class: 'table' },
    el('div', { role: 'rowgroup', class: 'sticky' }, head),
    el(
      'div',
      { role: 'rowgroup', class: 'rows built' },
      ...rows.map((asset, index) => rowOf({ world, logoOf }, asset, index)),
    ),
  )
}

function rowOf(
  { world, logoOf }: Pick<Rendering, 'world' | 'logoOf'>,
  asset: Listing['asset'],
  index: number,
): HTMLElement {
  const { element, fill } = rowView({ currency: () => DOLLARS, isWatched: () => false, logoOf, toggle: () => {} })
  fill({ ...asset, sparkline_7d: world.sparklineOf(asset.slug) }, index, false)
  return element
}

/** The line of the last seven days, from the values of the sparkline. */
function weekOf(world: World, slug: string): HTMLElement {
  const prices = world.sparklineOf(slug)
  const rows = prices.flatMap((price_usd, index) =>
    price_usd === null
      ? []
      : [{ timestamp: isoOf(Date.parse(world.at) - (prices.length - 1 - index) * BUCKET_MS), price_usd }],
  )
  return lineChart({ slug, days: 7, rows })
}

const withoutScript = (at: string): string =>
  '<p>Without JavaScript, the chart shows seven days, and the converter and other currencies are missing. ' +
  `Figures are from ${moment(at)}: this page takes over new ones every ${TOKEN_PAGES.hours} hours.</p>`

/** Returns the page of a token without its content. */
const emptyTokenPage = (template: Page, { slug, name, symbol }: Listing['asset']): Page => ({
  ...template,
  path: `token/${slug}.html`,
  noscript: '',
  title: `${name} (${symbol}): price, markets and history`,
  description: `Price of ${name} (${symbol}) with the venues behind it, market cap, supply, exchange markets, contracts and a year of history.`,
})

/** Returns what the page of a token shows besides figures. A change of it is published at once. */
function lastingOf(empty: string, asset: Listing['asset'], { logoOf }: Pick<Rendering, 'logoOf'>): string {
  const { slug, verification_status, listing_status, notice, replaced_by, description, held } = asset
  return JSON.stringify([
    empty,
    [logoOf(slug) !== null, verification_status, listing_status, notice, replaced_by, description],
    [asset.contracts, asset.links, asset.explorers],
    held.map(({ field, rule }) => [field, rule]),
    [asset.price_usd === null, Object.keys(asset.carried ?? {}).toSorted()],
  ])
}

/** Returns the page of a token with its present figures. */
function withFigures(page: Page, { asset, markets }: Listing, { world, render, logoOf }: Rendering): Page {
  const content = render('../', () => [
    title(asset, DOLLARS, logoOf),
    el(
      'section',
      { 'aria-label': 'Price history' },
      el('div', { class: 'ranges' }),
      el('div', { class: 'history' }, weekOf(world, asset.slug)),
    ),
    figures(asset, DOLLARS),
    converter(asset, DOLLARS),
    el('h2', {}, 'Markets'),
    el('div', {}, venues(markets)),
    el('h2', {}, 'How the price was computed'),
    el('section', { 'aria-label': 'How the price was computed' }, basis(asset)),
    contracts(asset),
    asset.description === null ? null : [el('h2', {}, 'About'), el('p', { class: 'prose' }, asset.description)],
    links(asset),
  ])
  return {
    ...page,
    noscript: withoutScript(world.at),
    figuresAt: world.at,
    body: filled(page.body, 'token', content),
  }
}

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
