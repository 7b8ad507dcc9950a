import { createReadStream, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { createStreamBody } from '@hono/node-server/utils/stream'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { TOKEN_PAGE } from '../core/contract/paths.ts'
import { LAYOUT, originalOf } from '../core/tree/layout.ts'
import { folderReader, pathBelow } from '../core/tree/reader.ts'
import { isListed } from './documents.ts'
import { BY_ACCEPT, EVERY_ANSWER, RANGED, type Reply, rangedResponse } from './http.ts'
import { decoded } from './resolve.ts'

const LOOK_EVERY_MS = 200

/**
 * Returns the function that gives an id of the current publication, `''` for none. It checks the disk at most every
 * {@link LOOK_EVERY_MS}. A new publication replaces the index, and its head after that.
 */
export function editionsOf(root: string, now: () => number): () => string {
  let edition = ''
  let looked = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - looked < LOOK_EVERY_MS) return edition
    looked = now()
    edition = [LAYOUT.index, LAYOUT.head].flatMap((file) => stampOf(join(root, file))).join(' ')
    return edition
  }
}

/** None of a file that is missing, or that the disk cannot give at the moment: a server goes on without it. */
function stampOf(path: string): string[] {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return [`${mtimeMs} ${size} ${ino}`]
  } catch {
    return []
  }
}

const HTML = 'text/html; charset=utf-8'

const CACHE = 'public, max-age=300, stale-while-revalidate=600'

/**
 * Returns the file of the tree at a URL beside the API, or null if there is none or its type is not served. A folder serves
 * its `index.html` at a URL with a trailing slash, so that relative links work.
 *
 * sirv would need a `.br` and a `.gz` of each file to answer with a coding, has weak ETags of size and time, and follows links
 * out of the tree. The Worker needs the same ranges for its assets.
 */
export async function staticFile(root: string, request: Request): Promise<Reply | Response | null> {
  const url = new URL(request.url)
  const path = decoded(url.pathname)
  if (path === null) return null
  // With a trailing slash its relative links would break.
  if (path.endsWith('/') && TOKEN_PAGE.test(path.slice(0, -1))) return moved(url.pathname.slice(0, -1) + url.search)
  const [, slug] = TOKEN_PAGE.exec(path) ?? []
  if (slug !== undefined) {
    // Its own page or, where there are too many, the one that shows any listing.
    const own = await pathBelow(root, `token/${slug}.html`)
    const page = own ?? ((await isListed(folderReader(root), slug)) ? await pathBelow(root, 'token/index.html') : null)
    return page === null ? null : fileAt(page, HTML, request)
  }
  const file = path.slice(1) + (path.endsWith('/') ? 'index.html' : '')
  const found = await pathBelow(root, file)
  // Precompressed files are for servers that do not compress.
  const type = originalOf(file) !== file ? undefined : CONTENT_TYPES[extname(file)]
  if (found !== null && type !== undefined) return fileAt(found, type, request)
  const folder = path.endsWith('/') ? null : await pathBelow(root, `${file}/index.html`)
  return folder === null ? null : moved(`${url.pathname}/${url.search}`)
}

export async function missingPage(root: string): Promise<Reply | null> {
  const found = await pathBelow(root, '404.html')
  if (found === null) return null
  const headers = { ...EVERY_ANSWER, ...BY_ACCEPT, 'content-type': HTML, 'cache-control': 'no-store' }
  return { respond: async () => new Response(await readFile(found), { status: 404, headers }) }
}

async function fileAt(path: string, type: string, request: Request): Promise<Reply | Response> {
  const { mtime, mtimeMs, size } = await stat(path)
  const etag = `"${Math.round(mtimeMs * 1000).toString(36)}-${size.toString(36)}"`
  const own = { 'content-type': type, 'cache-control': CACHE, etag, 'last-modified': mtime.toUTCString() }
  if (RANGED.test(path))
    return rangedResponse(request, size, own, (start, length) =>
      createStreamBody(createReadStream(path, { start, end: start + length - 1 })),
    )
  return {
    name: `${path} ${etag}`,
    respond: async () => new Response(await readFile(path), { headers: { ...EVERY_ANSWER, ...own } }),
  }
}

const moved = (location: string): Reply => ({
  respond: async () =>
    new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': CACHE } }),
})
