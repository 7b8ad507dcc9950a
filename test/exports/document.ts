import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import * as z from 'zod'
import type { EndpointSpec } from '../../src/core/contract/endpoint-spec.ts'

const Reference = z.object({ $ref: z.string() })
// Lists are also files of text.
const Content = z.object({ 'application/json': z.object({ schema: Reference }).optional() }).loose()
const Response = z.object({ headers: z.record(z.string(), z.unknown()), content: Content.optional() })
const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.union([z.object({ name: z.string() }).loose(), Reference])).default([]),
  responses: z.record(z.string(), z.union([Response, Reference])),
})
type Operation = z.infer<typeof Operation>

export const Document = z
  .object({
    servers: z.array(z.object({ url: z.string() })),
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    components: z
      .object({
        schemas: z.record(z.string(), z.object({ description: z.string().optional() }).loose()),
        responses: z.record(z.string(), Response),
      })
      .loose(),
  })
  .loose()
export type Document = z.infer<typeof Document>

export function operationFor({ paths }: Document, spec: EndpointSpec | undefined): Operation {
  const path = `/api/mkt${spec?.path.replaceAll(/:([a-z_]+)/g, '{$1}')}`
  const found = paths[path]?.[spec?.method.toLowerCase() ?? '']
  if (!found) throw new Error(`${spec?.method} ${path} is not described`)
  return found
}

/** What an operation answers with a status; undefined where it does not say. */
export function responseOf({ components }: Document, { responses }: Operation, status: string) {
  const response = responses[status]
  return response && '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response
}

export const contentOf = (document: Document, operation: Operation, status: string): string | null =>
  responseOf(document, operation, status)?.content?.['application/json']?.schema.$ref.split('/').at(-1) ?? null

/** Says what is wrong with a value, in few lines; null where nothing is. */
export type Check = (value: unknown) => string | null

const DOCUMENT = 'https://tests.example/document'

/** Checks of the named schemas by another hand than the one that made them, each compiled once. */
export function validatorFor({ components }: Document): (schema: string | null) => Check {
  // The document around the schemas is no schema, so strictness would stumble over it.
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  ajv.addSchema({ $id: DOCUMENT, components })
  return (schema) => {
    const validate = ajv.getSchema(`${DOCUMENT}#/components/schemas/${schema}`)
    if (!validate) throw new Error(`there is no schema ${schema}`)
    return (value) => {
      if (validate(value) === true) return null
      const told = (validate.errors ?? []).map(
        ({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      )
      return told.join('\n')
    }
  }
}
