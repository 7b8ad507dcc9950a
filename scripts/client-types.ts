import * as z from 'zod'

/** What is read of a JSON Schema: the part that zod writes and a TypeScript type can say. */
const Schema = z.object({
  $ref: z.string().optional(),
  const: z.union([z.string(), z.number(), z.boolean()]).optional(),
  enum: z.array(z.union([z.string(), z.number()])).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  required: z.array(z.string()).optional(),
  get anyOf() {
    return z.array(Schema).optional()
  },
  get items() {
    return Schema.optional()
  },
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
  get propertyNames() {
    return Schema.optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), Schema]).optional()
  },
  get $defs() {
    return z.record(z.string(), Schema).optional()
  },
})
type Schema = z.infer<typeof Schema>

const WIDTH = 120

/** A comment of one line for whoever reads the declaration in an editor. */
export const comment = (text: string | undefined, indent = ''): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /')} */\n`

/** `'a' | 'b'` behind `head`, in the way a formatter would break it. */
function union(parts: readonly string[], head: string, indent: string): string {
  const line = parts.join(' | ')
  const isList = parts.some((part) => part.includes('\n') && part.startsWith('readonly'))
  const hugs = parts.length === 1 || (line.includes('\n') && !isList)
  if (hugs || (!isList && `${indent}${head} ${line}`.length <= WIDTH)) return ` ${line}`
  if (!isList && `${indent}  ${line}`.length <= WIDTH) return `\n${indent}  ${line}`
  return parts.map((part) => `\n${indent}  | ${part.replaceAll('\n', '\n    ')}`).join('')
}

const isNullLast = (a: string, b: string) => Number(a === 'null') - Number(b === 'null')

function partsOf(schema: Schema, indent: string): readonly string[] {
  if (schema.$ref !== undefined) return [schema.$ref.replace(/^.*\//, '')]
  if (schema.const !== undefined) return [literal(schema.const)]
  if (schema.enum) return schema.enum.map(literal)
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((part) => partsOf(part, indent)))].toSorted(isNullLast)
  const types = [schema.type ?? 'unknown'].flat()
  return types.map((type) => {
    if (type === 'integer') return 'number'
    if (type === 'array') return arrayOf(partsOf(schema.items ?? {}, indent))
    return type === 'object' ? objectOf(schema, indent) : type
  })
}

const literal = (value: string | number | boolean): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'` : String(value)

const arrayOf = (parts: readonly string[]): string =>
  parts.length === 1 ? `readonly ${parts.join('')}[]` : `readonly (${parts.join(' | ')})[]`

function objectOf(schema: Schema, indent: string): string {
  const { properties, propertyNames, additionalProperties } = schema
  const values = typeof additionalProperties === 'object' ? additionalProperties : {}
  // A record of known names reads better as the members it has.
  const named = propertyNames?.enum?.map((name) => [String(name), values] as const)
  const members = properties ?? (named && Object.fromEntries(named))
  if (members) return `{\n${membersOf({ ...schema, properties: members }, `${indent}  `)}${indent}}`
  const keys = propertyNames?.$ref === undefined ? 'string' : partsOf(propertyNames, indent).join('')
  return `Readonly<Record<${keys}, ${partsOf(values, indent).join(' | ')}>>`
}

function membersOf({ properties = {}, required = [] }: Schema, indent: string): string {
  return Object.entries(properties)
    .map(([name, member]) => {
      const isOptional = !required.includes(name)
      const head = `readonly ${name}${isOptional ? '?' : ''}:`
      const parts = [...partsOf(member, indent), ...(isOptional ? ['undefined'] : [])]
      return `${comment(member.description, indent)}${indent}${head}${union(parts, head, indent)}\n`
    })
    .join('')
}

/** Declarations of types, by name, each once however often it is used. */
export interface Declarations {
  /** Declares the type of a schema. A schema that has a name already stands under that. Members of `base` are inherited. */
  declare(schema: z.ZodType, name: string, more?: { about?: string; base?: string; io?: 'input' }): void
  /** All that was declared, in order of name. */
  text(): string
}

/** Collects types as plain declarations, so that who reads them needs no zod. */
export function declarations(): Declarations {
  const known = new Map<string, string>()
  const add = (
    name: string,
    schema: Schema,
    about: string | undefined,
    inherited?: { name: string; members: readonly string[] },
  ) => {
    if (!schema.properties) {
      const head = `export type ${name} =`
      known.set(name, `${comment(about ?? schema.description)}${head}${union(partsOf(schema, ''), head, '')}\n`)
      return
    }
    const own = Object.entries(schema.properties ?? {}).filter(([member]) => !inherited?.members.includes(member))
    const members = membersOf({ ...schema, properties: Object.fromEntries(own) }, '  ')
    const extending = inherited ? ` extends ${inherited.name}` : ''
    known.set(name, `${comment(about ?? schema.description)}export interface ${name}${extending} {\n${members}}\n`)
  }
  const membersByName = new Map<string, readonly string[]>()
  return {
    declare(
      schema,
      name,
      { about, base, io = 'output' }: { about?: string; base?: string; io?: 'input' | 'output' } = {},
    ) {
      const { $defs = {}, ...own } = Schema.parse(z.toJSONSchema(schema, { io }))
      for (const [id, part] of Object.entries($defs)) add(id, part, undefined)
      if (own.$ref !== undefined) return
      membersByName.set(name, Object.keys(own.properties ?? {}))
      const members = base === undefined ? undefined : membersByName.get(base)
      add(name, own, about, base !== undefined && members ? { name: base, members } : undefined)
    },
    text: () =>
      [...known]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, text]) => text)
        .join('\n'),
  }
}
