import { byKey } from '../core/contract/order.ts'
import { isRecord } from '../core/contract/read-json.ts'

type Schema = Readonly<Record<string, unknown>>

const capitalized = (name: string): string =>
  name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
const about = ({ description }: Schema): string => (typeof description === 'string' ? `/** ${description} */\n` : '')

/** Returns declarations for a package without zod. They are read-only, because callers share answers. */
export function typesSource(schemas: Readonly<Record<string, Schema>>): string {
  const listed = new Map<string, Schema>()
  function typeOf(schema: Schema, name: string): string {
    const { $ref, const: constant, enum: values, anyOf, prefixItems, items, type } = schema
    if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
    if (type === 'object') return `{\n${membersOf(schema, name)}}`
    if (constant !== undefined) return JSON.stringify(constant)
    if (Array.isArray(values)) return values.map((value: unknown) => JSON.stringify(value)).join(' | ')
    const one = name.replace(/s$/, '')
    if (Array.isArray(anyOf)) return typesOf(anyOf, name).join(' | ')
    if (Array.isArray(prefixItems)) return `readonly [${typesOf(prefixItems, one).join(', ')}]`
    if (isRecord(items)) {
      if ('properties' in items) listed.set(one, items)
      return `readonly (${'properties' in items ? one : typeOf(items, one)})[]`
    }
    const names = [type].flat().map((one) => (typeof one === 'string' ? one : 'unknown'))
    return names.join(' | ').replace('integer', 'number')
  }
  const typesOf = (parts: readonly unknown[], name: string) => parts.filter(isRecord).map((part) => typeOf(part, name))
  function membersOf({ properties, required = [], additionalProperties: others }: Schema, name: string): string {
    const members = Object.entries(isRecord(properties) ? properties : {}).map(([key, value]) => {
      const member = isRecord(value) ? value : {}
      const type = typeOf(member, name + capitalized(key))
      const isRequired = Array.isArray(required) && required.includes(key)
      // Callers under `exactOptionalPropertyTypes` may pass `undefined`.
      return `${about(member)}readonly ${key}${isRequired ? `: ${type}` : `?: ${type} | undefined`}\n`
    })
    const open = isRecord(others) ? [`readonly [k: string]: ${properties ? 'unknown' : typeOf(others, name)}\n`] : []
    return [...members, ...open].join('')
  }
  const declared = ([name, schema]: readonly [string, Schema]): string =>
    `${about(schema)}export ${schema['properties'] ? 'interface' : 'type'} ${name} ${schema['properties'] ? '' : '= '}${typeOf(schema, name)}\n`
  const texts = Object.entries(schemas).toSorted(byKey).map(declared)
  // Those of a list may have lists of their own, which join the ones that are gone through.
  for (const entry of listed) texts.push(declared(entry))
  return texts.join('\n')
}
