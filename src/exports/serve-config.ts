import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import type { Attachments } from '../core/endpoints/endpoint.ts'
import { DOCUMENT_HEADERS, SHARED_HEADERS } from '../service/hosts.ts'

/** Parts of a path without an extension: `serve` would rewrite the file's own path again. */
const PARTS = ['a', 'b', 'c'].map((name) => [`/:${name}([^/.=]+)`, `/:${name}`] as const)

const asMembers = (headers: typeof DOCUMENT_HEADERS) => headers.map(([key, value]) => ({ key, value }))

/** Exports what `npx serve <tree>` reads: the paths of the API without an extension, and the headers of files. */
export const serveConfig: Attachments = () => {
  const deeper = PARTS.map((_, depth) => {
    const [source, destination] = [0, 1].map((at) =>
      PARTS.slice(0, depth + 1)
        .map((part) => part[at])
        .join(''),
    )
    return { source: PREFIX + source, destination: `${PREFIX}${destination}.json` }
  })
  const config = {
    // Only pages: the API has a file and a folder of the same name.
    cleanUrls: ['/', '/*'],
    directoryListing: false,
    rewrites: [
      { source: PREFIX, destination: `${PREFIX}.json` },
      ...deeper,
      { source: '/token/:slug([a-z0-9-]+)', destination: '/token/:slug.html' },
    ],
    headers: [
      { source: '**', headers: asMembers(SHARED_HEADERS) },
      ...[`${API_FOLDER}.json`, `${API_FOLDER}/**/*.json`].map((source) => ({
        source,
        headers: asMembers(DOCUMENT_HEADERS.filter(([name]) => name !== 'Vary')),
      })),
    ],
  }
  return [{ path: 'serve.json', text: `${JSON.stringify(config, null, 2)}\n` }]
}
