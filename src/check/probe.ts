import * as z from 'zod'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import {
  type EndpointSpec,
  type Key,
  answerSchemaOf,
  computedParameter,
  documentPath,
  fileOf,
  fileParameters,
  isOfDay,
  limitParameter,
  pathKey,
  pickingParameter,
  queryParameters,
  urlOf,
} from '../core/contract/endpoint-spec.ts'
import { ErrorAnswer } from '../core/contract/error.ts'
import { MAX_IDS, limitVariants } from '../core/contract/limit-variants.ts'
import { isPart } from '../core/contract/manifest.ts'
import { FOREIGN_PARAMETERS, type Parameter } from '../core/contract/parameters.ts'
import { ensured } from '../core/contract/order.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { isRecord, parseJson } from '../core/contract/read-json.ts'
import { slugEntries } from '../core/contract/selection.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import { MOST_FILE_BYTES } from '../core/tree/reader.ts'
import { bodyText, inParallel } from '../core/tree/remote.ts'
import { WITHOUT_QUEUE } from '../service/listing-requests.ts'
import { serviceApp } from '../service/service.ts'
import type { Finding } from './deviation.ts'
import { VerifyError } from './verify.ts'

/** The checks that each kind of host is documented to fail. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  full: [],
  /** Answers the `.json` files itself, whatever their query says, as Cloudflare does. */
  assets: ['query of a file'],
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
}
export const HOST_KINDS = Object.keys(HOSTS)

const TIMEOUT_MS = 60_000

export type Ask = ReturnType<typeof siteAt>
export type ProbeAnswer = Awaited<ReturnType<Ask>>

export const siteAt = (base: string, ask: typeof fetch) => async (path: string, init?: RequestInit) => {
  const url = base.replace(/\/$/, '') + path
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const received = async () => {
    const response = await ask(url, { redirect: 'manual', signal, ...init })
    return { response, text: response.body ? await bodyText(response.body, MOST_FILE_BYTES) : '' }
  }
  const { response, text } = await received().catch((cause: unknown) => {
    throw new VerifyError(`${url} cannot be reached`, { cause })
  })
  if (text === null) throw new VerifyError(`${url} answers more than ${MOST_FILE_BYTES} bytes`)
  return { status: response.status, headers: response.headers, text, json: parseJson(text) }
}

/** Of what is compared: compressed files may be older than their document, and `fetch` asks for them by itself. */
const PLAIN = { headers: { 'accept-encoding': 'identity' } } as const

/** Returns what this program answers from the whole documents of a site. */
function expectedAt(ask: Ask, specs: readonly EndpointSpec[]) {
  const files = new Map<string, Promise<ProbeAnswer>>()
  async function read(file: string): Promise<string | null> {
    if (/\/limit=\d+\.json$/.test(file)) return null
    const { status, text } = await ensured(files, file, () => ask(`/${file}`, PLAIN))
    return status === 200 ? text : null
  }
  const own = { specs, read, intake: WITHOUT_QUEUE, product: '', now: Date.now, report: () => {}, sender: () => '' }
  const app = serviceApp(() => ({ ...own, deliver: ({ respond }) => respond() }))
  return async (path: string) => ({ text: await (await app.request(path)).text() })
}

const PARTS_AT_ONCE = 16

const Index = z.object({
  snapshotId: z.string(),
  endpoints: z.array(z.object({ path: z.string(), example: z.string() })).optional(),
})
const Files = z.object({ rows: z.array(z.object({ path: z.string() })) })
const Rates = z.object({ rows: z.array(z.object({ symbol: z.string() })) })

/** `api/mkt/history/bitcoin/days=7.json` -> `/history/bitcoin` */
const DOCUMENT = new RegExp(`^${API_FOLDER}(/.*?)(?:/[^/]*=[^/]*)?\\.json$`)

/** Returns requests that a site has documents for: those of its index, or else the first document of its manifest. */
async function examplesAt(ask: Ask, index: unknown) {
  const filesIn = async (list: string): Promise<string[]> =>
    Files.safeParse((await ask(`/${list}`)).json).data?.rows.map(({ path }) => path) ?? []
  const [parts, rates] = await Promise.all([filesIn(LAYOUT.manifest), ask(`${PREFIX}/rates.json`)])
  const files = (await inParallel(parts, PARTS_AT_ONCE, async (file) => (isPart(file) ? filesIn(file) : [file]))).flat()
  const { endpoints = [] } = Index.safeParse(index).data ?? {}
  const examples = new Map(endpoints.map(({ path, example }) => [path, example.split('?')[0] ?? '']))
  const paths = files.flatMap((path) => DOCUMENT.exec(path)?.[1] ?? [])
  const symbols = (Rates.safeParse(rates.json).data?.rows ?? []).map(({ symbol }) => symbol.toLowerCase())
  const others = symbols.filter((symbol) => symbol !== 'usd')
  const names = new Set(files)
  const hasFile = (file: string): boolean => names.size === 0 || names.has(file.slice(1))

  function keyOf(spec: EndpointSpec): Key | null {
    if (!spec.path.includes('/:')) return {}
    const document = { ...spec, path: documentPath(spec) }
    const keys = paths.map((path) => pathKey(document, path)).filter((key) => key !== null)
    const own = pathKey(spec, (examples.get(PREFIX + spec.path) ?? '').slice(PREFIX.length))
    if (pickingParameter(spec)) return keys.length > 0 ? own : null
    return [own, ...keys].find((key) => key !== null && hasFile(`/${fileOf(spec, withDefaults(spec, key))}`)) ?? null
  }
  return { keyOf, hasFile, currencies: ['usd', ...others.slice(0, 1)] }
}

export type Probed = Awaited<ReturnType<typeof probe>>

/** The smallest limit, two with a file, one between them without, and one larger than any list. */
const PROBED_LIMITS = [1, 10, 100, 137, 1_000_000]
const WRONG = ['0', '-1', '07', '+7', '7.0', '1e1', '0x10', 'abc', '']

/**
 * Tests a site against the contract over HTTP. It writes nothing there: its only POST is invalid. What is documented
 * to fail on such a host is missing, and no finding.
 */
export async function probe(ask: Ask, specs: readonly EndpointSpec[], host: string) {
  const findings: Finding[] = []
  const answers: Record<string, number> = {}
  const missing = new Set<string>()
  const excused = HOSTS[host] ?? []
  const isBare = !excused.includes('bare path')
  const note = (check: string, target: string, faults: Faults): void => {
    answers[check] = (answers[check] ?? 0) + 1
    if (faults.length === 0) return
    if (excused.includes(check)) missing.add(check)
    else findings.push({ check, document: target, member: '', published: faults.join('; '), ...GOOD })
  }
  const index = await ask(INDEX)
  const examples = await examplesAt(ask, index.json)
  const site: Site = { ask, expected: expectedAt(ask, specs), note, isBare, specs, examples }
  for (const spec of specs) if (spec.method === 'GET' && !spec.isDerived) await probeEndpoint(site, spec)
  await probeErrors(site)
  const [before, after] = [index, await ask(INDEX)].map(({ json }) => Index.safeParse(json).data?.snapshotId ?? null)
  note('one snapshot', INDEX, before === after && before !== null ? [] : [`it changed from ${before} to ${after}`])
  return { findings, answers, missing: [...missing] }
}

const INDEX = `${PREFIX}.json`
const GOOD = { recomputed: 'an answer of the contract', rule: 'the contract of the API' }

interface Site {
  readonly ask: Ask
  readonly expected: ReturnType<typeof expectedAt>
  readonly note: (check: string, target: string, faults: Faults) => void
  readonly isBare: boolean
  readonly specs: readonly EndpointSpec[]
  readonly examples: Awaited<ReturnType<typeof examplesAt>>
}

/** The whole document of an endpoint, its values, and the path that it was asked for at. */
interface Document {
  readonly key: Key
  readonly path: string
  readonly full: ProbeAnswer
}

function withDefaults(spec: EndpointSpec, key: Key): Key {
  const chosen = fileParameters(spec).find(([, { limits, default: value }]) => !limits && value !== undefined)
  return chosen ? { ...key, [chosen[0]]: chosen[1].default ?? '' } : key
}

async function probeEndpoint(site: Site, spec: EndpointSpec): Promise<void> {
  const { ask, note, isBare, examples } = site
  const key = examples.keyOf(spec)
  // The tree has no document of this endpoint: no rates, chains or categories.
  if (key === null) return
  if (pickingParameter(spec)) return probePick(site, spec, key)
  const [path, file] = [urlOf(spec, key), `/${fileOf(spec, withDefaults(spec, key))}`]
  const full = await ask(isBare ? path : file)
  note('document', path, documentFaults(full, spec))
  note('headers', path, headersFaults(full, OF_DOCUMENTS))
  // The queue changes between two answers.
  const isLive = spec.name === 'listing-requests'
  note('file', file, isBare && !isLive ? sameFaults(await ask(file), full) : documentFaults(full, spec))
  await probeConditions(site, isBare ? path : file, full)
  note('bare path', path, isBare ? [] : documentFaults(await ask(path), spec))
  note('trailing slash', `${path}/`, sameFaults(await ask(`${path}/`), full))
  note('options', path, headFaultsOf(await ask(path, { method: 'OPTIONS' }), 204, PREFLIGHT))
  note('method', `DELETE ${path}`, methodFaults(await ask(path, { method: 'DELETE' })))
  const document = { key, path, full }
  await probeQueries(site, spec, document)
  for (const query of fileParameters(spec)) await probeFiles(site, spec, query, document)
  const format = computedParameter(spec, 'format')
  if (format !== undefined) await probeFormats(site, format, document)
}

async function probeQueries(site: Site, spec: EndpointSpec, { path, full }: Document): Promise<void> {
  const { ask, expected, note, isBare } = site
  const last = slugsIn(full).at(-1) ?? ''
  for (const [check, query] of queriesOf(site, spec, last)) {
    const target = `${path}?${query}`
    const answer = await ask(target, PLAIN)
    note(isBare ? check : 'query', target, [
      ...documentFaults(answer, spec),
      ...sameFaults(answer, await expected(target)),
    ])
    const file = `${path}.json?${query}`
    if (isBare) note('query of a file', file, sameFaults(await ask(file, PLAIN), answer))
  }
  for (const query of wrongQueries(site, spec, last)) {
    const wrong = await ask(`${path}?${query}`)
    note(isBare ? 'error shape' : 'query', `${path}?${query}`, errorFaults(wrong, 400, 'invalid_parameter'))
  }
}

function queriesOf({ examples }: Site, spec: EndpointSpec, last: string): (readonly [name: string, query: string])[] {
  const [limit, rows] = [limitParameter(spec), computedParameter(spec, 'rows')]
  const currency = computedParameter(spec, 'currency')
  const short = limit === undefined ? '' : `${limit}=3&`
  // Of a past day, not every currency of today has a rate.
  const known = isOfDay(spec) ? ['usd'] : examples.currencies
  return [
    ...(limit === undefined ? [] : PROBED_LIMITS.map((size) => [limit, `${limit}=${size}`] as const)),
    ...(rows === undefined ? [] : [[rows, `${rows}=${last === '' ? '' : `${last},`}no-such-asset`] as const]),
    ...(currency === undefined
      ? []
      : [...known, 'USD'].map((name) => [currency, `${short}${currency}=${name}`] as const)),
  ]
}

/** Queries that are refused. One rule refuses all foreign parameters, so each endpoint is asked for another. */
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

async function probeFormats(
  { ask, expected, note, isBare }: Site,
  name: string,
  { path, full }: Document,
): Promise<void> {
  const check = isBare ? name : 'query'
  const target = `${path}?${name}=csv`
  const csv = await ask(target, PLAIN)
  note(check, target, [
    ...headFaultsOf(csv, 200, { ...CORS, 'content-type': CONTENT_TYPES['.csv'] ?? null }),
    ...sameFaults(csv, await expected(target)),
    ...(csv.headers.get('etag') === full.headers.get('etag') ? ['the ETag is that of the JSON'] : []),
  ])
  const accepted = await ask(path, { headers: { accept: 'text/csv, application/json;q=0.5' } })
  note(check, `${path} by Accept`, [...sameFaults(accepted, csv), ...[accepted, full].flatMap(varyFaults)])
  const headers = { ...PLAIN.headers, 'if-none-match': csv.headers.get('etag') ?? 'none' }
  note(check, `${target} again`, unchangedFaults(await ask(target, { headers })))
  note(check, `${target} HEAD`, headFaults(await ask(target, { method: 'HEAD' }), csv))
}

async function probePick({ ask, note, isBare }: Site, spec: EndpointSpec, key: Key): Promise<void> {
  const path = urlOf(spec, key)
  const picked = await ask(path)
  note(isBare ? 'document' : 'bare path', path, documentFaults(picked, spec))
  if (isBare) note('headers', path, headersFaults(picked, OF_DOCUMENTS))
  note('method', `DELETE ${path}`, methodFaults(await ask(path, { method: 'DELETE' })))
  const unknown = `${path}-of-no-listing`
  note('error shape', unknown, errorFaults(await ask(unknown), 404, 'not_found'))
}

async function probeConditions({ ask, note }: Site, path: string, full: ProbeAnswer): Promise<void> {
  const plain = await ask(path, PLAIN)
  const [etag, modified] = [plain.headers.get('etag') ?? 'none', plain.headers.get('last-modified') ?? 'none']
  const again = (headers: HeadersInit) => ask(path, { headers })
  note('head', path, headFaults(await ask(path, { method: 'HEAD' }), full))
  note('etag', path, unchangedFaults(await again({ ...PLAIN.headers, 'if-none-match': etag })))
  const { status } = await again({ 'if-none-match': '"other"' })
  note('etag', `${path} changed`, status === 200 ? [] : [`the status is ${status}, not 200`])
  note('last-modified', path, unchangedFaults(await again({ ...PLAIN.headers, 'if-modified-since': modified })))
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

async function probeFiles(
  { ask, expected, note, isBare, examples }: Site,
  spec: EndpointSpec,
  [name, { limits, allowed }]: readonly [string, Parameter],
  { key, full }: Document,
): Promise<void> {
  const fileWith = (value: string | number) => `/${fileOf(spec, { ...key, [name]: value })}`
  for (const size of limits ? limitVariants(slugsIn(full).length).filter((one) => PROBED_LIMITS.includes(one)) : [])
    note(
      'file',
      fileWith(size),
      sameFaults(await ask(fileWith(size), PLAIN), await expected(urlOf(spec, { [name]: size }))),
    )
  for (const value of limits || typeof allowed === 'string' ? [] : allowed) {
    // Where a range of a listing has no bars, there is no document of it.
    if (!examples.hasFile(fileWith(value))) continue
    const path = urlOf(spec, { ...key, [name]: value })
    const [own, file] = [await ask(path), await ask(fileWith(value))]
    note('file', `${path} as a file`, documentFaults(file, spec))
    note(isBare ? name : 'query', path, [...documentFaults(own, spec), ...sameFaults(own, file)])
  }
}

const ABSENT = ['/no-such-endpoint', '/assets/bitcoin/markets/more', '/assets.jsonp', '/assets/..%2f..%2fpackage.json']

async function probeErrors({ ask, note, specs }: Site): Promise<void> {
  for (const { path, absent } of specs) {
    if (!path.includes('/:slug')) continue
    const code = absent === undefined ? 'asset_not_found' : 'not_found'
    const target = PREFIX + path.replace(':slug', 'no-such-asset')
    note('error shape', target, errorFaults(await ask(target), 404, code))
    const odd = PREFIX + path.replace(':slug', 'No_Slug')
    note('error shape', odd, refusedFaults(await ask(odd), code))
  }
  for (const path of ABSENT) note('error shape', PREFIX + path, errorFaults(await ask(PREFIX + path), 404, 'not_found'))
  const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'not JSON' }
  for (const { method, path } of specs)
    if (method === 'POST')
      note('post', `POST ${PREFIX}${path}`, errorFaults(await ask(PREFIX + path, post), 415, 'unsupported_media_type'))
}

type Faults = readonly string[]

const mismatch = (what: string, is: unknown, wanted: unknown): string[] =>
  is === wanted ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

type Expected = Readonly<Record<string, string | RegExp | null>>

const headersFaults = ({ headers }: ProbeAnswer, expected: Expected): string[] =>
  Object.entries(expected).flatMap(([name, wanted]) => {
    const is = headers.get(name)
    const isRight = wanted instanceof RegExp ? wanted.test(is ?? '') : is === wanted
    return isRight ? [] : [`${name} is ${is ?? 'missing'}, not ${wanted}`]
  })

const CORS: Expected = { 'access-control-allow-origin': '*' }
const PREFLIGHT: Expected = { ...CORS, 'access-control-allow-methods': /GET/ }
const OF_JSON: Expected = { ...CORS, 'content-type': /^application\/json; ?charset=utf-8$/i }
const OF_DOCUMENTS: Expected = {
  ...OF_JSON,
  'cache-control': /^(?=.*max-age=60\b)(?=.*s-maxage=300\b)/,
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  vary: /accept-encoding/i,
  'access-control-expose-headers': /etag/i,
  etag: /^"/,
}

const headFaultsOf = (received: ProbeAnswer, status: number, expected: Expected = {}): string[] => [
  ...mismatch('the status', received.status, status),
  ...headersFaults(received, expected),
]

function schemaFaults({ json, text }: ProbeAnswer, schema: z.ZodType): string[] {
  const [issue] = schema.safeParse(json).error?.issues ?? []
  return issue ? [`${issue.path.join('.')}: ${issue.message}, of ${text.slice(0, 40)}`] : []
}

const documentFaults = (received: ProbeAnswer, spec: EndpointSpec): Faults =>
  received.status === 200 ? schemaFaults(received, answerSchemaOf(spec)) : headFaultsOf(received, 200)

function errorFaults(received: ProbeAnswer, status: number, code: string): Faults {
  const { data } = ErrorAnswer.safeParse(received.json)
  return [
    ...headFaultsOf(received, status, { ...OF_JSON, 'cache-control': /no-store/ }),
    ...schemaFaults(received, ErrorAnswer),
    ...mismatch('error', JSON.stringify([data?.error.code, data?.error.status]), JSON.stringify([code, status])),
  ]
}

const varyFaults = (received: ProbeAnswer): Faults => headersFaults(received, { vary: /(?:^|,)\s*accept\s*(?:,|$)/i })

const emptyFaults = (received: ProbeAnswer, status: number, expected: Expected): Faults => [
  ...headFaultsOf(received, status, expected),
  ...(received.text === '' ? [] : ['the answer has a body']),
]

const unchangedFaults = (received: ProbeAnswer): Faults => emptyFaults(received, 304, CORS)

function headFaults(received: ProbeAnswer, { status, headers }: ProbeAnswer): Faults {
  const same = ['content-type', 'access-control-allow-origin'].map((name) => [name, headers.get(name)] as const)
  return emptyFaults(received, status, Object.fromEntries(same))
}

const methodFaults = (received: ProbeAnswer): Faults => [
  ...errorFaults(received, 405, 'method_not_allowed'),
  ...headersFaults(received, { allow: /GET/ }),
]

/** Returns the faults of the answer to a malformed slug. The contract allows both 404 and 400. */
const refusedFaults = (received: ProbeAnswer, code: string): Faults =>
  received.status === 400 ? errorFaults(received, 400, 'invalid_parameter') : errorFaults(received, 404, code)

const slugsIn = ({ json }: ProbeAnswer): readonly string[] =>
  (isRecord(json) ? slugEntries(json) : null)?.map(([slug]) => slug) ?? []

const sameFaults = (received: ProbeAnswer, other: Pick<ProbeAnswer, 'text'>): Faults =>
  received.text === other.text ? [] : [`it differs from the other (status ${received.status})`]
