import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { hashing } from '../contract/digest.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { BRAND, type Brand } from './brand.ts'
import { CurrencySwitch } from './currency.tsx'
import { DOLLARS } from './format.ts'
import { NOT_FOUND, type Page } from './pages.ts'
import { SearchForm } from './search-form.tsx'
import { NO_SITE } from './site.tsx'

/** What all pages of a site share. */
export interface SiteFrame {
  /** Name of the site. */
  readonly product: string
  /** All pages, for the navigation. */
  readonly pages: readonly Page[]
  /** Looks of the publisher; the built-in ones by default. */
  readonly brand?: Brand | undefined
}

interface Filled {
  readonly content: ComponentChildren
  /** Shown without JavaScript: what is missing there, and where it is instead. */
  readonly missing: ComponentChildren
  /** Absolute URL of the page; undefined: the address of the site is not known. */
  readonly canonical?: string | undefined
  /** When its figures were taken over from the documents; absent: in each run. */
  readonly figuresAt?: string | undefined
  /** A notice above the page, such as that of sample data. */
  readonly notice?: string | undefined
  /** Address of the root from the page. */
  readonly root?: string
  /** A script that runs before all others, without any file. */
  readonly inline?: string
}

/**
 * Content-Security-Policy: nothing is loaded from other origins, and nothing inline runs. Styles set by scripts
 * (`element.style`) do not count as inline styles.
 */
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

/** Relative address of the root for a page of the site. */
export const rootOf = (path: string): string => (path.includes('/') ? '../' : './')

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" fill="currentColor" aria-hidden="true">
    <path stroke="currentColor" stroke-width="2" d="M7 6v20M16 3v26M25 9v14" />
    <path d="M4 11h6v9H4zM13 7h6v12h-6zM22 13h6v6h-6z" />
  </svg>
)

type Whole = Page & Filled & SiteFrame & { readonly root: string }

function Head({ root, program, title, description, product, brand = BRAND, canonical, figuresAt, inline }: Whole) {
  return (
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
      {figuresAt !== undefined && <meta name="figures" content={figuresAt} />}
      <link rel="icon" href={root + (brand.logo?.path ?? ICON_FILE)} type="image/svg+xml" />
      <link rel="stylesheet" href={`${root}ui/style.css`} />
      <link rel="alternate" type="application/atom+xml" href={`${root}feed.xml`} title="Changes" />
      {inline !== undefined && <script dangerouslySetInnerHTML={{ __html: inline }} />}
      <script src={`${root}ui/theme.js`} />
      <script type="module" src={`${root}ui/${program}.js`} />
    </head>
  )
}

function Header({ path, root, product, pages, brand = BRAND }: Whole) {
  const { logo, currencies } = brand
  return (
    <header>
      <a class="brand" href={root}>
        {logo === null ? <Mark /> : <img class="mark" src={root + logo.path} alt="" width={32} height={32} />}
        {product}
      </a>
      <div id="search-place">
        <SearchForm {...NO_SITE} root={root} />
      </div>
      <div id="currency" class="currency">
        <CurrencySwitch named={currencies} rates={null} chosen={DOLLARS.symbol} read={() => {}} choose={() => {}} />
      </div>
      <button id="theme" class="theme" type="button" aria-label="Colours">
        ◐
      </button>
      <input id="menu" type="checkbox" class="menu" aria-label="Menu" />
      <nav aria-label="Site">
        {pages.map(({ name, path: to }) =>
          name === null ? null : (
            <a href={root + to.replace(/index\.html$/, '')} aria-current={to === path ? 'page' : undefined}>
              {name}
            </a>
          ),
        )}
      </nav>
    </header>
  )
}

const Footer = ({ root }: { readonly root: string }) => (
  <footer>
    <p id="as-of" />
    <p>
      <a href={`${root}docs/`}>API</a> <a href={`${root}openapi.json`}>OpenAPI</a>{' '}
      <a href={`${root}${API_FOLDER}/markets.csv`}>CSV</a> <a href={`${root}tokenlist.json`}>Token list</a>{' '}
      <a href={`${root}feed.xml`}>Changes</a> <a href={`${root}llms.txt`}>llms.txt</a>
    </p>
  </footer>
)

const Document = (whole: Whole) => (
  <html
    lang="en"
    data-theme="auto"
    data-root={whole.root}
    data-currencies={whole.brand?.currencies?.join(' ') ?? undefined}
  >
    <Head {...whole} />
    <body>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header {...whole} />
      <section id="banner" class="banner" aria-label="Notice" hidden={whole.notice === undefined}>
        {whole.notice !== undefined && <p>{whole.notice}</p>}
      </section>
      <main id="main" tabindex={-1}>
        <div id="trouble" />
        <div id="page">{whole.content}</div>
        <noscript>
          <div class="empty">{whole.missing}</div>
        </noscript>
      </main>
      <Footer root={whole.root} />
    </body>
  </html>
)

/** Returns the HTML of a page. Its URLs are relative by default, so it works on any host and path. */
export const documentOf = (page: Page, frame: SiteFrame, filled: Filled): string =>
  `<!doctype html>\n${renderToString(<Document root={rootOf(page.path)} {...page} {...frame} {...filled} />)}\n`

/**
 * Redirects `/token/<slug>`, the path in rows, to the page that shows any token. Many hosts of files have no rewrite rule and
 * show this page for what they lack, below any folder.
 */
const TO_TOKEN =
  'const [,root,slug]=/^(.*)\\/token\\/([a-z0-9-]+)(?:\\.html)?\\/?$/.exec(location.pathname)??[];if(slug)location.replace(`${root}/token/?id=${slug}`)'

/**
 * Returns the page of what a host does not have.
 *
 * @param site address of the site; null: not known, and taken to be the root of its host
 */
export function notFound(frame: SiteFrame, site: string | null): string {
  const root = site === null ? '/' : new URL(site).pathname
  const content = (
    <>
      <h1>Page not found</h1>
      <p class="lead">
        There is no page at this address. The listing may have been renamed, or the link may be mistyped.
      </p>
      <p>
        Search above, or go to <a href={root}>the market</a>. The index of the API is{' '}
        <a href={`${root}${API_FOLDER}.json`}>
          <code>{API_FOLDER}.json</code>
        </a>
        .
      </p>
    </>
  )
  return documentOf(NOT_FOUND, frame, {
    root,
    content,
    missing: 'Without JavaScript there is no search.',
    inline: TO_TOKEN,
  })
}

/** File of the favicon of a site without a logo of its own. */
export const ICON_FILE = 'ui/icon.svg'

/** The favicon. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e5f"/><path d="M8 8v16M16 5v22M24 10v12" stroke="#fff" stroke-width="2"/><path d="M5 12h6v8H5zM13 8h6v12h-6zM21 13h6v6h-6z" fill="#fff"/></svg>\n'
