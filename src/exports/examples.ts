import * as z from 'zod'
import { type Key, answerSchemaOf, exampleKey, fileOf, operationOf } from '../contract/endpoint-spec.ts'
import { OPENAPI_FILE } from '../contract/paths.ts'
import { readJson } from '../contract/read-json.ts'
import { type Json, jsonOf, membersOf } from '../contract/text.ts'
import { type Endpoint, type World, type Written, enveloped } from '../endpoints/endpoint.ts'

/** Number of entries of every list in an example. */
const MOST = 2

export type Example = Readonly<Record<string, Json>>

const Held = z.object({
  components: z.object({ examples: z.record(z.string(), z.object({ value: z.object().loose() })) }),
})

/**
 * Returns an example of every endpoint's answer from the tree. A published example is kept while it matches the contract
 * and shows a row. Otherwise the description would change with the prices of every run. Its `timestamp` dates it.
 *
 * Documents with the digests of all others have no example, because it would change those digests.
 */
export function examplesOf(
  endpoints: readonly Endpoint[],
  product: string,
  world: World,
  written: Written,
): ReadonlyMap<string, Example> {
  // If the description is missing or invalid, all examples are rebuilt.
  const before = readJson(world.last(OPENAPI_FILE), Held)?.components.examples ?? {}
  return new Map(
    endpoints
      .filter(({ covers }) => !covers)
      .flatMap((endpoint) => {
        const standing = standingOf(endpoint, before[operationOf(endpoint)]?.value)
        const fresh = standing && isTelling(standing) ? null : made(endpoint, product, world, written)
        const example = fresh && (!standing || isTelling(fresh)) ? fresh : standing
        return example ? [[operationOf(endpoint), example] as const] : []
      }),
  )
}

function standingOf(endpoint: Endpoint, held: unknown): Example | null {
  const { data } = answerSchemaOf(endpoint).safeParse(held)
  return data !== undefined && JSON.stringify(data) === JSON.stringify(held) ? membersOf(data) : null
}

const isTelling = ({ rows }: Example): boolean => !Array.isArray(rows) || rows.length > 0

function made(endpoint: Endpoint, product: string, world: World, written: Written): Example | null {
  const isWritten = (key: Key) => written.sha256(fileOf(endpoint, key)) !== ''
  const [first] = endpoint.keys(world)
  const key = [exampleKey(endpoint), first].find((one) => one && isWritten(one))
  if (!key) return null
  const body = endpoint.body(world, key, written)
  const file = fileOf(endpoint, key)
  const timestamp = written.rows.find(({ path }) => path === file)?.timestamp ?? world.at
  const rows = 'rows' in body && Array.isArray(body['rows']) ? body['rows'].slice(0, MOST) : null
  const few = rows ? { ...body, count: rows.length, rows } : fewPrices(body, endpoint.order?.(world, key))
  const answer = answerSchemaOf(endpoint).parse(enveloped(endpoint, key, { world, product, timestamp }, few))
  return shortened(answer)
}

/** Shortens the map of prices of a body, if it has one. */
function fewPrices(
  body: Readonly<Record<string, unknown>>,
  order: readonly string[] | undefined,
): Readonly<Record<string, unknown>> {
  const { prices } = body
  if (typeof prices !== 'object' || prices === null) return body
  const all = new Map<string, unknown>(Object.entries(prices))
  const names = (order ?? [...all.keys()]).slice(0, MOST)
  return { ...body, count: names.length, prices: Object.fromEntries(names.map((name) => [name, all.get(name)])) }
}

const shortened = (answer: object): Example =>
  Object.fromEntries(Object.entries(answer).map(([name, member]) => [name, fewOf(member)]))

/** Shortens the lists of a value. A series of numbers is one value, and its schema may state how many there are. */
function fewOf(value: unknown): Json {
  const isSeries = Array.isArray(value) && value.some((one) => typeof one === 'number' || one === null)
  if (Array.isArray(value)) return (isSeries ? value : value.slice(0, MOST)).map(fewOf)
  return typeof value === 'object' && value !== null ? shortened(value) : jsonOf(value)
}
