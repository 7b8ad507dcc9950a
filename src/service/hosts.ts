import { range } from 'd3-array'
import { type EndpointSpec, fileParameters, pickingParameter } from '../core/contract/endpoint-spec.ts'
import { SHARED_FILES } from '../core/contract/paths.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { PRODUCT } from '../core/contract/product.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER } from './http.ts'

export interface HostedSite {
  readonly specs: readonly EndpointSpec[]
  readonly product?: string
  /** Folder of the tree, as the host sees it. */
  readonly tree: string
  /** Id of the D1 database of listing requests; null: none yet. */
  readonly database: string | null
  /** Repository whose workflow the Worker starts; null: it starts none. */
  readonly repository: string | null
  readonly cadenceMinutes: number
  /** The program of the feed, relative to its folder. */
  readonly program: string
}

interface HostPlan {
  /** Texts in place of the `{{name}}` in the files that are kept for this host. */
  readonly values: (site: HostedSite) => Readonly<Record<string, string>>
  /** Names of its files that belong in the published tree. */
  readonly inTree?: readonly string[]
  /** Whether it hosts no tree, and runs the feed. */
  readonly isMachine?: true
  readonly next: string
}

type Header = readonly [name: string, value: string]

const DOCUMENT_HEADERS: readonly Header[] = Object.entries({ ...EVERY_ANSWER, 'cache-control': DOCUMENT_CACHE })

/** Headers of files beside the API that other origins may read. */
const SHARED_HEADERS = DOCUMENT_HEADERS.filter(([name]) =>
  ['access-control-allow-origin', 'x-content-type-options', 'cross-origin-resource-policy'].includes(name),
)

/** Returns the paths of endpoints with a POST. The Node server answers them and their files, because its data is newer. */
const livePaths = (specs: readonly EndpointSpec[]): string[] =>
  specs.filter(({ method }) => method === 'POST').map(({ path }) => PREFIX + path)

/**
 * Returns patterns of the document files that need no Worker: no queue answers them, no slug in them may redirect, and no
 * name has a `=`, which Cloudflare redirects to its percent-encoded form without the headers of the API.
 */
function plainFiles(specs: readonly EndpointSpec[]): string[] {
  const posted = livePaths(specs)
  const patternOf = ({ path }: EndpointSpec) => PREFIX + path.replaceAll(/:[a-z_]+/g, '*')
  const reads = specs.filter(
    ({ method, path }) => method === 'GET' && !posted.includes(PREFIX + path) && !path.includes('/:slug'),
  )
  const variants = reads.flatMap((spec) => fileParameters(spec).map(([name]) => `${patternOf(spec)}/${name}=.json`))
  return reads
    .filter(({ isDerived }) => !isDerived)
    .filter((spec) => fileParameters(spec).every(([name]) => name === 'limit') && pickingParameter(spec) === null)
    .map((spec) => `${patternOf(spec)}.json`)
    .filter((pattern) => {
      const [start = '', end] = pattern.split('*')
      return end === undefined || !variants.some((file) => file.startsWith(start) && file.endsWith(end))
    })
}

/** Returns the schedule of a cadence, as closely as cron has it: minutes of each hour, or hours of each day, in UTC. */
const cronOf = (minutes: number): string =>
  minutes <= 60 ? `${range(0, 60, minutes).join()} * * * *` : `0 ${range(0, 24, Math.floor(minutes / 60)).join()} * * *`

/** The assets serve files, the Worker serves every other path of the API. */
function cloudflareValues({ specs, tree, database, repository, cadenceMinutes }: HostedSite) {
  const listed = (headers: readonly Header[]) => headers.map(([name, value]) => `  ${name}: ${value}`).join('\n')
  // Without a database, a POST is answered with 503.
  const requests = { binding: 'REQUESTS', database_name: 'quotetree-requests', database_id: database }
  return {
    tree: JSON.stringify(tree),
    // The free plan limits requests to the Worker, not those for assets, which have the headers of _headers. The Worker
    // still gets requests for files that do not exist.
    worker_first: JSON.stringify([PREFIX, `${PREFIX}/*`, ...plainFiles(specs).map((pattern) => `!${pattern}`)]),
    databases: JSON.stringify(database === null ? [] : [requests]),
    // Without the secret DISPATCH_TOKEN, the Worker starts nothing.
    crons: JSON.stringify(repository === null ? [] : [cronOf(cadenceMinutes)]),
    vars: JSON.stringify(repository === null ? {} : { REPOSITORY: repository }),
    prefix: PREFIX,
    headers: listed(DOCUMENT_HEADERS),
    // No path matches two rules: hosts would join the values of both.
    shared: SHARED_FILES.map((path) => `${path}\n${listed(SHARED_HEADERS)}\n`).join('\n'),
  }
}

/** Most requests have a file and work even while the program is down. */
function nginxValues({ specs, product = PRODUCT, tree }: HostedSite) {
  // nginx derives the type from the name of a file.
  const headers = DOCUMENT_HEADERS.filter(([name]) => name !== 'content-type')
  const added = ([name, value]: Header) =>
    `    add_header ${name} "${name === 'vary' ? '$quotetree_vary' : value}" always;`
  // Paths whose format depends on the `Accept` header: the program prints them as CSV.
  const series = specs.filter(({ parameters }) => 'format' in parameters)
  const live = livePaths(specs).map((path) => `  location ~ ^${path}(?:\\.json$|/|$) { try_files /.none @program; }`)
  return {
    product,
    tree,
    prefix: PREFIX,
    series: `^${PREFIX}(?:${series.map(({ path }) => path.replace(/:.*/, '')).join('|')})`,
    headers: headers.map(added).join('\n'),
    shared_headers: SHARED_HEADERS.map(added).join('\n'),
    live_locations: live.join('\n'),
  }
}

export const HOSTS: Readonly<Record<string, HostPlan>> = {
  cloudflare: {
    values: cloudflareValues,
    // Of dot files the tree has internal ones alone, and precompressed files are for hosts that do not compress.
    inTree: ['_headers', '.assetsignore'],
    next: 'npx wrangler d1 create quotetree-requests, this command again with --database <its id>, npx wrangler secret put QUEUE_SECRET, npx wrangler deploy',
  },
  nginx: {
    values: nginxValues,
    next: 'set compress: true, PROXIES=1 npm run serve, include quotetree.conf in nginx and reload it',
  },
  docker: {
    values: ({ program, cadenceMinutes }) => ({ program, api: API_FOLDER, cadence: String(cadenceMinutes) }),
    isMachine: true,
    next: 'docker compose -f compose.yml up --build --detach; the API is at http://127.0.0.1:8787',
  },
}
