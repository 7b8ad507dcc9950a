import * as z from 'zod'
import { type EndpointSpec, documentPath, pathKey, pickingParameter, urlOf } from '../contract/endpoint-spec.ts'
import { PREFIX } from '../contract/prefix.ts'
import type { Endpoint, World, Written } from './endpoint.ts'

const Rows = z.object({ rows: z.array(z.record(z.string(), z.unknown())) })

/**
 * Returns a request of an endpoint that this tree answers, relative to {@link PREFIX}: the declared example if its document
 * is there, else one for the first document. Null: the tree has no document of it.
 *
 * @param endpoints those with documents
 */
export function exampleIn(
  spec: EndpointSpec,
  endpoints: readonly Endpoint[],
  world: World,
  written: Written,
): string | null {
  const [declared = '', query] = spec.example.split('?')
  const [path, picking] = [documentPath(spec), pickingParameter(spec)]
  const [parent, picked] = picking ? [declared.replace(/\/[^/]*$/, ''), declared.split('/').at(-1)] : [declared]
  const own = pathKey({ ...spec, path }, parent)
  const documents = endpoints.find((one) => one.path === path && path.includes('/:'))
  if (own === null || !documents) return spec.example
  const keys = [...documents.keys(world)]
  const key = keys.find((one) => Object.entries(own).every(([name, value]) => one[name] === value)) ?? keys[0]
  if (key === undefined) return null
  const inPath = Object.fromEntries(
    Object.keys(own).flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
  )
  const url = urlOf(documents, inPath).slice(PREFIX.length) + (query === undefined ? '' : `?${query}`)
  if (!picking) return url
  const rows = Rows.safeParse(documents.body(world, key, written)).data?.rows ?? []
  const values = rows.map((row) => String(row[picking.member]))
  const value = values.find((one) => one === picked) ?? values[0]
  return value === undefined ? null : `${url}/${value}`
}
