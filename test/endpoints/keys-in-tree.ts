import { type EndpointSpec, type Key, pathTexts, queryParameters } from '../../src/contract/endpoint-spec.ts'
import { type Value, valueOf } from '../../src/contract/parameters.ts'
import { PREFIX } from '../../src/contract/words.ts'

/** Parts of a path of a document below the prefix; null for another file. The last part may be `<parameter>=<value>`. */
function pathOf(file: string): string | null {
  const [, path] = new RegExp(`^${PREFIX.slice(1)}((?:/[^=]+?)?)(?:/[^/=]+=[^/]+)?\\.json$`).exec(file) ?? []
  return path ?? null
}

/** Key by the path parameters of an endpoint; null where the path is that of another. */
function keyOf(spec: EndpointSpec, path: string): Key | null {
  const texts = pathTexts(spec, path)
  if (texts === null) return null
  const key: Record<string, Value> = {}
  for (const [name, text] of Object.entries(texts)) {
    const parameter = spec.parameters[name]
    const value = parameter && valueOf(parameter, text)
    if (value === undefined) return null
    key[name] = value
  }
  return key
}

/**
 * Keys of an endpoint that a tree should have a document for: by its declaration alone, whatever parameters it has. Values
 * in a path are those that the files have, values that a query may choose are all of those that the parameter allows.
 */
export function keysIn(files: Iterable<string>, spec: EndpointSpec): readonly Key[] {
  const paths = new Set([...files].flatMap((file) => pathOf(file) ?? []))
  let keys: readonly Key[] = [...paths].map((path) => keyOf(spec, path)).filter((key) => key !== null)
  for (const [name, { allowed, cuts }] of queryParameters(spec))
    if (!cuts && typeof allowed !== 'string')
      keys = keys.flatMap((key) => allowed.map((value): Key => ({ ...key, [name]: value })))
  return keys
}
