import * as z from 'zod'
import { type EndpointSpec, answerSchemaOf, convertedSchemaOf, operationOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import { type Json, membersOf, printValue } from '../contract/text.ts'

/** Values up to this width are printed on one line. */
const WIDTH = 120

/** Formats JSON with indentation, so that changes give small diffs, and with numbers in plain decimals. */
export const layout = (value: Json): string => `${laid(value, '')}\n`

function laid(value: Json, indent: string): string {
  if (typeof value !== 'object' || value === null) return printValue(value)
  const deeper = `${indent} `
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const lines = Object.entries(value).map(([name, member]) =>
    isList ? laid(member, deeper) : `${JSON.stringify(name)}: ${laid(member, deeper)}`,
  )
  const length = lines.reduce((sum, line) => sum + line.length + 2, indent.length)
  // Line feeds within texts are escaped, so a line feed here belongs to a multi-line member.
  if (length <= WIDTH && !lines.some((line) => line.includes('\n'))) return `${open}${lines.join(', ')}${close}`
  return `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`
}

/** A JSON Schema 2020-12 with references to `#/$defs/`. */
export type Schema = Readonly<Record<string, Json>>

export interface Kind {
  readonly schema: string
  readonly spec: EndpointSpec
  readonly is: 'answer' | 'converted' | 'body'
}

export interface Schemas {
  readonly kinds: readonly Kind[]
  readonly named: ReadonlyMap<string, Schema>
}

const REFERENCE = '#/$defs/'
/** The schema of every answer with status 400 and above. */
export const ERROR_SCHEMA = 'ErrorAnswer'

/** Returns the schema name of a `$ref`. */
export const referencedName = (reference: string): string => reference.slice(REFERENCE.length)

/** `asset-markets` -> `AssetMarkets` */
const capitalized = (name: string): string =>
  name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the schemas of all request and response bodies. */
export function schemasOf(specs: readonly EndpointSpec[]): Schemas {
  const described = specs.flatMap((spec): (Kind & { readonly type: z.ZodType })[] => {
    const name = capitalized(operationOf(spec))
    const [converts, takes] = [convertedSchemaOf(spec), spec.takes?.schema]
    const body = takes && (z.globalRegistry.get(takes)?.id ?? `${name}Body`)
    return [
      { schema: `${name}Answer`, spec, is: 'answer', type: answerSchemaOf(spec) },
      ...(converts ? [{ schema: `Converted${name}Answer`, spec, is: 'converted', type: converts } as const] : []),
      ...(takes && body ? [{ schema: body, spec, is: 'body', type: takes } as const] : []),
    ]
  })
  const typesOf = (...kinds: readonly Kind['is'][]) =>
    Object.fromEntries(described.filter(({ is }) => kinds.includes(is)).map(({ schema, type }) => [schema, type]))
  const answers = { ...typesOf('answer'), ...typesOf('converted'), [ERROR_SCHEMA]: ErrorAnswer }
  return {
    kinds: described.map(({ type: _, ...kind }) => kind),
    named: new Map([...converted(typesOf('body'), 'input'), ...converted(answers, 'output')]),
  }
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
