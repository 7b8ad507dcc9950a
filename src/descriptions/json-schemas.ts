import * as z from 'zod'
import { type EndpointSpec, answerSchemaOf, operationOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import { type Json, membersOf } from '../contract/text.ts'
import { PREFIX } from '../contract/words.ts'
import type { Attachment } from '../endpoints/attachment.ts'
import { layout } from './layout.ts'

/** A JSON Schema, 2020-12. What it refers to is below `#/$defs/`. */
export type Schema = Readonly<Record<string, Json>>

/** A kind of text that goes over the wire, and the schema of it. */
export interface Kind {
  /** Name of its file below `schemas`, without the ending. */
  readonly file: string
  /** Name of its schema. */
  readonly schema: string
  readonly description: string
  /** The endpoint it belongs to; null for the errors of all. */
  readonly spec: EndpointSpec | null
  readonly is: 'answer' | 'error' | 'body'
}

/** Everything that goes over the wire, and every schema by its name. */
export interface Schemas {
  readonly kinds: readonly Kind[]
  readonly named: ReadonlyMap<string, Schema>
}

/** Folder of the schemas, below the tree's root, and the list of them in it: `index` is an endpoint. */
const FOLDER = 'schemas'
export const SCHEMA_LIST = `${FOLDER}/schemas.json`
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const REFERENCE = '#/$defs/'
const ERROR = 'ErrorAnswer'

/** Name of the schema that a `$ref` leads to. */
export const referencedName = (reference: string): string => reference.slice(REFERENCE.length)

/** File of a schema, below the tree's root. */
export const schemaFile = (file: string): string => `${FOLDER}/${file}.json`

/** `asset-markets` -> `AssetMarkets` */
const capitalized = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The schemas of all that endpoints answer and take. */
export function schemasOf(specs: readonly EndpointSpec[]): Schemas {
  const answers = specs.map((spec): Kind => {
    const file = operationOf(spec)
    const { description } = spec
    return { file, schema: `${capitalized(file)}Answer`, description, spec, is: 'answer' }
  })
  const bodies = specs.flatMap((spec): (Kind & { takes: z.ZodType })[] => {
    const takes = spec.takes?.schema
    if (!takes) return []
    const file = `${operationOf(spec)}-body`
    const schema = z.globalRegistry.get(takes)?.id ?? capitalized(file)
    const description = `What is sent to ${spec.method} ${PREFIX}${spec.path}.`
    return [{ file, schema, description, spec, is: 'body', takes }]
  })
  const error: Kind = {
    file: 'error',
    schema: ERROR,
    description: 'Every answer with status 400 and above.',
    spec: null,
    is: 'error',
  }
  const out = answers.flatMap(({ schema, spec }) => (spec ? [[schema, answerSchemaOf(spec)] as const] : []))
  const named = new Map([
    ...converted(Object.fromEntries(bodies.map(({ schema, takes }) => [schema, takes])), 'input'),
    ...converted({ ...Object.fromEntries(out), [ERROR]: ErrorAnswer }, 'output'),
  ])
  return { kinds: [...answers, error, ...bodies.map(({ takes: _, ...kind }) => kind)], named }
}

/** The schemas of these, and of all that have a name of their own within them. */
function converted(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Map<string, Schema> {
  const whole = z.toJSONSchema(z.object(schemas), {
    io,
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      // Said of every integer, and true of every number in JSON that is read as a double.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // A record with known names is an object with these members, and more tools know how to read that.
      const { propertyNames, required, additionalProperties = {} } = jsonSchema
      if (propertyNames === undefined || required === undefined) return
      jsonSchema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]))
      jsonSchema.additionalProperties = false
      delete jsonSchema.propertyNames
    },
  })
  const { $defs, properties } = Whole.parse(whole)
  // One that has a name of its own is a mere reference among the properties, and stands in the definitions.
  return new Map([...Object.entries(properties).filter(([name]) => !(name in $defs)), ...Object.entries($defs)])
}

const Nodes = z.record(z.string(), z.object().loose().transform(membersOf))
const Whole = z.object({ $defs: Nodes.default({}), properties: Nodes })

/** The schema of one value as it is given, whole in itself and without a description: what uses the value says what it is there. */
export function schemaOfValue(value: z.ZodType): Schema {
  const { properties, $defs } = Whole.parse(z.toJSONSchema(z.object({ value }), { io: 'input' }))
  const { $ref, ...own } = properties['value'] ?? {}
  const named = typeof $ref === 'string' ? $defs[referencedName($ref)] : {}
  const { description: _, ...whole } = { ...named, ...own }
  return whole
}

/** The same schema with other references: `to` is told the name. */
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

/** Names of all that a schema refers to, and of what those refer to. */
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

/** A schema file for every kind of answer and body, each whole in itself, and a list of them. */
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
