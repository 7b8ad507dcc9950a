import { SHARED_FILES } from '../contract/paths.ts'
import { PREFIX } from '../contract/words.ts'
import { DOCUMENT_HEADERS, SHARED_HEADERS } from './headers.ts'
import type { HostFile, Site } from './host-files.ts'

const FILES = `${PREFIX}/*.json`

/** `_headers`, as Netlify and Cloudflare read it. */
const headersFile = (): string =>
  [
    ...[`${PREFIX}.json`, FILES].map((path) => [path, DOCUMENT_HEADERS] as const),
    // No path stands under two rules: hosts join the values of both.
    ...SHARED_FILES.map((path) => [path, SHARED_HEADERS] as const),
  ]
    .map(([path, headers]) => [path, ...headers.map(([name, value]) => `  ${name}: ${value}`), ''].join('\n'))
    .join('\n')

/** Cloudflare Workers: the API from the Worker, the pages from the assets. */
export function cloudflare({ tree, database }: Site): HostFile[] {
  const config = {
    $schema: 'https://unpkg.com/wrangler/config-schema.json',
    name: 'quotetree',
    main: 'worker.js',
    compatibility_date: '2026-04-01',
    assets: {
      directory: tree,
      binding: 'ASSETS',
      // A file beside a path without `.json` would be answered without the Worker's headers.
      run_worker_first: [PREFIX, `${PREFIX}.json`, `${PREFIX}/*`],
      html_handling: 'auto-trailing-slash',
      not_found_handling: 'none',
    },
    // Without a database, a POST is answered 503.
    ...(database === null
      ? {}
      : { d1_databases: [{ binding: 'REQUESTS', database_name: 'quotetree-requests', database_id: database }] }),
    observability: { enabled: true },
  }
  return [
    { path: 'wrangler.jsonc', text: `${JSON.stringify(config, null, 2)}\n`, place: 'folder' },
    // What begins with a dot is the publisher's own, and twins are for hosts that do not compress.
    { path: '.assetsignore', text: '.*\n*.gz\n*.br\n', place: 'tree' },
    { path: '_headers', text: headersFile(), place: 'tree' },
  ]
}

/** Netlify: files where there are some, the function for the rest; the CDN keeps both as long as their headers say. */
export function netlify({ tree }: Site): HostFile[] {
  const text = `# Made by npm run hosting -- netlify. Deploy with: npx netlify-cli@27.10.2 deploy --prod

[build]
  publish = "${tree}"

[functions]
  directory = "functions"

# One page shows every token.
[[redirects]]
  from = "/token/:slug"
  to = "/token/index.html"
  status = 200
`
  return [
    { path: 'netlify.toml', text, place: 'folder' },
    { path: '_headers', text: headersFile(), place: 'tree' },
  ]
}

/** Vercel: files come before rewrites, so only what is no file goes to the function. */
export function vercel({ tree }: Site): HostFile[] {
  const headers = DOCUMENT_HEADERS.map(([key, value]) => ({ key, value }))
  const shared = SHARED_HEADERS.map(([key, value]) => ({ key, value }))
  const config = {
    $schema: 'https://openapi.vercel.sh/vercel.json',
    framework: null,
    buildCommand: '',
    outputDirectory: tree,
    rewrites: [
      { source: PREFIX, destination: '/api/quotetree?at=' },
      { source: '/token/:slug', destination: '/token/index.html' },
      { source: `${PREFIX}/:at(.*)`, destination: '/api/quotetree?at=:at' },
    ],
    headers: [
      { source: `${PREFIX}.json`, headers },
      { source: `${PREFIX}/(.*)\\.json`, headers },
      ...SHARED_FILES.map((path) => ({ source: path.replace('*', '(.*)'), headers: shared })),
    ],
  }
  return [{ path: 'vercel.json', text: `${JSON.stringify(config, null, 2)}\n`, place: 'folder' }]
}
