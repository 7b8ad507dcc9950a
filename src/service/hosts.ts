import type { EndpointSpec } from '../core/contract/endpoint-spec.ts'
import { SHARED_FILES } from '../core/contract/paths.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { PRODUCT } from '../core/contract/product.ts'
import {
  DOCUMENT_HEADERS,
  PLAIN_HEADERS,
  SHARED_HEADERS,
  livePaths,
  plainFiles,
  queryPattern,
  seriesPattern,
} from './host-rules.ts'

export interface Site {
  readonly specs: readonly EndpointSpec[]
  /** Name of the service; the built-in one by default. */
  readonly product?: string
  /** Folder of the tree, as the host sees it. */
  readonly tree: string
  /** `host:port` of the Node server for requests without a file. */
  readonly server: string
  /** Port that the host listens on. */
  readonly port: number
  /** Absent: one with the usual places. */
  readonly machine?: typeof here
  /** Whether nginx has the brotli static module. */
  readonly brotli: boolean
  /** Id of the D1 database of listing requests; null: none yet. */
  readonly database: string | null
}

export interface HostFile {
  readonly path: string
  readonly text: string
  /** In the published tree, or in the folder of the host's own files. */
  readonly place: 'tree' | 'folder'
}

export interface HostPlan {
  /** Files that follow from the endpoints alone. */
  readonly files?: (site: Site) => HostFile[]
  /** Texts in place of the `{{name}}` in the files that are kept for this host. */
  readonly values?: (site: Site) => Readonly<Record<string, string>>
  /** Destination of the host's program; absent: it runs none. */
  readonly program?: string
  /** Whether it hosts no tree, and runs the feed. */
  readonly isMachine?: true
  readonly next: string
}

const here = {
  /** Folder of the feed: its settings, and the program in its packages. */
  project: '/opt/quotetree',
  /** Path of the program, relative to that folder. */
  program: 'node_modules/quotetree/quotetree.js',
  node: '/usr/bin/node',
  cadenceMinutes: 30,
}

const ofMachine = ({ machine: { cadenceMinutes, ...paths } = here }: Site) => ({
  ...paths,
  api: API_FOLDER,
  cadence: String(cadenceMinutes),
})

/** Values of a server of files in front of the program, which answers requests without a file. */
const ofServer = ({ specs, product = PRODUCT, tree, server, port }: Site) => ({
  product,
  tree,
  server,
  port: String(port),
  prefix: PREFIX,
  query: queryPattern(specs),
  series: seriesPattern(specs),
})

/** Returns one text for each item, a line break between them. */
const each = <Item>(items: readonly Item[], text: (item: Item, place: number) => string): string =>
  items.map(text).join('\n')

/** Most requests have a file and work even while the program is down. */
function ofNginx(site: Site) {
  const { specs, brotli } = site
  const headers = each(
    PLAIN_HEADERS,
    ([name, value]) => `    add_header ${name} "${name === 'Vary' ? '$quotetree_vary' : value}" always;`,
  )
  return {
    ...ofServer(site),
    headers,
    shared_headers: each(SHARED_HEADERS, ([name, value]) => `    add_header ${name} "${value}" always;`),
    brotli: brotli ? 'brotli_static on;' : '# brotli_static on;  # with the package libnginx-mod-http-brotli-static',
    live_locations: each(
      livePaths(specs),
      (path) => `  location ~ ^${path}(?:\\.json$|/|$) { try_files /.none @program; }`,
    ),
  }
}

const json = (path: string, config: object): HostFile => ({
  path,
  text: `${JSON.stringify(config, null, 2)}\n`,
  place: 'folder',
})

/** The `_headers` file of Cloudflare. No path matches two rules: hosts would join the values of both. */
const headersFile: HostFile = {
  path: '_headers',
  text: [
    ...[`${PREFIX}.json`, `${PREFIX}/*.json`].map((path) => [path, DOCUMENT_HEADERS] as const),
    ...SHARED_FILES.map((path) => [path, SHARED_HEADERS] as const),
  ]
    .map(([path, headers]) => [path, ...headers.map(([name, value]) => `  ${name}: ${value}`), ''].join('\n'))
    .join('\n'),
  place: 'tree',
}

/** Cloudflare Workers: the assets serve files, the Worker serves every other path of the API. */
const cloudflare = ({ specs, tree, database }: Site): HostFile[] => [
  json('wrangler.jsonc', {
    $schema: 'https://unpkg.com/wrangler/config-schema.json',
    name: 'quotetree',
    main: 'worker.js',
    compatibility_date: '2026-04-01',
    assets: {
      directory: tree,
      binding: 'ASSETS',
      // The free plan limits requests to the Worker, not those for assets, which have the headers of _headers. The Worker
      // still gets requests for files that do not exist.
      run_worker_first: [PREFIX, `${PREFIX}/*`, ...plainFiles(specs).map((pattern) => `!${pattern}`)],
      html_handling: 'auto-trailing-slash',
      not_found_handling: 'none',
    },
    // Without a database, a POST is answered with 503.
    ...(database === null
      ? {}
      : { d1_databases: [{ binding: 'REQUESTS', database_name: 'quotetree-requests', database_id: database }] }),
    observability: { enabled: true },
  }),
  // Dot files are internal, and precompressed files are for hosts that do not compress.
  { path: '.assetsignore', text: '.*\n*.gz\n*.br\n!*.jsonl.gz\n', place: 'tree' },
  headersFile,
]

export const HOSTS: Readonly<Record<string, HostPlan>> = {
  cloudflare: {
    files: cloudflare,
    program: 'worker.js',
    next: 'npx wrangler d1 create quotetree-requests, this command again with --database <its id>, npx wrangler secret put QUEUE_SECRET, npx wrangler deploy',
  },
  nginx: {
    values: ofNginx,
    next: 'set compress: true, PROXIES=1 npm run serve, include quotetree.conf in nginx and reload it',
  },
  docker: {
    values: ofMachine,
    isMachine: true,
    next: 'docker compose -f compose.yml up --build --detach; the API is at http://127.0.0.1:8787',
  },
}
