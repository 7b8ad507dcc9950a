import * as z from 'zod'
import { fileOf } from '../core/contract/endpoint-spec.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import type { Ecosystem } from '../core/contract/product.ts'
import type { PublicationData, ComposedSoFar } from '../core/endpoints/endpoint.ts'
import { endpointsOf } from '../core/endpoints/table.ts'

/** Members from which on an object is a map, such as prices by slug, of which two entries are shown. */
const MAP = 100

/** Returns a value with the first of its rows, and the first two entries of its maps. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.slice(0, entries.length > MAP ? 2 : entries.length).map(([name, member]) => [name, shortened(member)]),
  )
}

/**
 * Returns what finds a short answer of this publication by its file, without the members that all answers share; null where
 * there is none before everything else is written.
 */
export function examplesOf(
  world: PublicationData,
  written: ComposedSoFar,
  ecosystem: Ecosystem,
): (file: string) => string | null {
  const endpoints = endpointsOf(ecosystem).published.filter(({ covers }) => covers !== true)
  return (file) => {
    const whole = file.replace(/\/limit=\d+\.json$/, '.json')
    // Making the names of all files takes longer than all pages.
    const near = endpoints.filter(({ path }) => whole.startsWith(API_FOLDER + (path.split(':')[0] ?? '')))
    for (const endpoint of near)
      for (const key of endpoint.keys(world, written))
        if (fileOf(endpoint, key) === whole) {
          const { data } = z.object(endpoint.members).safeParse(shortened(endpoint.body(world, key, written)))
          return data === undefined ? null : JSON.stringify(data, null, 2)
        }
    return null
  }
}
