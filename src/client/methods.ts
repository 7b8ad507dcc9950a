import {
  type EndpointSpec,
  documentPath,
  fileParameters,
  operationOf,
  pickingParameter,
} from '../core/contract/endpoint-spec.ts'
import { answered as all, published } from '../core/endpoints/table.ts'
import type { Route, Routes } from './route.ts'

/** Endpoints with a method. What is derived of documents, the client derives itself. */
export const withMethod: readonly EndpointSpec[] = all.filter(({ isDerived }) => !isDerived)

export const methodOf = (spec: EndpointSpec): string => camelCase(operationOf(spec))

export const camelCase = (name: string): string =>
  name.replaceAll(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The document of a name has no converted form in the client. */
export const isConverted = ({ path, parameters }: EndpointSpec): boolean => !path.includes(':') && 'vs' in parameters

function routeOf(spec: EndpointSpec): Route {
  // Selected rows come from a longer document.
  const isItsDocument = ({ method, path }: EndpointSpec) => method === spec.method && path === documentPath(spec)
  const { name: endpoint, path, members } = published.find(isItsDocument) ?? spec
  const picking = pickingParameter(spec)
  const query = fileParameters(spec).flatMap(([name, { allowed, default: usual = null }]) =>
    name === 'limit' ? [] : [[name, { allowed, default: usual }] as const],
  )
  const member = Object.keys(members).at(-1)
  const isLive = withMethod.some(({ method, path }) => method === 'POST' && spec.path.startsWith(path))
  const isPublished = published.some(({ path }) => path === spec.path)
  return {
    endpoint,
    path,
    member: member === 'rows' ? undefined : member,
    sends: spec.method === 'POST' || undefined,
    converts: isConverted(spec) || undefined,
    picks: picking ? { endpoint: spec.name, ...picking } : undefined,
    limits: 'limit' in spec.parameters || undefined,
    selects: 'ids' in spec.parameters || undefined,
    query: query.length > 0 ? Object.fromEntries(query) : undefined,
    live: isLive ? (isPublished ? 'published' : 'only') : undefined,
  }
}

/** The route of each method. A bundle for other programs has it as a constant: the table, with its schemas, is larger than the client. */
export const ROUTES = routesOf()

function routesOf(): Routes {
  const made = Object.fromEntries(withMethod.map((spec) => [methodOf(spec), routeOf(spec)]))
  const areRoutes = (routes: object): routes is Routes => withMethod.every((spec) => methodOf(spec) in routes)
  if (!areRoutes(made)) throw new TypeError('A method has no route')
  return made
}
