import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { CONTENT_TYPES } from '../contract/content-types.ts'
import { TOKEN_PAGE } from '../contract/paths.ts'
import { pathBelow } from './disk-store.ts'
import { EVERY_ANSWER } from './headers.ts'

/** What is shown: what a tree holds, and what a page of one's own may need. */
const TYPES: Readonly<Record<string, string>> = {
  ...CONTENT_TYPES,
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

const CACHE = 'public, max-age=300, stale-while-revalidate=600'

/**
 * A page, or what a page needs: a file of the tree beside the API. Null for what is none, or of a kind that is not shown.
 * A folder is its `index.html`, under an address that ends in a slash so that relative links lead where they should.
 */
export async function staticFile(root: string, url: URL): Promise<Response | null> {
  const path = decoded(url.pathname)
  if (path === null) return null
  // Its links lead elsewhere from below a slash.
  if (path.endsWith('/') && TOKEN_PAGE.test(path.slice(0, -1))) return moved(url.pathname.slice(0, -1) + url.search)
  const page = TOKEN_PAGE.test(path) ? '/token/' : path
  const file = page.slice(1) + (page.endsWith('/') ? 'index.html' : '')
  const found = await pathBelow(root, file)
  const type = TYPES[extname(file)]
  if (found !== null && type !== undefined) {
    const [body, { mtime, mtimeMs, size }] = await Promise.all([readFile(found), stat(found)])
    const headers = {
      ...EVERY_ANSWER,
      'content-type': type,
      'cache-control': CACHE,
      etag: `"${Math.round(mtimeMs * 1000).toString(36)}-${size.toString(36)}"`,
      'last-modified': mtime.toUTCString(),
    }
    return new Response(body, { headers })
  }
  const folder = page.endsWith('/') ? null : await pathBelow(root, `${file}/index.html`)
  if (folder === null) return null
  return moved(`${url.pathname}/${url.search}`)
}

const moved = (location: string): Response =>
  new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': CACHE } })

function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}
