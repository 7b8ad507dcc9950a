import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { DOLLARS, type ShownCurrency } from './format.ts'

/** What the parts of a page know of the site around them. */
export interface Site {
  /** Relative address of the site's root: `./` or `../`. */
  readonly root: string
  /** The currency that amounts are shown in. */
  readonly currency: ShownCurrency
  /** Slugs of the listings that have a logo, and of those that have a page of their own. */
  readonly logos: ReadonlySet<unknown>
  readonly pages: ReadonlySet<unknown>
}

export const SiteContext = createContext<Site>({ root: './', currency: DOLLARS, logos: new Set(), pages: new Set() })

/** The present time in ms; null in a document, which does not know when it is read. */
export const NowContext = createContext<number | null>(null)

/** Returns the site around a part of a page. */
export const useSite = (): Site => useContext(SiteContext)

/** Returns the address of a listing's page: its own document, or the page that shows any listing. */
export const tokenAddress = ({ root, pages }: Pick<Site, 'root' | 'pages'>, slug: string): string =>
  `${root}token/${pages.has(slug) ? `${slug}.html` : `?id=${slug}`}`

/** Returns the address of the page of an exchange or a category from a page: that of all of them where things have no pages. */
export const addressFrom = ({ root, pages }: Pick<Site, 'root' | 'pages'>, page: string): string =>
  root + (pages.size > 0 ? page : page.slice(0, page.indexOf('/') + 1))

/** Returns the address of the page of an exchange, relative to the root. */
export const exchangeAddress = (id: string): string => `exchanges/${id}.html`

/** Returns the address of the page of a category, relative to the root. */
export const categoryAddress = (id: string): string => `categories/${id}.html`
