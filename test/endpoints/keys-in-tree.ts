import { type EndpointSpec, type Key, fileOf, pathKey, queryParameters } from '../../src/core/contract/endpoint-spec.ts'
import { PREFIX } from '../../src/core/contract/prefix.ts'

/** Parts of a path of a document below the prefix; null for another file. The last part may be `<parameter>=<value>`. */
function pathOf(file: string): string | null {
  const [, path] = new RegExp(`^${PREFIX.slice(1)}((?:/[^=]+?)?)(?:/[^/=]+=[^/]+)?\\.json$`).exec(file) ?? []
  return path ?? null
}

/**
 * Keys of an endpoint that a tree should have a document for: by its declaration alone, whatever parameters it has. Values
 * in a path are those that the files have, values that a query may choose are all of those that the parameter allows.
 * Candles are there for the widths alone that venues have bars of.
 */
export function keysIn(files: Iterable<string>, spec: EndpointSpec): readonly Key[] {
  const all = new Set(files)
  const keys = keysOf(all, spec)
  return spec.name === 'candles' ? keys.filter((key) => all.has(fileOf(spec, key))) : keys
}

function keysOf(files: ReadonlySet<string>, spec: EndpointSpec): readonly Key[] {
  const paths = new Set([...files].flatMap((file) => pathOf(file) ?? []))
  let keys: readonly Key[] = [...paths].map((path) => pathKey(spec, path)).filter((key) => key !== null)
  for (const [name, { allowed }] of queryParameters(spec))
    if (typeof allowed !== 'string')
      keys = keys.flatMap((key) => allowed.map((value): Key => ({ ...key, [name]: value })))
  return keys
}
