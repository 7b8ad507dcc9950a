import type { EndpointSpec } from '../core/contract/endpoint-spec.ts'
import { answerName, bodyName } from './openapi.ts'

/** The schema of every answer with status 400 and above. */
export const ERROR_SCHEMA = 'ErrorAnswer'

/** Returns the file of a schema. */
export const schemaFile = (name: string): string => `schemas/${name}.json`

const IN_OPENAPI = '#/components/schemas/'
const REFERENCE = new RegExp(`"${IN_OPENAPI}(\\w+)"`, 'g')

/** Returns the schemas of all answers and bodies of a description, each with those that it refers to. */
export function schemaFiles(specs: readonly EndpointSpec[], schemas: Readonly<Record<string, object>>) {
  const names = specs.flatMap((spec) => [answerName(spec), bodyName(spec) ?? []].flat())
  return [...names, ERROR_SCHEMA].map((name) => {
    const needed = new Set([name])
    for (const one of needed)
      for (const [, other = ''] of JSON.stringify(schemas[one]).matchAll(REFERENCE)) needed.add(other)
    const $defs = Object.fromEntries([...needed].slice(1).map((one) => [one, schemas[one]]))
    const whole = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[name], $defs }
    return { path: schemaFile(name), text: `${JSON.stringify(whole).replaceAll(IN_OPENAPI, '#/$defs/')}\n` }
  })
}
