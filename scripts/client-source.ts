import * as z from 'zod'
import {
  type EndpointSpec,
  answerSchemaOf,
  cuttingParameter,
  documentPath,
  pickingParameter,
  queryParameters,
} from '../src/contract/endpoint-spec.ts'
import { Envelope } from '../src/contract/envelope.ts'
import { ErrorAnswer } from '../src/contract/error.ts'
import { ListingRequestBody } from '../src/contract/listing-request.ts'
import type { Parameter } from '../src/contract/parameters.ts'
import { PREFIX } from '../src/contract/words.ts'
import { answered, published } from '../src/endpoints/table.ts'
import { comment, declarations } from './client-types.ts'

/** Endpoints that share the name of another, by method and path. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  'POST /listing-requests': 'submitListingRequest',
  'GET /listing-requests/:request_id': 'listingRequest',
}

/** What a POST takes, by its name. */
const BODIES: Readonly<Record<string, { readonly name: string; readonly schema: z.ZodType }>> = {
  submitListingRequest: { name: 'ListingRequestBody', schema: ListingRequestBody },
}

const HEAD = '// Written by `npm run client` from the table of endpoints: change that, and run it again.\n\n'

/** What the client calls an endpoint: `asset-markets` is `assetMarkets`. */
export const methodOf = ({ name, method, path }: EndpointSpec): string =>
  OWN_NAMES[`${method} ${path}`] ?? camelCase(name)

const camelCase = (name: string): string =>
  name.replaceAll(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const answerName = (spec: EndpointSpec): string => {
  const method = methodOf(spec)
  return `${method.charAt(0).toUpperCase()}${method.slice(1)}Answer`
}
const pathNames = ({ path }: EndpointSpec): string[] => [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name)

/** The answers of the whole API as plain types. */
export function answersSource(): string {
  const types = declarations()
  types.declare(z.strictObject(Envelope), 'Envelope', { about: 'Members that every answer has, errors too.' })
  types.declare(ErrorAnswer, 'ErrorAnswer')
  for (const { name, schema } of Object.values(BODIES)) types.declare(schema, name, { io: 'input' })
  for (const spec of answered)
    types.declare(answerSchemaOf(spec), answerName(spec), { about: spec.description, base: 'Envelope' })
  return `${HEAD}${types.text()}`
}

const valueType = ({ type, allowed }: Parameter): string =>
  typeof allowed === 'string'
    ? type === 'integer'
      ? 'number'
      : 'string'
    : allowed.map((one) => JSON.stringify(one)).join(' | ')

function optionsType(spec: EndpointSpec): string {
  const query = queryParameters(spec).map(
    ([name, parameter]) => `readonly ${name}?: ${valueType(parameter)} | undefined`,
  )
  if (spec.method === 'POST') query.push('readonly idempotencyKey?: string | undefined')
  return query.length === 0 ? 'CallOptions' : `CallOptions<{ ${query.join('; ')} }>`
}

function declaredMethod(spec: EndpointSpec): string {
  const body = BODIES[methodOf(spec)]
  const given =
    spec.method === 'POST' ? [`body: ${body?.name}`] : pathNames(spec).map((name) => `${camelCase(name)}: string`)
  const result = spec.method === 'POST' ? 'Sent' : 'Result'
  const parameters = [...given, `options?: ${optionsType(spec)}`]
  const end = `=> Promise<${result}<${answerName(spec)}>>`
  const line = `  readonly ${methodOf(spec)}: (${parameters.join(', ')}) ${end}`
  const broken = `  readonly ${methodOf(spec)}: (\n${parameters.map((one) => `    ${one},\n`).join('')}  ) ${end}`
  return `${comment(spec.description, '  ')}${line.length <= 120 ? line : broken}\n`
}

function calledMethod(spec: EndpointSpec): string {
  const route = `ROUTES.${methodOf(spec)}`
  if (spec.method === 'POST') return `  ${methodOf(spec)}: (body, options) => submit(${route}, body, options),\n`
  const names = pathNames(spec)
  const given = names.map((name) => (camelCase(name) === name ? name : `${name}: ${camelCase(name)}`))
  const [head, values] = [
    names.map((name) => `${camelCase(name)}, `).join(''),
    given.length > 0 ? `{ ${given.join(', ')} }` : '{}',
  ]
  const parameters = names.length > 0 ? `(${head}options)` : '(options)'
  return `  ${methodOf(spec)}: ${parameters} => read(${route}, ${values}, options),\n`
}

/** Rows that are picked out of a longer document are asked for as that document. */
const documentOf = (spec: EndpointSpec): EndpointSpec => {
  const isThat = ({ method, path }: EndpointSpec) => method === spec.method && path === documentPath(spec)
  return published.find(isThat) ?? spec
}

function routeOf(spec: EndpointSpec): string {
  const [document, picking] = [documentOf(spec), pickingParameter(spec)]
  const cuts = cuttingParameter(spec)
  const query = queryParameters(spec).filter(([name]) => name !== cuts)
  const isPublished = published.some(({ path }) => path === spec.path)
  const members = [
    `endpoint: '${document.name}'`,
    `path: '${PREFIX}${document.path}'`,
    `has: '${Object.keys(document.members).at(-1)}'`,
    ...(picking === null ? [] : [`picks: { name: '${picking.member}', endpoint: '${spec.name}' }`]),
    ...(cuts === undefined ? [] : [`cuts: '${cuts}'`]),
    ...(query.length === 0 ? [] : [`query: { ${query.map(queryOf).join(', ')} }`]),
    ...(answered.some(({ method, path }) => method === 'POST' && spec.path.startsWith(path))
      ? [`live: '${isPublished ? 'published' : 'only'}'`]
      : []),
  ]
  const line = `  ${methodOf(spec)}: { ${members.join(', ')} },\n`
  return line.length <= 121 ? line : `  ${methodOf(spec)}: {\n${members.map((one) => `    ${one},\n`).join('')}  },\n`
}

function queryOf([name, { allowed, default: usual }]: readonly [string, Parameter]): string {
  if (typeof allowed === 'string') throw new Error(`${name} has no list of values: a file cannot be chosen by it`)
  const values = allowed.map((one) => JSON.stringify(one)).join(', ')
  return `${name}: { allowed: [${values}], usual: ${usual === undefined ? 'null' : JSON.stringify(usual)} }`
}

/** One method an endpoint, and what each asks for. */
export function methodsSource(): string {
  const names = [...answered.map(answerName), ...Object.values(BODIES).map(({ name }) => name)].toSorted()
  return `${HEAD}import type {
${names.map((name) => `  ${name},\n`).join('')}} from './answers.ts'
import type { CallOptions, Result, Sent, Transport } from './call.ts'
import type { Route } from './route.ts'

/** Everything the API can be asked, one method an endpoint. */
export interface Methods {
${answered.map(declaredMethod).join('')}}

/** Where each method asks. */
export const ROUTES: { readonly [Name in keyof Methods]: Route<Awaited<ReturnType<Methods[Name]>>['data']> } = {
${answered.map(routeOf).join('')}}

/** The methods over a transport. */
export const methodsOf = ({ read, submit }: Transport): Methods => ({
${answered.map(calledMethod).join('')}})
`
}
