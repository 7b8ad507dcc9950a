import { LOGO_FOLDER } from './site-files.ts'
import { PREFIX } from './prefix.ts'

/** Paths of token pages, with the slug. One page, `/token/`, shows every token; hosts answer `/token/<slug>` with it. */
export const TOKEN_PAGE = /^\/token\/([a-z0-9-]{1,64})$/

export const OPENAPI_FILE = 'openapi.json'

export const TABLE_LIST = 'state/tables.json'

/** Whether a path names a file beside the API's answers, by its extension: answers end in `.json` or have none. */
export const isAside = ({ pathname, search }: Pick<URL, 'pathname' | 'search'>): boolean =>
  /\.(?!json$)[a-z0-9]+$/.test(pathname) && !(pathname.endsWith('/assets.csv') && search !== '')

/** Files beside the API that other origins may read (CORS); `*` matches everything below. */
export const SHARED_FILES: readonly string[] = [
  `/${OPENAPI_FILE}`,
  '/schemas/*',
  '/state/*',
  '/tables/*',
  '/embed.js',
  `/${LOGO_FOLDER}/*`,
  '/tokenlist.json',
  '/feed.json',
  '/feed.xml',
  '/llms.txt',
  '/v1/*',
  '/api/v1/*',
  '/text/*',
  '/prices.journal',
  '/prices.beancount',
  `${PREFIX}/*.csv`,
  `${PREFIX}/*.ndjson`,
]

/** Returns the path of the file that names the replacement of a retired slug. File servers redirect if it exists. */
export const renameFile = (slug: string): string => `/renamed/${slug}.json`
