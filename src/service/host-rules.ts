import {
  type EndpointSpec,
  computedParameter,
  fileParameters,
  limitParameter,
  pickingParameter,
} from '../core/contract/endpoint-spec.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER } from './headers.ts'

type Header = readonly [name: string, value: string]

/** `access-control-allow-origin` -> `Access-Control-Allow-Origin` */
const title = (name: string): string =>
  name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())

/** Headers of every document, for static hosts. */
export const DOCUMENT_HEADERS: readonly Header[] = [
  ...Object.entries(EVERY_ANSWER).map(([name, value]) => [title(name), value] as const),
  ['Cache-Control', DOCUMENT_CACHE],
]

/** Headers of files beside the API that other origins may read. */
export const SHARED_HEADERS = DOCUMENT_HEADERS.filter(([name]) =>
  ['Access-Control-Allow-Origin', 'X-Content-Type-Options', 'Cross-Origin-Resource-Policy'].includes(name),
)

/** Headers without Content-Type, which hosts derive from the file name. */
export const PLAIN_HEADERS = DOCUMENT_HEADERS.filter(([name]) => name !== 'Content-Type')

/** Returns a pattern of the queries that select a file: `limit` in plain digits, and each value of the others. */
export function queryPattern(specs: readonly EndpointSpec[]): string {
  const limits = new Set(specs.flatMap((spec) => limitParameter(spec) ?? []))
  const chosen = new Map(
    specs.flatMap((spec) =>
      fileParameters(spec).flatMap(([name, { allowed }]) =>
        typeof allowed === 'string' ? [] : [[name, allowed.join('|')] as const],
      ),
    ),
  )
  return [
    ...[...limits].map((name) => `${name}=[1-9][0-9]*`),
    ...[...chosen].map(([name, values]) => `${name}=(?:${values})`),
  ].join('|')
}

const withNames = (path: string, pattern: string): string => PREFIX + path.replaceAll(/:[a-z_]+/g, pattern)

/** Returns the paths of endpoints with a POST. The Node server answers them and their files, because its data is newer. */
export const livePaths = (specs: readonly EndpointSpec[]): string[] => [
  ...new Set(specs.flatMap(({ method, path }) => (method === 'POST' ? [PREFIX + path] : []))),
]

/** Returns a pattern of the paths whose format depends on the `Accept` header: the program prints them as CSV. */
export const seriesPattern = (specs: readonly EndpointSpec[]): string => {
  const series = specs.filter((spec) => computedParameter(spec, 'format') !== undefined)
  return `^${PREFIX}(?:${series.map(({ path }) => path.replace(/:.*/, '')).join('|')})`
}

/**
 * Returns patterns of the document files that need no Worker: no queue answers them, no slug in them may redirect, and no
 * name has a `=`, which Cloudflare redirects to its percent-encoded form without the headers of the API.
 */
export function plainFiles(specs: readonly EndpointSpec[]): string[] {
  const posted = livePaths(specs)
  const reads = specs.filter(
    ({ method, path }) => method === 'GET' && !posted.includes(PREFIX + path) && !path.includes('/:slug'),
  )
  const variants = reads.flatMap((spec) =>
    fileParameters(spec).map(([name]) => `${withNames(spec.path, '*')}/${name}=.json`),
  )
  return reads
    .filter(({ isDerived }) => !isDerived)
    .filter((spec) => fileParameters(spec).every(([, { limits }]) => limits) && pickingParameter(spec) === null)
    .map(({ path }) => `${withNames(path, '*')}.json`)
    .filter((pattern) => {
      const [start = '', end] = pattern.split('*')
      return end === undefined || !variants.some((file) => file.startsWith(start) && file.endsWith(end))
    })
}
