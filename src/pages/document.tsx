import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { hashing } from '../core/contract/digest.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import type { SiteRow } from '../core/history/rows.ts'
import { DOLLARS, titled } from './format.ts'
import { NOT_FOUND, type Page, pagesOf } from './pages.ts'

interface PageContent {
  readonly site: SiteRow
  readonly content: ComponentChildren
  /** Shown without JavaScript: what is missing there, and where it is instead. */
  readonly missing: ComponentChildren
  /** Absolute URL of the page; undefined: the address of the site is not known. */
  readonly canonical?: string | undefined
  readonly notices?: readonly string[]
  readonly state?: string
  readonly asOf?: ComponentChildren
  readonly root?: string
  /** A script that runs before all others, without any file. */
  readonly inline?: string
}

/** Content-Security-Policy: nothing is loaded from other origins, and nothing inline runs. Styles set by scripts do not count. */
const policyOf = (inline: string | undefined): string =>
  [
    "default-src 'none'",
    `script-src 'self'${inline === undefined ? '' : ` 'sha256-${hashing().update(inline).digest('base64')}'`}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')

export const rootOf = (path: string): string => (path.includes('/') ? '../' : './')

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width={24} height={24} fill="currentColor" aria-hidden="true">
    <path stroke="currentColor" stroke-width="2" d="M7 6v20M16 3v26M25 9v14" />
    <path d="M4 11h6v9H4zM13 7h6v12h-6zM22 13h6v6h-6z" />
  </svg>
)

/** Shown once all of it is there, because later parts may move others: on a phone all but the two longest, where none does. */
const FIRST_PAINT = { rel: 'expect', href: '#as-of', blocking: 'render' }

type DocumentProps = Page & PageContent & { readonly root: string }

const Head = ({ root, program, title, description, site: { product, brand }, canonical, inline }: DocumentProps) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content={policyOf(inline)} />
    <meta name="referrer" content="no-referrer" />
    <meta name="color-scheme" content="light dark" />
    <title>{`${title} · ${product}`}</title>
    <meta name="description" content={description} />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content={product} />
    <meta property="og:title" content={title} />
    <meta property="og:description" content={description} />
    {canonical !== undefined && <meta property="og:url" content={canonical} />}
    {canonical !== undefined && <link rel="canonical" href={canonical} />}
    <link rel="icon" href={root + (brand.logo?.path ?? ICON_FILE)} type="image/svg+xml" />
    <link rel="stylesheet" href={`${root}ui/style.css`} />
    <link {...FIRST_PAINT} media={['market', 'docs'].includes(program) ? '(min-width: 641px)' : 'all'} />
    <link rel="alternate" type="application/atom+xml" href={`${root}feed.xml`} title="Changes" />
    {inline !== undefined && <script dangerouslySetInnerHTML={{ __html: inline }} />}
    <script src={`${root}ui/theme.js`} />
    <script type="module" src={`${root}ui/${program}.js`} />
  </head>
)

const linksIn = (wanted: 'header' | 'footer', { site, root, path }: DocumentProps) =>
  pagesOf(site.ecosystem).map(
    ({ link, path: to }) =>
      link?.[1] === wanted && (
        <a href={root + to.replace(/index\.html$/, '')} aria-current={to === path ? 'page' : undefined}>
          {link[0]}
        </a>
      ),
  )

function Header(whole: DocumentProps) {
  const { root, site, state = 'ok' } = whole
  const { logo } = site.brand
  return (
    <header>
      <a class="brand" href={root}>
        {logo === null ? <Mark /> : <img class="mark" src={root + logo.path} alt="" width={24} height={24} />}
        {site.product}
      </a>
      <nav aria-label="Site">{linksIn('header', whole)}</nav>
      <form id="search-form" class="search" action={root} role="search">
        <input
          id="search"
          name="q"
          type="search"
          placeholder="Search coins"
          aria-label="Search names, symbols, pairs, contracts, categories and exchanges"
          aria-keyshortcuts="/"
          autocomplete="off"
          spellcheck={false}
        />
        <kbd aria-hidden="true">/</kbd>
        <ul id="found" aria-label="Found" hidden />
      </form>
      <input id="menu" type="checkbox" class="menu" aria-label="Menu" />
      <div class="tools">
        <a href={`${root}?list=watchlist`} class="watch">
          <span aria-hidden="true">☆</span> Watchlist
        </a>
        <a href={`${root}status/`} data-tone={state === 'ok' ? 'up' : 'warn'}>
          <span aria-hidden="true">●</span>
          <span class="hidden">{titled(state)}</span>
        </a>
        <select id="currency" aria-label="Currency">
          <option>{DOLLARS.symbol}</option>
        </select>
        <select id="theme" aria-label="Theme">
          {Object.entries({ 'light dark': 'Auto theme', light: 'Light', dark: 'Dark' }).map(([theme, name]) => (
            <option value={theme}>{name}</option>
          ))}
        </select>
        <a href={`${root}docs/`} class="button primary">
          API docs
        </a>
      </div>
    </header>
  )
}

const FILES = {
  'openapi.json': 'OpenAPI',
  [`${API_FOLDER}/markets.csv`]: 'CSV',
  'tokenlist.json': 'Token list',
  'feed.xml': 'Changes',
  'llms.txt': 'llms.txt',
}

const Document = (whole: DocumentProps) => (
  <html lang="en" data-program={whole.program} data-currencies={whole.site.brand.currencies?.join(' ') ?? undefined}>
    <Head {...whole} />
    <body>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header {...whole} />
      <section id="banner" aria-label="Notices">
        {whole.notices?.map((notice) => (
          <p>{notice}</p>
        ))}
      </section>
      <main id="main" tabindex={-1}>
        <div id="trouble" role="alert" />
        <div id="page">{whole.content}</div>
        <noscript>
          <div class="empty">{whole.missing}</div>
        </noscript>
      </main>
      <footer>
        <p id="as-of">{whole.asOf}</p>
        <nav aria-label="More">{linksIn('footer', whole)}</nav>
        <nav aria-label="Files">
          {Object.entries(FILES).map(([file, name]) => (
            <a href={whole.root + file}>{name}</a>
          ))}
        </nav>
      </footer>
      <div id="toast" role="status" />
    </body>
  </html>
)

export const documentOf = (page: Page, filled: PageContent): string =>
  `<!doctype html>\n${renderToString(<Document root={rootOf(page.path)} {...page} {...filled} />)}\n`

/**
 * Redirects `/token/<slug>`, the path in rows, to the page that shows any token. Many hosts of files have no rewrite rule and
 * show this page for what they lack, below any folder.
 */
const TO_TOKEN =
  'const [,root,slug]=/^(.*)\\/token\\/([a-z0-9-]+)(?:\\.html)?\\/?$/.exec(location.pathname)??[];if(slug)location.replace(`${root}/token/?id=${slug}`)'

/** Returns the page of what a host does not have. A site whose address is not known is taken to be the root of its host. */
export function notFoundPage(site: SiteRow): string {
  const root = site.address === null ? '/' : new URL(site.address).pathname
  const content = (
    <>
      <h1>Page not found</h1>
      <p class="lead">
        There is no page at this address. The listing may have been renamed, or the link may be mistyped.
      </p>
      <p>
        Search above, or go to <a href={root}>all coins</a>. The index of the API is{' '}
        <a href={`${root}${API_FOLDER}.json`}>
          <code>{API_FOLDER}.json</code>
        </a>
        .
      </p>
    </>
  )
  const missing = 'Without JavaScript there is no search.'
  return documentOf(NOT_FOUND, { site, root, content, missing, inline: TO_TOKEN })
}

export const ICON_FILE = 'ui/icon.svg'

export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3056d3"/><path d="M8 8v16M16 5v22M24 10v12" stroke="#fff" stroke-width="2"/><path d="M5 12h6v8H5zM13 8h6v12h-6zM21 13h6v6h-6z" fill="#fff"/></svg>\n'
