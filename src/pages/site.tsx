import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Placeholder of the address of the site where it is not known; the script of the page fills it in. */
export const SITE_PLACEHOLDER = 'https://your-site.example/'

/** What is published about a site for the pages that its scripts draw. */
export interface SiteFacts {
  /** Slugs of the listings that have a logo, and of those that have a page of their own. */
  readonly logos: readonly string[]
  readonly pages: readonly string[]
  readonly sources: Readonly<Record<string, string>>
}

/** Returns what the parts of a page know of the site around them. */
export const siteAround = ({ logos, pages, sources }: SiteFacts, root: string, address: string, isWhole = false) => ({
  /** Address of the site's root; in a document it is relative: `./` or `../`. */
  root,
  /** Absolute address of the site, with a slash at its end; a placeholder where it is not known. */
  address,
  logos: new Set(logos),
  pages: new Set(pages),
  sources,
  /** Whether tables have all their rows; otherwise they have the first, and lead to the rest. */
  isWhole,
})
export type Site = ReturnType<typeof siteAround>

export const NO_FACTS: SiteFacts = { logos: [], pages: [], sources: {} }
export const SiteContext = createContext(siteAround(NO_FACTS, './', SITE_PLACEHOLDER))
export const useSite = (): Site => useContext(SiteContext)

/** What has pages: one document for each of the first listings, each exchange and each category, and one page that shows any. */
export const FOLDERS = { token: 'token', exchange: 'exchanges', category: 'categories' } as const
export type Folder = (typeof FOLDERS)[keyof typeof FOLDERS]

/** Returns the address of the page of a listing, an exchange or a category: its own document, or the page that shows any. */
export function addressOf({ root, pages }: Site, folder: Folder, id: string): string {
  const hasOwn = folder === 'token' ? pages.has(id) : pages.size > 0
  return `${root}${folder}/${hasOwn ? `${id}.html` : `?id=${id}`}`
}
