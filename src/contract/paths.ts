import { PREFIX } from './words.ts'

/** One page shows every token: it stands at `/token/`, and hosts answer `/token/<slug>` with it. */
export const TOKEN_PAGE = /^\/token\/[a-z0-9-]{1,64}$/

/** The description of the API, below the tree's root. */
export const OPENAPI_FILE = 'openapi.json'

/** Whether an address is that of a file beside the answers of the API, by its ending: those end in `.json` or in none. */
export const isAside = (pathname: string): boolean => /\.(?!json$)[a-z0-9]+$/.test(pathname)

/** Files beside the API that are read from other origins as it is; `*` stands for what is below. */
export const SHARED_FILES: readonly string[] = [
  `/${OPENAPI_FILE}`,
  '/schemas/*',
  '/tokenlist.json',
  '/feed.json',
  '/feed.xml',
  '/llms.txt',
  `${PREFIX}/*.csv`,
  `${PREFIX}/*.ndjson`,
]

/** File, below the root, that says what replaced a slug which was given up. Servers of files tell from it that they redirect. */
export const renameFile = (slug: string): string => `/renamed/${slug}.json`
