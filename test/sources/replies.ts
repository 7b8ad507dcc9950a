import { readFileSync } from 'node:fs'
import type * as z from 'zod'
import type { Http, Observation, Source, Wants } from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'

export const nothingMore: Wants = { listings: null, profiles: () => [], tokens: [] }

export const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8'))

/** An Http that answers each path with the body given for it, and anything else as a host answers an unknown path. */
export const replies = (bodies: Readonly<Record<string, unknown>>): Http => ({
  async json<Body extends z.ZodType>(path: string, schema: Body) {
    if (!(path in bodies)) throw new SourceError('source_invalid', `HTTP 404 for ${path}`)
    const result = schema.safeParse(bodies[path])
    if (result.success) return result.data
    throw new SourceError('source_invalid', `unexpected answer to ${path}`, { cause: result.error })
  },
})

export const observe = async (
  source: Source,
  bodies: Readonly<Record<string, unknown>>,
  wants: Partial<Wants> = {},
): Promise<Observation[]> => [...(await source.observe(replies(bodies), { ...nothingMore, ...wants }))]
