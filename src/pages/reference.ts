/** Returns a value within unknown JSON, or undefined. */
function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Object.entries(found).find(([own]) => own === name)?.[1]
  }
  return found
}

/** Returns a text within unknown JSON, or the empty string. */
const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** Returns the members of an object within unknown JSON. */
const membersAt = (value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] => {
  const found = at(value, ...path)
  return typeof found === 'object' && found !== null ? Object.entries(found) : []
}

/** Returns the values of a list within unknown JSON. */
const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** One operation of an OpenAPI document. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly description: string
  /** Parameters of the path and the query. */
  readonly parameters: readonly Parameter[]
  readonly statuses: readonly (readonly [string, string])[]
  /** Schema of the response; undefined if it is not JSON. */
  readonly answer: unknown
  /** Name of its group. */
  readonly group: string
  /** File of the example's answer, from the root of the tree; `''` if there is none. */
  readonly file: string
  /** A short example of the answer, as JSON; null if there is none. */
  readonly example: string | null
}

interface Parameter {
  readonly name: string
  readonly description: string
  readonly usual: string
}

/** Resolves a `$ref` of the document. Other values are returned unchanged. */
function resolved(document: unknown, value: unknown): unknown {
  const ref = textAt(value, '$ref')
  return ref === '' ? value : resolved(document, at(document, ...ref.replace('#/', '').split('/')))
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** Returns the first example of an answer, without members that are null: they say little. */
function exampleOf(document: unknown, content: unknown): string | null {
  const [first] = membersAt(content, 'examples')
  const value = first && at(resolved(document, first[1]), 'value')
  return value === undefined ? null : JSON.stringify(value, (_, member: unknown) => member ?? undefined, 2)
}

/** A group of operations. */
export interface Group {
  readonly name: string
  readonly description: string
  readonly operations: readonly Operation[]
}

/** Returns the operations of a document by group, in its order of groups. */
export function groupsOf(document: unknown): readonly Group[] {
  const operations = operationsOf(document)
  return listAt(document, 'tags').map((tag) => {
    const name = textAt(tag, 'name')
    return {
      name,
      description: textAt(tag, 'description'),
      operations: operations.filter(({ group }) => group === name),
    }
  })
}

/** Returns the operations of a document, in its order. */
export const operationsOf = (document: unknown): readonly Operation[] =>
  membersAt(document, 'paths').flatMap(([path, item]) =>
    membersAt(item)
      .filter(([method]) => method === 'get' || method === 'post')
      .map(([method, operation]) => operationOf(document, { path, method, item, operation })),
  )

interface Described {
  readonly path: string
  readonly method: string
  readonly item: unknown
  readonly operation: unknown
}

function operationOf(document: unknown, { path, method, item, operation }: Described): Operation {
  const responses = membersAt(operation, 'responses').map(
    ([status, response]) => [status, resolved(document, response)] as const,
  )
  const good = responses.find(([status]) => status.startsWith('2'))?.[1]
  const content = at(good, 'content', 'application/json')
  const schema = at(content, 'schema')
  return {
    id: textAt(operation, 'operationId'),
    method: method.toUpperCase(),
    path,
    description: textAt(operation, 'description') || textAt(operation, 'summary'),
    parameters: [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')]
      .map((one) => resolved(document, one))
      .filter((one) => textAt(one, 'in') !== 'header')
      .map((one) => ({
        name: textAt(one, 'name'),
        description: textAt(one, 'description'),
        usual: shown(at(resolved(document, at(one, 'schema')), 'default')),
      })),
    statuses: responses.map(([status, response]) => [status, textAt(response, 'description')] as const),
    // Of several schemas, the first is that of the published answer.
    answer: listAt(schema, 'anyOf')[0] ?? schema,
    group: textAt(operation, 'tags', '0'),
    file: textAt(operation, 'x-file'),
    example: exampleOf(document, content),
  }
}

/** Returns a short description of a schema's type: `number or null`, `list of Market`. */
export function typeOf(schema: unknown): string {
  const ref = textAt(schema, '$ref')
  if (ref !== '') return ref.split('/').at(-1) ?? ''
  const either = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')]
  if (either.length > 0) return [...new Set(either.map((one) => typeOf(one)))].join(' or ')
  if (listAt(schema, 'enum').length > 0) return listAt(schema, 'enum').map(shown).join(' | ')
  if (at(schema, 'const') !== undefined) return shown(at(schema, 'const'))
  const type = at(schema, 'type')
  if (type === 'array') return `list of ${typeOf(at(schema, 'items'))}`
  return Array.isArray(type) ? type.join(' or ') : shown(type) || 'any'
}

/** A member of an answer. */
export interface Member {
  readonly name: string
  readonly type: string
  readonly description: string
  /** Members of its rows, or of itself. */
  readonly inner: readonly Member[]
}

/** Levels of members that are listed. */
const MOST_DEPTH = 2

/** Returns the members of a response and of its rows. */
export function membersOf(document: unknown, schema: unknown, depth = 0): readonly Member[] {
  const whole = resolved(document, schema)
  const parts = [whole, ...listAt(whole, 'allOf').map((one) => resolved(document, one))]
  return parts
    .flatMap((one) => membersAt(one, 'properties'))
    .map(([name, value]) => {
      const within = depth === MOST_DEPTH ? [] : [at(value, 'items'), value]
      const [items = [], own = []] = within.map((one) => membersOf(document, resolved(document, one), depth + 1))
      return {
        name,
        type: typeOf(value),
        description: textAt(value, 'description') || textAt(resolved(document, value), 'description'),
        inner: items.length > 0 ? items : own,
      }
    })
}
