import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { SITE_PLACEHOLDER } from './pages.ts'

/** Shown above every page of sample data. */
export const SAMPLE_NOTICE = 'Sample data: real names, made-up numbers.'

/** What the parts of a page know of the site around them. */
export interface Site {
  /** Relative address of the site's root: `./` or `../`. */
  readonly root: string
  /** Absolute address of the site, with a slash at its end; a placeholder where it is not known. */
  readonly address: string
  /** Slugs of the listings that have a logo, and of those that have a page of their own. */
  readonly logos: ReadonlySet<unknown>
  readonly pages: ReadonlySet<unknown>
  readonly sources: ReadonlyMap<string, string>
}

export const SiteContext = createContext<Site>({
  root: './',
  address: SITE_PLACEHOLDER,
  logos: new Set(),
  pages: new Set(),
  sources: new Map(),
})

export const useSite = (): Site => useContext(SiteContext)

/** What has pages: one document for each of the first listings, each exchange and each category, and one page that shows any. */
export type Folder = 'token' | 'exchanges' | 'categories'

/** Returns the address of the page of a listing, an exchange or a category: its own document, or the page that shows any. */
export function addressOf({ root, pages }: Pick<Site, 'root' | 'pages'>, folder: Folder, id: string): string {
  const hasOwn = folder === 'token' ? pages.has(id) : pages.size > 0
  return `${root}${folder}/${hasOwn ? `${id}.html` : `?id=${id}`}`
}

export const pageFile = (folder: Folder, id: string): string => `${folder}/${id}.html`
