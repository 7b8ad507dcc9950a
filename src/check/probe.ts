import * as z from 'zod'
import {
  type EndpointSpec,
  type Key,
  answerSchemaOf,
  documentPath,
  fileOf,
  fileParameters,
  isOfDay,
  pathKey,
  pickingParameter,
  queryParameters,
  urlOf,
} from '../core/contract/endpoint-spec.ts'
import { ErrorAnswer } from '../core/contract/envelope.ts'
import { MAX_IDS, limitVariants } from '../core/contract/limit-variants.ts'
import { isPart } from '../core/contract/manifest.ts'
import { FOREIGN_PARAMETERS, type Parameter } from '../core/contract/parameters.ts'
import { ensured } from '../core/contract/order.ts'
import { API_FOLDER, PREFIX } from '../core/contract/prefix.ts'
import { isRecord, parseJson } from '../core/contract/read-json.ts'
import { slugEntries } from '../core/contract/selection.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import { MOST_FILE_BYTES } from '../core/tree/reader.ts'
import { bytesOf, inParallel } from '../core/tree/remote.ts'
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
    return { response, text: (await bytesOf(response.body ?? [], MOST_FILE_BYTES))?.toString('utf8') ?? null }
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
function expectedAt(ask: Ask, specs: readonly EndpointSpec[]): Ask {
  const files = new Map<string, Promise<ProbeAnswer>>()
  async function read(file: string): Promise<string | null> {
    if (/\/limit=\d+\.json$/.test(file)) return null
    const { status, text } = await ensured(files, file, () => ask(`/${file}`, PLAIN))
    return status === 200 ? text : null
  }
  const own = { specs, read, intake: WITHOUT_QUEUE, product: '', now: Date.now, report: () => {}, sender: () => '' }
  const app = serviceApp(() => ({ ...own, deliver: ({ respond }) => respond() }))
  return siteAt('http://site', async (url, init) => app.request(url, init))
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

const INDEX = `${PREFIX}.json`
const GOOD = { recomputed: 'an answer of the contract', rule: 'the contract of the API' }

type Site = Awaited<ReturnType<typeof siteOf>>

async function siteOf(ask: Ask, specs: readonly EndpointSpec[], host: string) {
  const findings: Finding[] = []
  const answers: Record<string, number> = {}
  const missing = new Set<string>()
  const excused = HOSTS[host] ?? []
  const note = (check: string, target: string, faults: Faults): void => {
    answers[check] = (answers[check] ?? 0) + 1
    if (faults.length === 0) return
    if (excused.includes(check)) missing.add(check)
    else findings.push({ check, document: target, member: '', published: faults.join('; '), ...GOOD })
  }
  const expected = expectedAt(ask, specs)
  /** Compares an answer with what is expected, and with the schema of an endpoint. */
  const tested = async (check: string, path: string, init: RequestInit = PLAIN, spec: EndpointSpec | null = null) => {
    const answer = await ask(path, init)
    const faults = spec === null ? [] : documentFaults(answer, spec)
    note(check, `${init.method ?? ''} ${path}`.trim(), [...faults, ...differences(answer, await expected(path, init))])
    return answer
  }
  const index = await ask(INDEX)
  const examples = await examplesAt(ask, index.json)
  const isBare = !excused.includes('bare path')
  return { ask, specs, expected, note, tested, isBare, index, examples, findings, answers, missing }
}

/**
 * Tests a site against the contract over HTTP. It writes nothing there: its only POST is invalid. What is documented
 * to fail on such a host is missing, and no finding.
 */
export async function probe(ask: Ask, specs: readonly EndpointSpec[], host: string) {
  const site = await siteOf(ask, specs, host)
  for (const spec of specs) if (spec.method === 'GET' && !spec.isDerived) await probeEndpoint(site, spec)
  await probeErrors(site)
  const ids = [site.index, await ask(INDEX)].map(({ json }) => Index.safeParse(json).data?.snapshotId ?? null)
  const [before = null, after = null] = ids
  site.note('one snapshot', INDEX, before === after && before !== null ? [] : [`it changed from ${before} to ${after}`])
  return { findings: site.findings, answers: site.answers, missing: [...site.missing] }
}

/** The whole document of an endpoint, its values, and the path that it was asked for at. */
interface Document {
  readonly key: Key
  readonly path: string
  readonly full: ProbeAnswer
}

function withDefaults(spec: EndpointSpec, key: Key): Key {
  const chosen = fileParameters(spec).find(([, { default: value }]) => value !== undefined)
  return chosen ? { ...key, [chosen[0]]: chosen[1].default ?? '' } : key
}

async function probeEndpoint(site: Site, spec: EndpointSpec): Promise<void> {
  const { ask, expected, note, tested, isBare, examples } = site
  const key = examples.keyOf(spec)
  // The tree has no document of this endpoint: no rates, chains or categories.
  if (key === null) return
  if (pickingParameter(spec)) return probePick(site, spec, key)
  const [path, file] = [urlOf(spec, key), `/${fileOf(spec, withDefaults(spec, key))}`]
  const full = await ask(isBare ? path : file)
  note('document', path, documentFaults(full, spec))
  note('headers', path, [...headersFaults(full, await expected(path)), ...tagFaults(full)])
  // The queue changes between two answers.
  const isLive = spec.name === 'listing-requests'
  note('file', file, isBare && !isLive ? sameFaults(await ask(file), full) : documentFaults(full, spec))
  await probeConditions(site, isBare ? path : file, full)
  note('bare path', path, isBare ? [] : documentFaults(await ask(path), spec))
  note('trailing slash', `${path}/`, sameFaults(await ask(`${path}/`), full))
  await tested('options', path, { method: 'OPTIONS' })
  await tested('method', path, { method: 'DELETE' })
  const document = { key, path, full }
  await probeQueries(site, spec, document)
  for (const query of fileParameters(spec)) await probeFiles(site, spec, query, document)
  if ('format' in spec.parameters) await probeFormats(site, document)
}

async function probeQueries(site: Site, spec: EndpointSpec, { path, full }: Document): Promise<void> {
  const { ask, note, tested, isBare } = site
  const last = slugsIn(full).at(-1) ?? ''
  for (const [check, query] of queriesOf(site, spec, last)) {
    const target = `${path}?${query}`
    const answer = await tested(isBare ? check : 'query', target, PLAIN, spec)
    const file = `${path}.json?${query}`
    if (isBare) note('query of a file', file, sameFaults(await ask(file, PLAIN), answer))
  }
  for (const query of wrongQueries(site, spec, last)) await tested(isBare ? 'error shape' : 'query', `${path}?${query}`)
}

function queriesOf({ examples }: Site, spec: EndpointSpec, last: string): (readonly [name: string, query: string])[] {
  const has = (name: string) => name in spec.parameters
  const short = has('limit') ? 'limit=3&' : ''
  // Of a past day, not every currency of today has a rate.
  const known = isOfDay(spec) ? ['usd'] : examples.currencies
  return [
    ...(has('limit') ? PROBED_LIMITS.map((size) => ['limit', `limit=${size}`] as const) : []),
    ...(has('ids') ? [['ids', `ids=${last === '' ? '' : `${last},`}no-such-asset`] as const] : []),
    ...(has('vs') ? [...known, 'USD'].map((name) => ['vs', `${short}vs=${name}`] as const) : []),
  ]
}

/** Queries that are refused. One rule refuses all foreign parameters, so each endpoint is asked for another. */
function wrongQueries({ specs }: Site, spec: EndpointSpec, slug: string): readonly string[] {
  const foreign = FOREIGN_PARAMETERS.filter((name) => !(name in spec.parameters))
  const tooMany = Array.from({ length: MAX_IDS + 1 }, (_, number) => `a${number}`).join()
  const wrong: Readonly<Record<string, readonly string[]>> = {
    ids: ['', 'Bitcoin', `${slug},${slug}`, `${slug},`, tooMany],
    vs: [...WRONG, 'xyz'],
    format: ['', 'CSV', 'xml'],
  }
  return [
    `${foreign[specs.indexOf(spec) % foreign.length]}=2`,
    ...queryParameters(spec).flatMap(([name, { allowed }]) => {
      const usual = typeof allowed === 'string' ? WRONG : [...WRONG, '2']
      return (wrong[name] ?? usual).map((value) => `${name}=${encodeURIComponent(value)}`)
    }),
  ]
}

async function probeFormats({ ask, note, tested, isBare }: Site, { path, full }: Document): Promise<void> {
  const check = isBare ? 'format' : 'query'
  const target = `${path}?format=csv`
  const csv = await tested(check, target)
  await tested(check, path, { headers: { accept: 'text/csv, application/json;q=0.5' } })
  const etag = csv.headers.get('etag') ?? 'none'
  note(check, `${target} again`, [
    ...emptyFaults(await ask(target, { headers: { ...PLAIN.headers, 'if-none-match': etag } }), full, 304),
    ...(etag === full.headers.get('etag') ? ['the ETag is that of the JSON'] : []),
  ])
  note(check, `${target} HEAD`, emptyFaults(await ask(target, { method: 'HEAD' }), csv))
}

async function probePick({ tested, isBare }: Site, spec: EndpointSpec, key: Key): Promise<void> {
  const path = urlOf(spec, key)
  await tested(isBare ? 'document' : 'bare path', path, PLAIN, spec)
  await tested('method', path, { method: 'DELETE' })
  await tested('error shape', `${path}-of-no-listing`)
}

async function probeConditions({ ask, note }: Site, path: string, full: ProbeAnswer): Promise<void> {
  const plain = await ask(path, PLAIN)
  const [etag, modified] = [plain.headers.get('etag') ?? 'none', plain.headers.get('last-modified') ?? 'none']
  const again = (headers: HeadersInit) => ask(path, { headers })
  note('head', path, emptyFaults(await ask(path, { method: 'HEAD' }), full))
  note('etag', path, emptyFaults(await again({ ...PLAIN.headers, 'if-none-match': etag }), full, 304))
  const { status } = await again({ 'if-none-match': '"other"' })
  note('etag', `${path} changed`, status === 200 ? [] : [`the status is ${status}, not 200`])
  note('last-modified', path, emptyFaults(await again({ ...PLAIN.headers, 'if-modified-since': modified }), full, 304))
  note('compression', `${path} identity`, sameFaults(plain, full))
  if (full.text.length < 2048) return
  for (const coding of ['gzip', 'br']) {
    const coded = await again({ 'accept-encoding': coding })
    const named = coded.headers.get('content-encoding')
    const faults = named === coding ? sameFaults(coded, plain) : [`Content-Encoding is ${named}`]
    note('compression', `${path} ${coding}`, faults)
    const tag = { 'accept-encoding': coding, 'if-none-match': coded.headers.get('etag') ?? 'none' }
    note('etag', `${path} ${coding}`, emptyFaults(await again(tag), full, 304))
  }
}

async function probeFiles(
  { ask, expected, note, tested, isBare, examples }: Site,
  spec: EndpointSpec,
  [name, { allowed }]: readonly [string, Parameter],
  { key, full }: Document,
): Promise<void> {
  const fileWith = (value: string | number) => `/${fileOf(spec, { ...key, [name]: value })}`
  const sizes = name === 'limit' ? limitVariants(slugsIn(full).length) : []
  for (const size of sizes.filter((one) => PROBED_LIMITS.includes(one))) {
    const received = await ask(fileWith(size), PLAIN)
    note('file', fileWith(size), sameFaults(received, await expected(urlOf(spec, { [name]: size }))))
  }
  for (const value of typeof allowed === 'string' ? [] : allowed) {
    // Where a range of a listing has no bars, there is no document of it.
    if (!examples.hasFile(fileWith(value))) continue
    const path = urlOf(spec, { ...key, [name]: value })
    await tested(isBare ? name : 'query', path, PLAIN, spec)
    note('file', `${path} as a file`, documentFaults(await ask(fileWith(value)), spec))
  }
}

const ABSENT = ['/no-such-endpoint', '/assets/bitcoin/markets/more', '/assets.jsonp', '/assets/..%2f..%2fpackage.json']

async function probeErrors({ tested, specs }: Site): Promise<void> {
  for (const { path } of specs.filter((spec) => spec.path.includes('/:slug')))
    for (const slug of ['no-such-asset', 'No_Slug']) await tested('error shape', PREFIX + path.replace(':slug', slug))
  for (const path of ABSENT) await tested('error shape', PREFIX + path)
  const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'not JSON' }
  for (const { method, path } of specs) if (method === 'POST') await tested('post', PREFIX + path, post)
}

type Faults = readonly string[]

const mismatch = (what: string, is: unknown, wanted: unknown): string[] =>
  is === wanted ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

/** What the contract says of an answer in headers, which a host may add to. */
const HEADERS = [
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'allow',
  'cache-control',
  'content-type',
  'cross-origin-resource-policy',
  'vary',
  'x-content-type-options',
] as const

const wordsOf = (header: string | null): string[] => header?.toLowerCase().replaceAll(' ', '').split(',') ?? []

const headersFaults = ({ headers }: ProbeAnswer, expected: ProbeAnswer): string[] =>
  HEADERS.flatMap((name) => {
    const [is, wanted] = [headers.get(name), expected.headers.get(name)]
    const words = wordsOf(is)
    return wordsOf(wanted).every((word) => words.includes(word)) ? [] : [`${name} is ${is ?? 'missing'}, not ${wanted}`]
  })

const tagFaults = ({ headers }: ProbeAnswer): string[] =>
  headers.get('etag')?.startsWith('"') ? [] : [`the ETag is ${headers.get('etag')}, not a strong one`]

/** What an answer says: an error by its code, because its message may change. */
function contentOf({ status, text, json }: ProbeAnswer): string {
  const { data } = status < 400 ? {} : ErrorAnswer.safeParse(json)
  return data ? JSON.stringify([data.error.code, data.error.status]) : text
}

const differences = (received: ProbeAnswer, expected: ProbeAnswer): string[] => [
  ...mismatch('the status', received.status, expected.status),
  ...headersFaults(received, expected),
  ...(contentOf(received) === contentOf(expected) ? [] : ['its content is not that of the documents']),
]

function documentFaults({ status, json, text }: ProbeAnswer, spec: EndpointSpec): Faults {
  if (status !== 200) return mismatch('the status', status, 200)
  const [issue] = answerSchemaOf(spec).safeParse(json).error?.issues ?? []
  return issue ? [`${issue.path.join('.')}: ${issue.message}, of ${text.slice(0, 40)}`] : []
}

/** Of an answer to HEAD, or of 304: one without a body, with the headers of the whole one. */
function emptyFaults(received: ProbeAnswer, full: ProbeAnswer, status = full.status): Faults {
  const names = ['access-control-allow-origin', ...(status === 304 ? [] : ['content-type'])]
  return [
    ...mismatch('the status', received.status, status),
    ...mismatch('the body', received.text, ''),
    ...names.flatMap((name) => mismatch(name, received.headers.get(name), full.headers.get(name))),
  ]
}

const slugsIn = ({ json }: ProbeAnswer): readonly string[] =>
  (isRecord(json) ? slugEntries(json) : null)?.map(([slug]) => slug) ?? []

const sameFaults = (received: ProbeAnswer, other: Pick<ProbeAnswer, 'text'>): Faults =>
  received.text === other.text ? [] : [`it differs from the other (status ${received.status})`]
