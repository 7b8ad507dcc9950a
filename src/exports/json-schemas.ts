import * as z from 'zod'
import { type EndpointSpec, answerSchemaOf, convertedSchemaOf, operationOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import { type Json, membersOf } from '../contract/text.ts'
import { PREFIX } from '../contract/prefix.ts'
import type { Attachment } from '../endpoints/attachment.ts'
import { layout } from './layout.ts'

/** A JSON Schema 2020-12 with references to `#/$defs/`. */
export type Schema = Readonly<Record<string, Json>>

/** A kind of request or response body. */
export interface Kind {
  /** Name of its file in `schemas`, without the extension. */
  readonly file: string
  /** Name of its schema. */
  readonly schema: string
  readonly description: string
  /** Its endpoint; null for errors. */
  readonly spec: EndpointSpec | null
  readonly is: 'answer' | 'converted' | 'error' | 'body'
}

/** All kinds of bodies, and all schemas by name. */
export interface Schemas {
  readonly kinds: readonly Kind[]
  readonly named: ReadonlyMap<string, Schema>
}

/** Folder of the schemas, relative to the tree's root. Their list is not called `index`, which is an endpoint. */
const FOLDER = 'schemas'
export const SCHEMA_LIST = `${FOLDER}/schemas.json`
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const REFERENCE = '#/$defs/'
const ERROR = 'ErrorAnswer'

/** Returns the schema name of a `$ref`. */
export const referencedName = (reference: string): string => reference.slice(REFERENCE.length)

/** Returns the file of a schema, relative to the tree's root. */
export const schemaFile = (file: string): string => `${FOLDER}/${file}.json`

/** `asset-markets` -> `AssetMarkets` */
const capitalized = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the schemas of all request and response bodies. */
export function schemasOf(specs: readonly EndpointSpec[]): Schemas {
  const answers = specs.map((spec): Kind => {
    const file = operationOf(spec)
    const { description } = spec
    return { file, schema: `${capitalized(file)}Answer`, description, spec, is: 'answer' }
  })
  const conversions = specs.flatMap((spec): (Kind & { returns: z.ZodType })[] => {
    const returns = convertedSchemaOf(spec)
    if (!returns) return []
    const file = `${operationOf(spec)}-converted`
    const description = `${spec.description} In the currency \`vs\`.`
    const schema = `Converted${capitalized(operationOf(spec))}Answer`
    return [{ file, schema, description, spec, is: 'converted', returns }]
  })
  const bodies = specs.flatMap((spec): (Kind & { takes: z.ZodType })[] => {
    const takes = spec.takes?.schema
    if (!takes) return []
    const file = `${operationOf(spec)}-body`
    const schema = z.globalRegistry.get(takes)?.id ?? capitalized(file)
    const description = `Request body of ${spec.method} ${PREFIX}${spec.path}.`
    return [{ file, schema, description, spec, is: 'body', takes }]
  })
  const error: Kind = {
    file: 'error',
    schema: ERROR,
    description: 'Every response with status 400 or above.',
    spec: null,
    is: 'error',
  }
  const out = answers.flatMap(({ schema, spec }) => (spec ? [[schema, answerSchemaOf(spec)] as const] : []))
  const named = new Map([
    ...converted(Object.fromEntries(bodies.map(({ schema, takes }) => [schema, takes])), 'input'),
    ...converted(
      {
        ...Object.fromEntries(out),
        ...Object.fromEntries(conversions.map(({ schema, returns }) => [schema, returns])),
        [ERROR]: ErrorAnswer,
      },
      'output',
    ),
  ])
  const convertedKinds = conversions.map(({ returns: _, ...kind }) => kind)
  return { kinds: [...answers, ...convertedKinds, error, ...bodies.map(({ takes: _, ...kind }) => kind)], named }
}

/** Converts zod schemas, and all named schemas within them. */
function converted(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Map<string, Schema> {
  const whole = z.toJSONSchema(z.object(schemas), {
    io,
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      // zod sets this maximum on every integer. It holds for every integer that a double represents exactly.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // Within a version members are only added, and a reader that validates must not break on them.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      // A record with known keys becomes an object with these members, which more tools support.
      const { propertyNames, required, additionalProperties = {} } = jsonSchema
      if (propertyNames === undefined || required === undefined) return
      jsonSchema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]))
      delete jsonSchema.additionalProperties
      delete jsonSchema.propertyNames
    },
  })
  const { $defs, properties } = Whole.parse(whole)
  // A named schema is only a reference in the properties. Its definition is in $defs.
  return new Map([...Object.entries(properties).filter(([name]) => !(name in $defs)), ...Object.entries($defs)])
}

const Nodes = z.record(z.string(), z.object().loose().transform(membersOf))
const Whole = z.object({ $defs: Nodes.default({}), properties: Nodes })

/** Returns the self-contained schema of a value, without a description: the parameter or member has its own. */
export function schemaOfValue(value: z.ZodType): Schema {
  const { properties, $defs } = Whole.parse(z.toJSONSchema(z.object({ value }), { io: 'input' }))
  const { $ref, ...own } = properties['value'] ?? {}
  const named = typeof $ref === 'string' ? $defs[referencedName($ref)] : {}
  const { description: _, ...whole } = { ...named, ...own }
  return whole
}

/** Rewrites the references of a schema with `to`. */
export function referring(schema: Json, to: (name: string) => string): Json {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map((one: Json) => referring(one, to))
  return Object.fromEntries(
    Object.entries(schema).map(([member, value]) => [
      member,
      member === '$ref' && typeof value === 'string' ? to(referencedName(value)) : referring(value, to),
    ]),
  )
}

/** Returns the names of all schemas that a schema refers to, directly or indirectly. */
function reached(named: Schemas['named'], from: string): Set<string> {
  const names = new Set<string>()
  const visit = (schema: Json) =>
    void referring(schema, (name) => {
      if (!names.has(name)) {
        names.add(name)
        visit(named.get(name) ?? {})
      }
      return name
    })
  visit(named.get(from) ?? {})
  return names
}

/** Returns a self-contained schema file per kind of body, and a list of them. */
export function schemaFiles({ kinds, named }: Schemas): Attachment[] {
  const files = kinds.map(({ file, schema, description }) => {
    const $defs = Object.fromEntries(
      [...reached(named, schema)].toSorted().map((name) => [name, named.get(name) ?? {}]),
    )
    const whole = { $schema: DIALECT, title: schema, description, ...named.get(schema), $defs }
    return { path: schemaFile(file), text: layout(whole) }
  })
  const schemas = kinds.map(({ file, is, description, spec }) => ({
    schema: schemaFile(file),
    is,
    endpoint: spec?.name ?? null,
    method: spec?.method ?? null,
    path: spec ? PREFIX + spec.path : null,
    description,
  }))
  return [...files, { path: SCHEMA_LIST, text: layout({ schemas }) }]
}
