import pLimit from 'p-limit'
import * as z from 'zod'
import {
  type EndpointSpec,
  type Key,
  documentPath,
  pathKey,
  pickingParameter,
  computedParameter,
  fileParameters,
  isOfDay,
  limitParameter,
  fileOf,
  queryParameters,
  urlOf,
} from '../core/contract/endpoint-spec.ts'
import { MAX_IDS, limitVariants } from '../core/contract/limit-variants.ts'
import { isPart } from '../core/contract/manifest.ts'
import { FOREIGN_PARAMETERS, type Parameter } from '../core/contract/parameters.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { parseJson } from '../core/contract/read-json.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import { MOST_FILE_BYTES } from '../core/tree/reader.ts'
import { textOf } from '../core/tree/remote.ts'
import { Comparisons } from './deviation.ts'
import { VerifyError } from './verify.ts'
import {
  type Answer,
  type Faults,
  conversionFaults,
  csvFaults,
  limitFaults,
  documentFaults,
  errorFaults,
  headFaults,
  headerFaults,
  methodFaults,
  preflightFaults,
  refusedFaults,
  sameFaults,
  selectionFaults,
  slugsIn,
  unchangedFaults,
  varyFaults,
} from './probe-expectations.ts'

/** The checks that each kind of host is documented to fail. */
const HOSTS = {
  /** Answers the whole contract. */
  full: [],
  /** Does so too, but answers the `.json` files itself, whatever their query says, as Cloudflare does. */
  assets: ['query of a file'],
  /** Answers the whole contract from files and rules, except what needs a program: limits without a file, `ids`, `vs`, CSV. */
  rules: ['limit without a file', 'query of a file', 'ids', 'vs', 'format'],
  /** Serves the `.json` files only, as GitHub Pages, a bucket or jsDelivr do. */
  static: [
    'query',
    'bare path',
    'trailing slash',
    'options',
    'method',
    'post',
    'error shape',
    'headers',
    'etag',
    'last-modified',
    'compression',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>
export type HostKind = keyof typeof HOSTS
export const HOST_KINDS = ['full', 'assets', 'rules', 'static'] as const satisfies readonly HostKind[]

const TIMEOUT_MS = 60_000

export type Ask = (path: string, init?: RequestInit) => Promise<Answer>

/** Returns a function that sends requests to a site. Its paths begin with a slash. @throws VerifyError if the site cannot be reached */
export const siteAt =
  (base: string, ask: typeof fetch): Ask =>
  async (path, init = {}) => {
    const url = base.replace(/\/$/, '') + path
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const { response, text } = await bodyOf(() => ask(url, { redirect: 'manual', signal, ...init })).catch(
      (cause: unknown) => {
        throw new VerifyError(`${url} cannot be reached`, { cause })
      },
    )
    if (text === null) throw new VerifyError(`${url} answers more than ${MOST_FILE_BYTES} bytes`)
    return { status: response.status, headers: response.headers, text, json: parseJson(text) }
  }

async function bodyOf(ask: () => Promise<Response>): Promise<{ response: Response; text: string | null }> {
  const response = await ask()
  return { response, text: response.body ? await textOf(response.body, MOST_FILE_BYTES) : '' }
}

const PARTS_AT_ONCE = 16

const ListedExamples = z.object({
  layout: z.unknown(),
  endpoints: z.array(z.object({ path: z.string(), example: z.string() })),
})
const Files = z.object({ rows: z.array(z.object({ path: z.string() })) })
const Rates = z.object({ rows: z.array(z.object({ symbol: z.string() })) })

/** `api/mkt/history/bitcoin/days=7.json` -> `/history/bitcoin` */
const DOCUMENT = new RegExp(`^${API_FOLDER}(/.*?)(?:/[^/]*=[^/]*)?\\.json$`)

/**
 * Returns requests that a site has documents for, since no listing, chain or source is in every tree: those of its index, or else the
 * first document that its manifest lists. `currencies` are those that amounts can be converted to.
 */
async function examplesAt(ask: Ask, index: unknown) {
  const filesIn = async (list: string): Promise<string[]> =>
    Files.safeParse((await ask(`/${list}`)).json).data?.rows.map(({ path }) => path) ?? []
  const [parts, rates] = await Promise.all([filesIn(LAYOUT.manifest), ask(`${PREFIX}/rates.json`)])
  const limit = pLimit(PARTS_AT_ONCE)
  const files = await Promise.all(parts.map(async (file) => (isPart(file) ? limit(() => filesIn(file)) : [file])))
  const { endpoints = [] } = ListedExamples.safeParse(index).data ?? {}
  const examples = new Map(endpoints.map(({ path, example }) => [path, example.split('?')[0] ?? '']))
  const paths = files.flat().flatMap((path) => DOCUMENT.exec(path)?.[1] ?? [])
  const symbols = (Rates.safeParse(rates.json).data?.rows ?? []).map(({ symbol }) => symbol.toLowerCase())

  function keyOf(spec: EndpointSpec): Key | null {
    if (!spec.path.includes('/:')) return {}
    const document = { ...spec, path: documentPath(spec) }
    const keys = paths.map((path) => pathKey(document, path)).filter((key) => key !== null)
    const own = pathKey(spec, (examples.get(PREFIX + spec.path) ?? '').slice(PREFIX.length))
    if (own !== null && keys.length > 0) return own
    return pickingParameter(spec) ? null : (keys[0] ?? null)
  }
  const other = symbols.find((symbol) => symbol !== 'usd')
  const names = new Set(files.flat())
  const hasFile = (file: string): boolean => names.size === 0 || names.has(file.slice(1))
  return { keyOf, hasFile, currencies: ['usd', ...(other === undefined ? [] : [other])] }
}

export type Probed = Awaited<ReturnType<typeof probe>>

/** Members of the index that only change with a publication. */
const Index = z.object({ snapshotId: z.string() })

/** The smallest limit, two with a file, one between them without, and one larger than any list. */
const PROBED_LIMITS = [1, 10, 100, 137, 1_000_000]
const WRONG = ['0', '-1', '07', '+7', '7.0', '1e1', '0x10', 'abc', '']

/**
 * Tests a site against the contract over HTTP. It writes nothing there: its only POST is invalid.
 *
 * @param host kind of host; what is documented to fail there is no finding, but missing
 * @returns findings, the number of tested answers by what they were tested for, and what is missing
 * @throws Error if the site cannot be reached
 */
export async function probe(ask: Ask, specs: readonly EndpointSpec[], host: HostKind) {
  const compared = new Comparisons()
  const missing = new Set<string>()
  const excused: readonly string[] = HOSTS[host]
  const isBare = !excused.includes('bare path')
  const note = (check: string, target: string, faults: Faults): void => {
    const isExcused = faults.length > 0 && excused.includes(check)
    if (isExcused) missing.add(check)
    const published = isExcused || faults.length === 0 ? GOOD : faults.join('; ')
    compared.of(check).same(target, '', { published, recomputed: GOOD, rule: 'the contract of the API' })
  }
  const index = await ask(INDEX)
  const site: Site = { ask, note, isBare, specs, examples: await examplesAt(ask, index.json) }
  for (const spec of specs) if (spec.method === 'GET' && !spec.isDerived) await probeEndpoint(site, spec)
  await probeErrors(site)
  const [before, after] = [index, await ask(INDEX)].map(({ json }) => Index.safeParse(json).data?.snapshotId ?? null)
  note('one snapshot', INDEX, before === after && before !== null ? [] : [`it changed from ${before} to ${after}`])
  return { findings: compared.findings, answers: Object.fromEntries(compared.figures), missing: [...missing] }
}

const INDEX = `${PREFIX}.json`
const GOOD = 'an answer of the contract'

interface Site {
  readonly ask: Ask
  readonly note: (check: string, target: string, faults: Faults) => void
  /** Whether the host answers paths without `.json`. */
  readonly isBare: boolean
  readonly specs: readonly EndpointSpec[]
  readonly examples: Awaited<ReturnType<typeof examplesAt>>
}

async function probeEndpoint(site: Site, spec: EndpointSpec): Promise<void> {
  const { ask, note, isBare, examples } = site
  const key = examples.keyOf(spec)
  // The tree has no document of this endpoint: no rates, chains or categories.
  if (key === null) return
  if (pickingParameter(spec)) return probePick(site, spec, key)
  const chosen = fileParameters(spec).find(([, { limits, default: value }]) => !limits && value !== undefined)
  const inFile = chosen ? { ...key, [chosen[0]]: chosen[1].default ?? '' } : key
  const [path, file] = [urlOf(spec, key), `/${fileOf(spec, inFile)}`]
  const full = await ask(isBare ? path : file)
  note('document', path, documentFaults(full, spec))
  note('headers', path, headerFaults(full))
  note('file', file, isBare && !isLive(spec) ? sameFaults(await ask(file), full) : documentFaults(full, spec))
  await probeConditions(site, isBare ? path : file, full)
  note('bare path', path, isBare ? [] : documentFaults(await ask(path), spec))
  note('trailing slash', `${path}/`, sameFaults(await ask(`${path}/`), full))
  note('options', path, preflightFaults(await ask(path, { method: 'OPTIONS' })))
  note('method', `DELETE ${path}`, methodFaults(await ask(path, { method: 'DELETE' })))
  await probeQueries(site, spec, { path, full })
  for (const query of fileParameters(spec)) await probeFiles(site, spec, key, { query, full })
  if (computedParameter(spec, 'format') !== undefined) await probeFormats(site, spec, { path, full })
}

async function probeQueries(
  site: Site,
  spec: EndpointSpec,
  { path, full }: { readonly path: string; readonly full: Answer },
): Promise<void> {
  const { ask, note, isBare } = site
  for (const { check, query, faultsOf } of queriesOf(site, spec, full)) {
    const answer = await ask(`${path}?${query}`)
    note(isBare ? check : 'query', `${path}?${query}`, faultsOf(answer))
    const file = `${path}.json?${query}`
    if (isBare) note('query of a file', file, sameFaults(await ask(file), answer))
  }
  for (const query of wrongQueries(site, spec, slugsIn(full).at(-1) ?? '')) {
    const wrong = await ask(`${path}?${query}`)
    note(isBare ? 'error shape' : 'query', `${path}?${query}`, errorFaults(wrong, 400, 'invalid_parameter'))
  }
}

interface Query {
  readonly check: string
  readonly query: string
  readonly faultsOf: (got: Answer) => Faults
}

/** Returns the queries of a list that only a program answers: limits, selections by slug, and other currencies. */
function queriesOf({ examples }: Site, spec: EndpointSpec, full: Answer): readonly Query[] {
  const limit = limitParameter(spec)
  const [rows, currency] = [computedParameter(spec, 'rows'), computedParameter(spec, 'currency')]
  const slugs = slugsIn(full)
  const last = slugs.at(-1) ?? ''
  const limits = limit === undefined ? [] : PROBED_LIMITS
  // Of a past day, not every currency of today has a rate.
  const known = isOfDay(spec) ? ['usd'] : examples.currencies
  const currencies = currency === undefined ? [] : [...known, 'USD']
  const first = limit === undefined ? Infinity : 3
  return [
    ...limits.map((size) => ({
      check: limitVariants(slugs.length).includes(size) ? 'limit' : 'limit without a file',
      query: `${limit}=${size}`,
      faultsOf: (got: Answer) => limitFaults(got, full, size),
    })),
    // The last row, together with a slug that has none.
    ...(rows === undefined ? [] : [rows]).map((name) => ({
      check: name,
      query: `${name}=${last === '' ? '' : `${last},`}no-such-asset`,
      faultsOf: (got: Answer) => [...documentFaults(got, spec), ...selectionFaults(got, full, last)],
    })),
    ...currencies.map((name) => ({
      check: currency ?? '',
      query: `${limit === undefined ? '' : `${limit}=3&`}${currency}=${name}`,
      faultsOf: (got: Answer) => conversionFaults(got, full, { spec, currency: name.toLowerCase(), first }),
    })),
  ]
}

/**
 * Returns queries that are refused: wrong values, and a parameter of other APIs, so that a program that pages ends. One
 * rule refuses all of those, so each endpoint is asked for another.
 */
function wrongQueries({ specs }: Site, spec: EndpointSpec, slug: string): readonly string[] {
  const foreign = FOREIGN_PARAMETERS.filter((name) => !(name in spec.parameters))
  const tooMany = Array.from({ length: MAX_IDS + 1 }, (_, number) => `a${number}`).join()
  const wrong = {
    rows: ['', 'Bitcoin', `${slug},${slug}`, `${slug},`, tooMany],
    currency: [...WRONG, 'xyz'],
    format: ['', 'CSV', 'xml'],
  }
  return [
    `${foreign[specs.indexOf(spec) % foreign.length]}=2`,
    ...queryParameters(spec).flatMap(([name, { computed, limits, allowed }]) => {
      const beyond = limits || typeof allowed === 'string' ? [] : ['2']
      const values = computed === undefined ? [...WRONG, ...beyond] : wrong[computed]
      return values.map((value) => `${name}=${encodeURIComponent(value)}`)
    }),
  ]
}

/** Probes the rows as CSV: by the parameter, by the `Accept` header, and again by their ETag. */
async function probeFormats(
  { ask, note, isBare }: Site,
  spec: EndpointSpec,
  { path, full }: { readonly path: string; readonly full: Answer },
): Promise<void> {
  const name = computedParameter(spec, 'format') ?? ''
  const check = isBare ? name : 'query'
  const target = `${path}?${name}=csv`
  const csv = await ask(target, { headers: { 'accept-encoding': 'identity' } })
  note(check, target, csvFaults(csv, full, spec))
  const accepted = await ask(path, { headers: { accept: 'text/csv, application/json;q=0.5' } })
  note(check, `${path} by Accept`, [...sameFaults(accepted, csv), ...[accepted, full].flatMap(varyFaults)])
  const headers = { 'accept-encoding': 'identity', 'if-none-match': csv.headers.get('etag') ?? 'none' }
  note(check, `${target} again`, unchangedFaults(await ask(target, { headers })))
  note(check, `${target} HEAD`, headFaults(await ask(target, { method: 'HEAD' }), csv))
}

async function probePick({ ask, note, isBare }: Site, spec: EndpointSpec, key: Key): Promise<void> {
  const path = urlOf(spec, key)
  const picked = await ask(path)
  note(isBare ? 'document' : 'bare path', path, documentFaults(picked, spec))
  if (isBare) note('headers', path, headerFaults(picked))
  note('method', `DELETE ${path}`, methodFaults(await ask(path, { method: 'DELETE' })))
  const unknown = `${path}-of-no-listing`
  note('error shape', unknown, errorFaults(await ask(unknown), 404, 'not_found'))
}

/** Whether a host may answer with a later state than the published file. */
const isLive = ({ name }: EndpointSpec): boolean => name === 'listing-requests'

async function probeConditions({ ask, note }: Site, path: string, full: Answer): Promise<void> {
  const identity = { 'accept-encoding': 'identity' }
  const plain = await ask(path, { headers: identity })
  const [etag, modified] = [plain.headers.get('etag') ?? 'none', plain.headers.get('last-modified') ?? 'none']
  const again = (headers: HeadersInit) => ask(path, { headers })
  note('head', path, headFaults(await ask(path, { method: 'HEAD' }), full))
  note('etag', path, unchangedFaults(await again({ ...identity, 'if-none-match': etag })))
  const { status } = await again({ 'if-none-match': '"other"' })
  note('etag', `${path} changed`, status === 200 ? [] : [`the status is ${status}, not 200`])
  note('last-modified', path, unchangedFaults(await again({ ...identity, 'if-modified-since': modified })))
  // Compressed files may be older than their document, and what `fetch` asks for by itself may be one of them.
  note('compression', `${path} identity`, sameFaults(plain, full))
  if (full.text.length < 2048) return
  for (const coding of ['gzip', 'br']) {
    const coded = await again({ 'accept-encoding': coding })
    const named = coded.headers.get('content-encoding')
    const faults = named === coding ? sameFaults(coded, plain) : [`Content-Encoding is ${named}`]
    note('compression', `${path} ${coding}`, faults)
    const tag = { 'accept-encoding': coding, 'if-none-match': coded.headers.get('etag') ?? 'none' }
    note('etag', `${path} ${coding}`, unchangedFaults(await again(tag)))
  }
}

/** Probes the files of a parameter: those of a limit, and those of each value. */
async function probeFiles(
  { ask, note, isBare, examples }: Site,
  spec: EndpointSpec,
  key: Key,
  { query: [name, { limits, allowed }], full }: { readonly query: readonly [string, Parameter]; readonly full: Answer },
): Promise<void> {
  const fileWith = (value: string | number) => `/${fileOf(spec, { ...key, [name]: value })}`
  for (const size of limits ? limitVariants(slugsIn(full).length).filter((one) => PROBED_LIMITS.includes(one)) : [])
    note('file', fileWith(size), limitFaults(await ask(fileWith(size)), full, size))
  for (const value of limits || typeof allowed === 'string' ? [] : allowed) {
    // Where a range of a listing has no bars, there is no document of it.
    if (!examples.hasFile(fileWith(value))) continue
    const path = urlOf(spec, { ...key, [name]: value })
    const [own, file] = [await ask(path), await ask(fileWith(value))]
    note('file', `${path} as a file`, documentFaults(file, spec))
    note(isBare ? name : 'query', path, [...documentFaults(own, spec), ...sameFaults(own, file)])
  }
}

async function probeErrors({ ask, note, specs }: Site): Promise<void> {
  for (const { path, absent } of specs) {
    if (!path.includes('/:slug')) continue
    const code = absent === undefined ? 'asset_not_found' : 'not_found'
    const target = PREFIX + path.replace(':slug', 'no-such-asset')
    note('error shape', target, errorFaults(await ask(target), 404, code))
    const odd = PREFIX + path.replace(':slug', 'No_Slug')
    note('error shape', odd, refusedFaults(await ask(odd), code))
  }
  for (const path of [
    '/no-such-endpoint',
    '/assets/bitcoin/markets/more',
    '/assets.jsonp',
    '/assets/..%2f..%2fpackage.json',
  ])
    note('error shape', PREFIX + path, errorFaults(await ask(PREFIX + path), 404, 'not_found'))
  const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'not JSON' }
  for (const { method, path } of specs)
    if (method === 'POST')
      note('post', `POST ${PREFIX}${path}`, errorFaults(await ask(PREFIX + path, post), 415, 'unsupported_media_type'))
}
