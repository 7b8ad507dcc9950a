import { compile } from 'json-schema-to-typescript'
import * as z from 'zod'
import { byKey } from '../src/core/contract/order.ts'
import type { Json } from '../src/core/contract/text.ts'

/** A JSON Schema with references to `#/components/schemas/`. */
export type Schema = Readonly<Record<string, Json>>

const referencedName = (reference: string): string => reference.split('/').at(-1) ?? ''

const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const capitalized = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
const Compilable = z.custom<Parameters<typeof compile>[0]>((value) => typeof value === 'object' && value !== null)

/**
 * Returns the schema with references as type names, and with a title on every object in a list, which the library uses
 * as its name. Drops conditions such as "one of these members is required", which the types do not express.
 */
function titled(schema: Schema, title: string): Schema {
  const { $ref, properties, required, items, anyOf, additionalProperties, ...rest } = schema
  const { description } = rest
  const about = description === undefined ? {} : { description }
  if (typeof $ref === 'string') return { tsType: referencedName($ref), ...about }
  if (isSchema(properties)) {
    const needed = new Set(Array.isArray(required) ? required : [])
    const members = Object.entries(properties).map(([name, value]) => {
      const member = titled(isSchema(value) ? value : {}, title + capitalized(name))
      return [name, needed.has(name) ? member : orUndefined(member)] as const
    })
    const open = isSchema(additionalProperties) ? { additionalProperties: true } : {}
    return { ...rest, ...open, properties: Object.fromEntries(members), required: [...needed] }
  }
  const one = title.replace(/s$/, '')
  return {
    ...rest,
    ...(isSchema(items) ? { items: { ...titled(items, one), ...('properties' in items ? { title: one } : {}) } } : {}),
    ...(Array.isArray(anyOf)
      ? { anyOf: anyOf.map((part: Json) => (isSchema(part) ? titled(part, title) : part)) }
      : {}),
    ...(isSchema(additionalProperties) ? { additionalProperties: titled(additionalProperties, title) } : {}),
  }
}

/** Adds `undefined` to an optional member, which callers under `exactOptionalPropertyTypes` may then pass. */
function orUndefined({ description, ...member }: Schema): Schema {
  return { anyOf: [member, { tsType: 'undefined' }], ...(description === undefined ? {} : { description }) }
}

/** Makes every member and list read-only, because callers share answers. */
const readOnly = (text: string): string =>
  text
    .replaceAll(/^([ \t]*)(\w+\??:|\[k: string\]:)/gm, '$1readonly $2')
    .split('\n')
    .map((line) =>
      /^\s*\*|\/\*/.test(line)
        ? line
        : line
            .replaceAll(/(\w+|\([^()]*\))\[\]/g, 'readonly $1[]')
            .replaceAll(/\[([^[\]]+)\]\[\]/g, 'readonly (readonly [$1])[]'),
    )
    .join('\n')

/** Returns a JSON value with tuples as the generator knows them: the list `items` of earlier drafts. */
function withTuples(value: Json): Json {
  if (Array.isArray(value)) return value.map(withTuples)
  if (!isSchema(value)) return value
  const { prefixItems, ...rest } = value
  const members = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, withTuples(member)]))
  if (!Array.isArray(prefixItems)) return members
  return { ...members, items: prefixItems.map(withTuples), minItems: prefixItems.length, maxItems: prefixItems.length }
}

/** Returns TypeScript declarations of named schemas, in order of name, for a client without zod. */
export async function typesSource(schemas: Readonly<Record<string, Schema>>): Promise<string> {
  const texts = Object.entries(schemas)
    .toSorted(byKey)
    .map(async ([name, schema]) => {
      const text = await compile(Compilable.parse(withTuples(titled(schema, name))), name, {
        additionalProperties: false,
        bannerComment: '',
        format: false,
        ignoreMinAndMaxItems: true,
      })
      return readOnly(text).replaceAll(/\/\*\*\n\s*\* (.*)\n\s*\*\//g, '/** $1 */')
    })
  return (await Promise.all(texts)).join('\n')
}
