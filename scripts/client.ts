import * as z from 'zod'
import { camelCase, isConverted, methodOf, withMethod } from '../src/client/methods.ts'
import { type EndpointSpec, fileParameters } from '../src/core/contract/endpoint-spec.ts'
import { Envelope } from '../src/core/contract/envelope.ts'
import type { Parameter } from '../src/core/contract/parameters.ts'
import { answerName, bodyName, openApi, schemasIn } from '../src/exports/openapi.ts'
import { typesSource } from '../src/exports/type-source.ts'

/** Returns the types of the answers without zod, by which the source infers them. */
export function packedAnswersSource(): string {
  const texts = { product: '', summary: '', text: '' }
  const schemas = schemasIn(openApi({ ...texts, specs: withMethod, requestOf: () => null }))
  const described = withMethod.map((spec) => {
    const name = answerName(spec)
    return [name, { ...schemas[name], description: spec.description }] as const
  })
  const description = 'Members of every answer, including errors.'
  const envelope = { ...z.toJSONSchema(z.strictObject(Envelope)), description }
  return typesSource({ ...schemas, Envelope: envelope, ...Object.fromEntries(described) })
}

function valueType({ type, allowed }: Parameter): string {
  if (typeof allowed !== 'string') return allowed.map((one) => JSON.stringify(one)).join(' | ')
  return type === 'integer' ? 'number' : 'string'
}

function optionsType(spec: EndpointSpec): string {
  const query = fileParameters(spec).map(
    ([name, parameter]) => `readonly ${name}?: ${valueType(parameter)} | undefined`,
  )
  if ('ids' in spec.parameters) query.push('readonly ids?: readonly string[] | undefined')
  if (isConverted(spec)) query.push('readonly vs?: string | undefined')
  return query.length === 0 ? 'CallOptions' : `CallOptions<{ ${query.join('; ')} }>`
}

function declaredMethod(spec: EndpointSpec): string {
  const isPost = spec.method === 'POST'
  const names = [...spec.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => `${camelCase(name)}: string`)
  const given = isPost ? [`body: api.${bodyName(spec)}`] : names
  const head = `/** ${spec.description} */\nreadonly ${methodOf(spec)}: `
  const parameters = [...given, `options?: ${optionsType(spec)}`].join(', ')
  const result = `${isPost ? 'Sent' : 'Result'}<api.${answerName(spec)}>`
  return `${head}(${parameters}) => Promise<${result}>\n`
}

/** Returns the types of the methods without the table of endpoints, which a package has no room for. */
export const methodTypesSource = (): string => `import type * as api from './answers.ts'
import type { CallOptions, Result, Sent } from './call.ts'

/** One method per endpoint of the API. */
export interface Methods {
${withMethod.map(declaredMethod).join('')}}
`
