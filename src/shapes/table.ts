import { coingecko } from './coingecko.ts'
import { cryptocompare } from './cryptocompare.ts'
import { Refusal, type Shape } from './shape.ts'
import { type ReadText, publications } from './published.ts'

/** The APIs whose answers a host with a function imitates. */
export const SHAPES: readonly Shape[] = [coingecko, cryptocompare]

/** An answer in the shape of another API. */
export interface ShapedAnswer {
  readonly status: number
  readonly text: string
  /** Time of its data, as an HTTP date; null of an error. */
  readonly lastModified: string | null
}

/** Answers requests in the shape of other APIs. It reads each publication once. */
export function shapes(read: ReadText, now: () => number) {
  const open = publications()
  /** Returns the answer to a path below the prefix of a shape; null for any other path. */
  return async (method: string, { pathname, searchParams }: URL): Promise<ShapedAnswer | null> => {
    const shape = SHAPES.find(({ prefix }) => pathname.startsWith(`${prefix}/`))
    if (!shape) return null
    try {
      if (method !== 'GET' && method !== 'HEAD') throw new Refusal(405, 'Only GET and HEAD are allowed')
      const path = pathname.slice(shape.prefix.length).replace(/\/$/, '')
      for (const route of shape.routes) {
        const parts = partsOf(route.path, path)
        if (parts === null) continue
        const from = await open(read)
        if (from === null) throw new Refusal(503, 'Nothing has been published yet')
        const value = await route.answer(from, parts, searchParams, now())
        return { status: 200, text: JSON.stringify(value), lastModified: new Date(from.at).toUTCString() }
      }
      throw new Refusal(404, 'There is no such route')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, body } = shape.refused(error)
      return { status, text: JSON.stringify(body), lastModified: null }
    }
  }
}

/** Returns the parts of a path that vary; null if it is another route's. */
function partsOf(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return null
  const parts: [string, string][] = []
  for (const [place, name] of wanted.entries()) {
    const part = given[place] ?? ''
    if (name.startsWith(':')) parts.push([name.slice(1), decoded(part)])
    else if (name !== part) return null
  }
  return Object.fromEntries(parts)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Refusal(400, 'The address is not encoded properly')
  }
}
