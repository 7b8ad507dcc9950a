import * as z from 'zod'
import { type Ms, DAY_MS, HOUR_MS } from '../contract/time.ts'
import type { Connection } from './http.ts'
import type { Facts } from './source.ts'
import { SourceError } from './source-error.ts'

interface KeptBody {
  readonly at: number | null
  readonly body: unknown
  /** The last answer, where it was none that asking again soon would change. */
  readonly refused?: { readonly at: number; readonly message: string } | undefined
}

export type KeptBodies = Map<string, KeptBody>

export const STAND_IN_DAYS = 7

export const RETRY_HOURS = 6

export function withSlowLists(
  connection: Connection,
  { id, slow = [] }: Pick<Facts, 'id' | 'slow'>,
  kept: KeptBodies,
  now: Ms,
): Connection {
  return {
    ...connection,
    async json<Body extends z.ZodType>(path: string, schema: Body): Promise<z.infer<Body>> {
      const list = slow.find((one) => one.path === path)
      if (!list) return connection.json(path, schema)
      const old = kept.get(path) ?? { at: null, body: null }
      const keptFor = (mostMs: number) =>
        isWithin(mostMs, old.at, now) ? schema.safeParse(old.body) : { success: false as const }
      const fresh = keptFor(list.hours * HOUR_MS)
      if (fresh.success) return fresh.data
      const refusal = isWithin(RETRY_HOURS * HOUR_MS, old.refused?.at ?? null, now) ? old.refused : undefined
      try {
        if (refusal) throw new SourceError('source_invalid', refusal.message)
        const body = await connection.json(path, z.unknown())
        const result = schema.safeParse(body)
        if (!result.success) throw new SourceError('source_invalid', `${id}: ${path} is not as expected`)
        kept.set(path, { at: now, body: copyOf(body, list.members, `${id}: ${path}`) })
        return result.data
      } catch (error) {
        // Asking again soon would give the same.
        if (!refusal && error instanceof SourceError && error.code === 'source_invalid')
          kept.set(path, { ...old, refused: { at: now, message: error.message } })
        const standIn = keptFor(STAND_IN_DAYS * DAY_MS + 1)
        if (!standIn.success) throw error
        return standIn.data
      }
    },
  }
}

/** Returns an answer as it is kept, of objects with some members alone. @throws SourceError if it is nested too deep for that */
function copyOf(body: unknown, members: readonly string[] | undefined, name: string): unknown {
  try {
    return JSON.parse(JSON.stringify(body, members && [...members]))
  } catch (cause) {
    throw new SourceError('source_invalid', `${name} is nested too deep`, { cause })
  }
}

const isWithin = (mostMs: number, at: number | null, now: Ms): boolean => at !== null && now >= at && now - at < mostMs
