import { API_FOLDER } from '../contract/prefix.ts'
import { BRAND, type Brand } from './brand.ts'
import { figuresMark } from './kept-page.ts'

/** One page of the site. */
export interface Page {
  /** Relative to the tree's root. */
  readonly path: string
  /** Name of its script, without extension, in this folder. */
  readonly program: string
  /** Label in the navigation; null if it is not listed there. */
  readonly name: string | null
  readonly title: string
  readonly description: string
  /** Content of `main` before the script has loaded anything. */
  readonly body: string
  /** Markup shown without JavaScript: what is missing there, and where it is instead. */
  readonly noscript: string
  /** Absolute URL of the page; absent: the address of the site is not known. */
  readonly canonical?: string | undefined
  /** When its figures were taken over from the documents; absent: in each run. */
  readonly figuresAt?: string | undefined
  /** A notice above the page, such as that of sample data. */
  readonly notice?: string | undefined
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes outside text for content and attributes of HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)

/**
 * Content-Security-Policy: nothing is loaded from other origins, and nothing inline runs. Styles set by scripts
 * (`element.style`) do not count as inline styles.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const MARK =
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path d="M7 6v20M16 3v26M25 9v14"/><path class="body" d="M4 11h6v9H4zM13 7h6v12h-6zM22 13h6v6h-6z"/></svg>'

/** What all pages of a site share. */
interface SiteFrame {
  /** Name of the site. */
  readonly product: string
  /** All pages, for the navigation. */
  readonly pages: readonly Page[]
  /** Looks of the publisher; the built-in ones by default. */
  readonly brand?: Brand | undefined
}

/** Returns the HTML of a page. All its URLs are relative, so it works on any host and path. */
export function html(page: Page, { product: name, pages, brand = BRAND }: SiteFrame): string {
  const product = escaped(name)
  const { logo, currencies } = brand
  const root = page.path.includes('/') ? '../' : './'
  const links = pages
    .filter(({ name }) => name !== null)
    .map(({ name, path }) => {
      const here = path === page.path ? ' aria-current="page"' : ''
      return `<a href="${root}${path.replace(/index\.html$/, '')}"${here}>${name}</a>`
    })
  return `<!doctype html>
<html lang="en" data-theme="auto"${currencies === null ? '' : ` data-currencies="${currencies.join(' ')}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · ${product}</title>
<meta name="description" content="${escaped(page.description)}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${product}">
<meta property="og:title" content="${escaped(page.title)}">
<meta property="og:description" content="${escaped(page.description)}">
${page.canonical === undefined ? '' : `<meta property="og:url" content="${escaped(page.canonical)}">\n<link rel="canonical" href="${escaped(page.canonical)}">\n`}${page.figuresAt === undefined ? '' : `${figuresMark(page.figuresAt)}\n`}<link rel="icon" href="${root}${logo?.path ?? ICON_FILE}" type="image/svg+xml">
<link rel="stylesheet" href="${root}ui/style.css">
<link rel="alternate" type="application/atom+xml" href="${root}feed.xml" title="Changes">
<script src="${root}ui/theme.js"></script>
<script type="module" src="${root}ui/${page.program}.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="${root}">${logo === null ? MARK : `<img class="mark" src="${root}${logo.path}" alt="" width="32" height="32">`}${product}</a>
<nav aria-label="Site">${links.join('\n')}</nav>
<button id="theme" class="theme" type="button" aria-label="Colours">◐</button>
</header>
<section id="banner" class="banner" aria-label="Notice"${page.notice === undefined ? ' hidden' : ''}>${page.notice === undefined ? '' : `<p>${escaped(page.notice)}</p>`}</section>
<main id="main" tabindex="-1">
${page.body}
<noscript><div class="empty">${page.noscript}</div></noscript>
</main>
<footer>
<p id="as-of"></p>
<p><a href="${root}docs/">API</a> <a href="${root}openapi.json">OpenAPI</a> <a href="${root}${API_FOLDER}/markets.csv">CSV</a> <a href="${root}tokenlist.json">Token list</a> <a href="${root}feed.xml">Changes</a> <a href="${root}llms.txt">llms.txt</a></p>
</footer>
</body>
</html>
`
}

/** File of the favicon of a site without a logo of its own. */
export const ICON_FILE = 'ui/icon.svg'

/** The favicon. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e5f"/><path d="M8 8v16M16 5v22M24 10v12" stroke="#fff" stroke-width="2"/><path d="M5 12h6v8H5zM13 8h6v12h-6zM21 13h6v6h-6z" fill="#fff"/></svg>\n'
