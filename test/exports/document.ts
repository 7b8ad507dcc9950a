import * as z from 'zod'
import type { EndpointSpec } from '../../src/contract/endpoint-spec.ts'
import { type Check, validators } from './validator.ts'

const Reference = z.object({ $ref: z.string() })
/** One schema, or several of which the first is that of the published document. */
const Schema = z.union([
  Reference,
  z.object({ anyOf: z.tuple([Reference], Reference) }).transform(({ anyOf: [first] }) => first),
])
// Lists are also files of text.
const Content = z.object({ 'application/json': z.object({ schema: Schema }).optional() }).loose()
const Response = z.object({ headers: z.record(z.string(), z.unknown()), content: Content.optional() })
const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.union([z.object({ name: z.string() }).loose(), Reference])).default([]),
  responses: z.record(z.string(), z.union([Response, Reference])),
})
type Operation = z.infer<typeof Operation>

/** What the tests look at in an OpenAPI document. */
export const Document = z
  .object({
    servers: z.array(z.object({ url: z.string() })),
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    components: z
      .object({
        schemas: z.record(z.string(), z.object({ description: z.string().optional() }).loose()),
        examples: z.record(z.string(), z.object({ value: z.record(z.string(), z.unknown()) }).loose()),
        responses: z.record(z.string(), Response),
      })
      .loose(),
  })
  .loose()
export type Document = z.infer<typeof Document>

/** The operation of an endpoint. */
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

/** Name of the schema of a body; null where there is none. */
export const contentOf = (document: Document, operation: Operation, status: string): string | null =>
  responseOf(document, operation, status)?.content?.['application/json']?.schema.$ref.split('/').at(-1) ?? null

/** Checks of the named schemas, each compiled once with those that it refers to. */
export function validatorFor({ components }: Document): (schema: string | null) => Check {
  const checkOf = validators({ components })
  return (schema) => checkOf(`#/components/schemas/${schema}`)
}
