import * as z from 'zod'
import {
  type EndpointSpec,
  type Key,
  computedParameter,
  fileParameters,
  limitParameter,
  fileOf,
  pickingParameter,
  urlOf,
} from '../contract/endpoint-spec.ts'
import { MAX_IDS } from '../contract/max-ids.ts'
import { FOREIGN_PARAMETERS, type Parameter } from '../contract/parameters.ts'
import { visibleLines } from '../contract/visible.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import { PREFIX } from '../contract/prefix.ts'
import {
  type Faults,
  conversionFaults,
  csvFaults,
  limitFaults,
  documentFaults,
  errorFaults,
  headFaults,
  headerFaults,
  preflightFaults,
  sameFaults,
  selectionFaults,
  slugsIn,
  unchangedFaults,
  varyFaults,
} from './probe-expectations.ts'
import { type Examples, examplesAt } from './probe-examples.ts'
import { type Ask, type Answer, HOSTS, type HostKind } from './probe-site.ts'

/** The result of one check. */
export interface CheckResult {
  /** Kind of check. */
  readonly check: string
  readonly target: string
  readonly outcome: 'passed' | 'failed' | 'expected'
  readonly faults: Faults
}

/** Members of the index that only change with a publication. */
const Index = z.object({ snapshotId: z.string(), listings: z.number() })

/** The smallest limit, two with a file, one between them without, and one larger than any list. */
const PROBED_LIMITS = [1, 10, 100, 137, 1_000_000]
const WRONG = ['0', '-1', '07', '+7', '7.0', '1e1', '0x10', 'abc', '']

/**
 * Tests a site against the contract over HTTP. It writes nothing there: its only POST is invalid.
 *
 * @param host kind of host; failures that are documented for it count as expected
 * @throws Error if the site cannot be reached
 */
export async function probe(ask: Ask, specs: readonly EndpointSpec[], host: HostKind): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = []
  const excused: readonly string[] = HOSTS[host]
  const isBare = !excused.includes('bare path')
  const note = (check: string, target: string, faults: Faults): void => {
    const outcome = faults.length === 0 ? 'passed' : excused.includes(check) ? 'expected' : 'failed'
    results.push({ check, target, outcome, faults })
  }
  const site: Site = { ask, note, isBare, specs, examples: await examplesAt(ask) }

  const before = await snapshotOf(site)
  for (const spec of specs) if (spec.method === 'GET') await probeEndpoint(site, spec)
  await probeErrors(site)
  const after = await snapshotOf(site)
  note('one snapshot', PREFIX, before === after && before !== null ? [] : [`it changed from ${before} to ${after}`])
  return results
}

interface Site {
  readonly ask: Ask
  readonly note: (check: string, target: string, faults: Faults) => void
  /** Whether the host answers paths without `.json`. */
  readonly isBare: boolean
  readonly specs: readonly EndpointSpec[]
  readonly examples: Examples
}

async function snapshotOf({ ask }: Site): Promise<string | null> {
  const index = Index.safeParse((await ask(`${PREFIX}.json`)).json)
  return index.success ? index.data.snapshotId : null
}

async function probeEndpoint(site: Site, spec: EndpointSpec): Promise<void> {
  const { ask, note, isBare, examples } = site
  const key = await examples.keyOf(spec)
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
  await probeForeign(site, spec, path)
  if (limitParameter(spec) !== undefined) await probeLimits(site, spec, full)
  for (const query of fileParameters(spec)) await probeValues(site, spec, key, query)
  if (computedParameter(spec, 'rows') !== undefined) await probeRows(site, spec, full)
  if (computedParameter(spec, 'currency') !== undefined) await probeCurrencies(site, spec, full)
  if (computedParameter(spec, 'format') !== undefined) await probeFormats(site, spec, { path, full })
}

/** Probes the selection of rows by slug: the last row, together with a slug that has none. */
async function probeRows({ ask, note, isBare }: Site, spec: EndpointSpec, full: Answer): Promise<void> {
  const name = computedParameter(spec, 'rows') ?? ''
  const check = isBare ? name : 'query'
  const slug = slugsIn(full).at(-1) ?? ''
  const path = `${urlOf(spec, {})}?${name}=${slug === '' ? '' : `${slug},`}no-such-asset`
  const selected = await ask(path)
  note(check, path, [...documentFaults(selected, spec), ...selectionFaults(selected, full, slug)])
  const tooMany = Array.from({ length: MAX_IDS + 1 }, (_, number) => `a${number}`).join()
  for (const text of ['', 'Bitcoin', `${slug},${slug}`, `${slug},`, tooMany]) {
    const wrong = `${urlOf(spec, {})}?${name}=${text}`
    note(isBare ? 'error shape' : 'query', wrong, errorFaults(await ask(wrong), 400, 'invalid_parameter'))
  }
}

/** Probes the conversion to another currency, of the first rows, and the refusal of unknown ones. */
async function probeCurrencies({ ask, note, isBare, examples }: Site, spec: EndpointSpec, full: Answer): Promise<void> {
  const name = computedParameter(spec, 'currency') ?? ''
  const check = isBare ? name : 'query'
  const limit = limitParameter(spec)
  const path = `${urlOf(spec, {})}?${limit === undefined ? '' : `${limit}=3&`}${name}=`
  const first = limit === undefined ? Infinity : 3
  for (const currency of [...examples.currencies, 'USD'])
    note(
      check,
      path + currency,
      conversionFaults(await ask(path + currency), full, { spec, currency: currency.toLowerCase(), first }),
    )
  for (const text of [...WRONG, 'xyz']) {
    const wrong = `${urlOf(spec, {})}?${name}=${encodeURIComponent(text)}`
    note(isBare ? 'error shape' : 'query', wrong, errorFaults(await ask(wrong), 400, 'invalid_parameter'))
  }
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
  for (const text of ['', 'CSV', 'xml']) {
    const wrong = `${path}?${name}=${text}`
    note(isBare ? 'error shape' : 'query', wrong, errorFaults(await ask(wrong), 400, 'invalid_parameter'))
  }
}

/** Probes an endpoint that selects rows of a longer document and has no file of its own. */
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
  const plain = await ask(path, { headers: { 'accept-encoding': 'identity' } })
  const etag = plain.headers.get('etag') ?? 'none'
  const modified = plain.headers.get('last-modified') ?? 'none'
  const identity = { 'accept-encoding': 'identity' }
  note('head', path, headFaults(await ask(path, { method: 'HEAD' }), full))
  note('etag', path, unchangedFaults(await ask(path, { headers: { ...identity, 'if-none-match': etag } })))
  note('etag', `${path} changed`, statusFaults(await ask(path, { headers: { 'if-none-match': '"other"' } }), 200))
  note(
    'last-modified',
    path,
    unchangedFaults(await ask(path, { headers: { ...identity, 'if-modified-since': modified } })),
  )
  // Compressed files may be older than their document, and what `fetch` asks for by itself may be one of them.
  note('compression', `${path} identity`, sameFaults(plain, full))
  if (full.text.length < 2048) return
  for (const coding of ['gzip', 'br']) {
    const coded = await ask(path, { headers: { 'accept-encoding': coding } })
    const named = coded.headers.get('content-encoding')
    const faults = named === coding ? sameFaults(coded, plain) : [`Content-Encoding is ${named}`]
    note('compression', `${path} ${coding}`, faults)
    const tag = { 'accept-encoding': coding, 'if-none-match': coded.headers.get('etag') ?? 'none' }
    note('etag', `${path} ${coding}`, unchangedFaults(await ask(path, { headers: tag })))
  }
}

/** Probes that parameters known from other APIs are refused, so that a program that pages through a list ends. */
async function probeForeign({ ask, note, isBare }: Site, spec: EndpointSpec, path: string): Promise<void> {
  for (const name of Object.keys(FOREIGN_PARAMETERS)) {
    if (name in spec.parameters) continue
    const wrong = `${path}?${name}=2`
    note(isBare ? 'error shape' : 'query', wrong, errorFaults(await ask(wrong), 400, 'invalid_parameter'))
  }
}

const statusFaults = (got: Answer, status: number): Faults =>
  got.status === status ? [] : [`the status is ${got.status}, not ${status}`]

function methodFaults(got: Answer): Faults {
  const allow = got.headers.get('allow')
  return [...errorFaults(got, 405, 'method_not_allowed'), ...(allow?.includes('GET') ? [] : [`Allow is ${allow}`])]
}

async function probeLimits({ ask, note, isBare }: Site, spec: EndpointSpec, full: Answer): Promise<void> {
  const name = limitParameter(spec) ?? ''
  for (const limit of PROBED_LIMITS) {
    const path = `${urlOf(spec, {})}?${name}=${limit}`
    const file = `/${fileOf(spec, { [name]: limit })}`
    const hasFile = limitVariants(slugsIn(full).length).includes(limit)
    const check = !isBare ? 'query' : hasFile ? 'limit' : 'limit without a file'
    note(check, path, limitFaults(await ask(path), full, limit))
    if (hasFile) note('file', file, limitFaults(await ask(file), full, limit))
  }
}

async function probeValues(
  { ask, note, isBare }: Site,
  spec: EndpointSpec,
  key: Key,
  [name, parameter]: readonly [string, Parameter],
): Promise<void> {
  const wrong = isBare ? 'error shape' : 'query'
  for (const text of WRONG) {
    const path = `${urlOf(spec, key)}?${name}=${encodeURIComponent(text)}`
    note(wrong, path, errorFaults(await ask(path), 400, 'invalid_parameter'))
  }
  if (typeof parameter.allowed === 'string') return
  for (const value of parameter.allowed) {
    const path = urlOf(spec, { ...key, [name]: value })
    const [own, file] = [await ask(path), await ask(`/${fileOf(spec, { ...key, [name]: value })}`)]
    note('file', `${path} as a file`, documentFaults(file, spec))
    note(isBare ? name : 'query', path, [...documentFaults(own, spec), ...sameFaults(own, file)])
  }
  const beyond = `${urlOf(spec, key)}?${name}=2`
  note(wrong, beyond, errorFaults(await ask(beyond), 400, 'invalid_parameter'))
}

/** Probes unknown and invalid paths, and an invalid POST. */
async function probeErrors({ ask, note, specs }: Site): Promise<void> {
  for (const { path } of specs) {
    if (!path.includes('/:slug')) continue
    const target = PREFIX + path.replace(':slug', 'no-such-asset')
    note('error shape', target, errorFaults(await ask(target), 404, 'asset_not_found'))
    const odd = PREFIX + path.replace(':slug', 'No_Slug')
    note('error shape', odd, refusedFaults(await ask(odd)))
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

/** Returns the faults of the answer to a malformed slug. The contract allows both `asset_not_found` and 400. */
const refusedFaults = (got: Answer): Faults =>
  got.status === 400 ? errorFaults(got, 400, 'invalid_parameter') : errorFaults(got, 404, 'asset_not_found')

/** Formats the results as a table: a line for each kind of check, followed by its failures. */
export function probeText(results: readonly CheckResult[]): string {
  const checks = [...new Set(results.map(({ check }) => check))]
  return visibleLines(
    checks.flatMap((check) => {
      const own = results.filter((finding) => finding.check === check)
      const count = (outcome: CheckResult['outcome']) => own.filter((finding) => finding.outcome === outcome).length
      const [failed, expected] = [count('failed'), count('expected')]
      const state = failed > 0 ? 'FAILED' : expected > 0 ? 'not here' : 'ok'
      const failures = own.filter(({ outcome }) => outcome === 'failed')
      return [
        `${state.padEnd(9)} ${check.padEnd(16)} ${count('passed')} of ${own.length}`,
        ...failures.slice(0, 5).map(({ target, faults }) => `            ${target}: ${faults.join('; ')}`),
        ...(failures.length > 5 ? [`            and ${failures.length - 5} more`] : []),
      ]
    }),
  )
}
