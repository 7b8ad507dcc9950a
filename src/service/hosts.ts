import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { SHARED_FILES } from '../contract/paths.ts'
import { API_FOLDER, PREFIX } from '../contract/prefix.ts'
import { PRODUCT } from '../contract/product.ts'
import {
  DOCUMENT_HEADERS,
  PLAIN_HEADERS,
  SHARED_HEADERS,
  defaults,
  filesPage,
  livePaths,
  plainFiles,
  queryPattern,
  seriesPattern,
} from './host-rules.ts'
import { SHAPE_FOLDERS, type ShapeFolders, shapedFolders } from './shapes.ts'

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
  /** Folders of the APIs that the host imitates; the built-in ones by default. */
  readonly shapes?: ShapeFolders
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
  /** Program of the host, and its destination. */
  readonly program?: { readonly name: 'cloudflare' | 'netlify' | 'vercel'; readonly path: string }
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

const ofMachine = ({ machine: { cadenceMinutes, ...paths } = here, product = PRODUCT }: Site) => ({
  ...paths,
  api: API_FOLDER,
  cadence: String(cadenceMinutes),
  times: cronTime(cadenceMinutes),
  // A `%` begins a specifier of systemd.
  name: product.replaceAll('%', '%%'),
})

/** Returns the times of a cadence for cron, which knows none that do not divide an hour or a day: the next shorter one then. */
export function cronTime(cadenceMinutes: number): string {
  const dividing = (of: number, most: number) =>
    Array.from({ length: of }, (_, place) => of - place).find((step) => of % step === 0 && step <= most) ?? 1
  if (cadenceMinutes < 60) return `*/${dividing(60, cadenceMinutes)} * * * *`
  const hours = dividing(24, Math.floor(cadenceMinutes / 60))
  return hours === 24 ? '7 0 * * *' : `7 */${hours} * * *`
}

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
  const usual = defaults(specs)
  const headers = each(
    PLAIN_HEADERS,
    ([name, value]) => `    add_header ${name} "${name === 'Vary' ? '$quotetree_vary' : value}" always;`,
  )
  return {
    ...ofServer(site),
    headers,
    shared_headers: each(SHARED_HEADERS, ([name, value]) => `    add_header ${name} "${value}" always;`),
    brotli: brotli ? 'brotli_static on;' : '# brotli_static on;  # with the package libnginx-mod-http-brotli-static',
    default_maps: each(
      usual,
      ({ file }, place) =>
        `map $quotetree_query $quotetree_usual${place} {\n  "" ${file};\n  default $quotetree_query;\n}`,
    ),
    default_locations: each(
      usual,
      ({ pattern }, place) =>
        `  location ~ ${pattern} {\n${headers}\n    try_files $uri$quotetree_usual${place}.json @program;\n  }`,
    ),
    live_locations: each(
      livePaths(specs),
      (path) => `  location ~ ^${path}(?:\\.json$|/|$) { try_files /.none @program; }`,
    ),
  }
}

/** Caddy uses the machine's time zone. In zones other than UTC, its errors have no time instead of a wrong one. */
function ofCaddy(site: Site) {
  const { specs } = site
  return {
    ...ofServer(site),
    headers: each(PLAIN_HEADERS, ([name, value]) => `        ${name} "${name === 'Vary' ? '{vary}' : value}"`),
    shared_headers: each(SHARED_HEADERS, ([name, value]) => `        ${name} "${value}"`),
    live_paths: livePaths(specs)
      .flatMap((path) => [path, `${path}.json`, `${path}/*`])
      .join(' '),
    defaults: each(
      defaults(specs),
      ({ pattern, file }, place) => `    @usual${place} {
      method GET HEAD
      not header Accept *text/csv*
      path_regexp ${pattern}
      query ""
      file {path}${file}.json
    }
    rewrite @usual${place} {path}${file}.json`,
    ),
  }
}

const json = (path: string, config: object): HostFile => ({
  path,
  text: `${JSON.stringify(config, null, 2)}\n`,
  place: 'folder',
})

/** The `_headers` file of Netlify and Cloudflare. No path matches two rules: hosts would join the values of both. */
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
  { path: '.assetsignore', text: '.*\n*.gz\n*.br\n', place: 'tree' },
  headersFile,
]

const asMembers = (headers: typeof DOCUMENT_HEADERS) => headers.map(([key, value]) => ({ key, value }))

/** The page of a listing at its path without an extension. What has no page is 404, whose page leads to the one for any token. */
const TOKEN_PAGES = { source: '/token/:slug([a-z0-9-]+)', destination: '/token/:slug.html' }

/** Vercel serves files before rewrites, so only requests without a file reach the function. */
const vercel = ({ tree, shapes = SHAPE_FOLDERS }: Site): HostFile[] => [
  json('vercel.json', {
    $schema: 'https://openapi.vercel.sh/vercel.json',
    framework: null,
    buildCommand: '',
    outputDirectory: tree,
    rewrites: [
      { source: PREFIX, destination: `/api/quotetree?at=${API_FOLDER}` },
      TOKEN_PAGES,
      ...[API_FOLDER, ...shapedFolders(shapes)].map((folder) => ({
        source: `/${folder}/:at(.*)`,
        destination: `/api/quotetree?at=${folder}/:at`,
      })),
    ],
    headers: [
      ...[`${PREFIX}.json`, `${PREFIX}/(.*)\\.json`].map((source) => ({
        source,
        headers: asMembers(DOCUMENT_HEADERS),
      })),
      ...SHARED_FILES.map((path) => ({ source: path.replace('*', '(.*)'), headers: asMembers(SHARED_HEADERS) })),
    ],
  }),
]

/** Configuration of `serve`, to preview the tree on a plain static host. */
const serve = ({ tree }: Site): HostFile[] => [
  json('serve.json', {
    public: tree,
    // Only pages: the API has a file and a folder of the same name.
    cleanUrls: ['/', '/*'],
    directoryListing: false,
    rewrites: [TOKEN_PAGES],
    headers: [`${API_FOLDER}.json`, `${API_FOLDER}/**/*.json`].map((source) => ({
      source,
      headers: asMembers(DOCUMENT_HEADERS.filter(([name]) => name !== 'Vary')),
    })),
  }),
]

export const HOSTS: Readonly<Record<string, HostPlan>> = {
  cloudflare: {
    files: cloudflare,
    program: { name: 'cloudflare', path: 'worker.js' },
    next: 'npx wrangler d1 create quotetree-requests, this command again with --database <its id>, npx wrangler secret put QUEUE_SECRET, npx wrangler deploy',
  },
  netlify: {
    files: () => [headersFile],
    values: ({ tree }) => ({ tree }),
    program: { name: 'netlify', path: 'functions/quotetree.mjs' },
    next: 'set QUEUE_DATABASE (<account>/<database> of D1), QUEUE_TOKEN and QUEUE_SECRET for the site, npx netlify-cli@27.10.2 deploy --prod',
  },
  vercel: {
    files: vercel,
    program: { name: 'vercel', path: 'api/quotetree.mjs' },
    next: 'set QUEUE_DATABASE (<account>/<database> of D1), QUEUE_TOKEN and QUEUE_SECRET for the project, npx vercel@64.0.2 deploy --prod',
  },
  nginx: {
    values: ofNginx,
    next: 'set compress: true, PROXIES=1 npm run serve, include quotetree.conf in nginx and reload it',
  },
  caddy: { values: ofCaddy, next: 'set compress: true, PROXIES=1 npm run serve, TZ=UTC caddy run' },
  docker: {
    values: ofMachine,
    isMachine: true,
    next: 'docker compose -f compose.yml up --build --detach; the API is at http://127.0.0.1:8787',
  },
  systemd: {
    values: ofMachine,
    isMachine: true,
    next:
      'sudo cp *.service *.timer /etc/systemd/system/, sudo systemctl daemon-reload, sudo systemctl enable --now ' +
      'quotetree-snapshot.timer, and after the first snapshot sudo systemctl enable --now quotetree-server.service',
  },
  cron: { values: ofMachine, isMachine: true, next: 'crontab quotetree.cron' },
  static: {
    files: ({ specs }) => [
      // Without it, GitHub Pages runs Jekyll and omits files that begin with an underscore.
      { path: '.nojekyll', text: '', place: 'tree' },
      { path: 'HOSTING.md', text: filesPage(specs), place: 'tree' },
    ],
    next: 'publish the tree; its HOSTING.md lists what works there',
  },
  serve: { files: serve, next: 'npx serve -c serve.json' },
}
