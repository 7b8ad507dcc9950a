import { fileURLToPath } from 'node:url'
import { format, resolveConfig } from 'prettier'
import * as z from 'zod'
import {
  type EndpointSpec,
  cuttingParameter,
  documentPath,
  operationOf,
  pickingParameter,
  queryParameters,
} from '../src/contract/endpoint-spec.ts'
import { Envelope } from '../src/contract/envelope.ts'
import type { Parameter } from '../src/contract/parameters.ts'
import { membersOf } from '../src/contract/text.ts'
import { PREFIX } from '../src/contract/words.ts'
import { schemasOf } from '../src/descriptions/json-schemas.ts'
import { answered, published } from '../src/endpoints/table.ts'
import { type TypeDeclaration, typesSource } from './client-types.ts'

const HEAD = '// Written by `npm run client` from the table of endpoints: change that, and run it again.\n\n'

/** What the client calls an endpoint: `asset-markets` is `assetMarkets`. */
export const methodOf = (spec: EndpointSpec): string => camelCase(operationOf(spec))

const camelCase = (name: string): string =>
  name.replaceAll(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const pathNames = ({ path }: EndpointSpec): string[] => [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name)

const { kinds, named } = schemasOf(answered)
const schemaName = (spec: EndpointSpec, is: 'answer' | 'body'): string => {
  const kind = kinds.find((one) => one.spec === spec && one.is === is)
  if (kind === undefined) throw new Error(`${operationOf(spec)} has no schema of its ${is}`)
  return kind.schema
}
const answerName = (spec: EndpointSpec): string => schemaName(spec, 'answer')

const formatted = async (text: string): Promise<string> =>
  format(HEAD + text, { ...(await resolveConfig(fileURLToPath(import.meta.url))), parser: 'typescript' })

/** Returns the answers of the whole API as plain types. */
export async function answersSource(): Promise<string> {
  const declarations = new Map<string, TypeDeclaration>([...named].map(([name, schema]) => [name, { schema }]))
  const about = 'Members that every answer has, errors too.'
  const envelope = membersOf(z.toJSONSchema(z.strictObject(Envelope), { target: 'draft-2020-12' }))
  declarations.set('Envelope', { schema: { ...envelope, description: about } })
  for (const spec of answered) {
    const name = answerName(spec)
    const schema = { ...named.get(name), description: spec.description }
    declarations.set(name, { schema, base: { name: 'Envelope', members: Object.keys(Envelope) } })
  }
  return formatted(await typesSource(declarations))
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
  const isPost = spec.method === 'POST'
  const given = isPost
    ? [`body: ${schemaName(spec, 'body')}`]
    : pathNames(spec).map((name) => `${camelCase(name)}: string`)
  const parameters = [...given, `options?: ${optionsType(spec)}`].join(', ')
  const result = `${isPost ? 'Sent' : 'Result'}<${answerName(spec)}>`
  return `/** ${spec.description} */\nreadonly ${methodOf(spec)}: (${parameters}) => Promise<${result}>\n`
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
  return `${methodOf(spec)}: { ${members.join(', ')} },\n`
}

function queryOf([name, { allowed, default: usual }]: readonly [string, Parameter]): string {
  if (typeof allowed === 'string') throw new Error(`${name} has no list of values: a file cannot be chosen by it`)
  const values = allowed.map((one) => JSON.stringify(one)).join(', ')
  return `${name}: { allowed: [${values}], usual: ${usual === undefined ? 'null' : JSON.stringify(usual)} }`
}

/** Returns one method per endpoint, and what each requests. */
export function methodsSource(): Promise<string> {
  const bodies = answered.filter(({ method }) => method === 'POST').map((spec) => schemaName(spec, 'body'))
  const names = [...answered.map(answerName), ...bodies].toSorted()
  return formatted(`import type { ${names.join(', ')} } from './answers.ts'
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
`)
}
