import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import type { Attachments } from '../core/endpoints/endpoint.ts'
import { DOCUMENT_HEADERS, SHARED_HEADERS } from '../service/hosts.ts'

const asMembers = (headers: typeof DOCUMENT_HEADERS) => headers.map(([key, value]) => ({ key, value }))

/** Exports what `npx serve <tree>` reads: the paths of the API without an extension, and the headers of files. */
export const serveConfig: Attachments = () => {
  const deeper = [['a'], ['a', 'b'], ['a', 'b', 'c']].map((names) => ({
    // Without an extension: `serve` would rewrite the file's own path again.
    source: PREFIX + names.map((name) => `/:${name}([^/.=]+)`).join(''),
    destination: `${PREFIX}${names.map((name) => `/:${name}`).join('')}.json`,
  }))
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
