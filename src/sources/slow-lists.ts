import type * as z from 'zod'
import { DAY_MS, HOUR_MS } from '../contract/time.ts'
import type { Connection } from './http.ts'
import type { Facts } from './source.ts'
import { SourceError } from './source-error.ts'

/** A body as it was kept, and when it was had, in ms since 1970. */
interface KeptBody {
  /** Null: it was never had. */
  readonly at: number | null
  readonly body: unknown
  /** The last answer, where it was none that asking again soon would change. */
  readonly refused?: { readonly at: number; readonly message: string } | undefined
}

/** The kept bodies of one source, by path. */
export type KeptBodies = Map<string, KeptBody>

/** Days for which a body that cannot be had anew stands in for itself. */
export const STAND_IN_DAYS = 7

/** Hours until a list that a host does not give is requested again. */
export const RETRY_HOURS = 6

/**
 * A connection that requests the slow lists of a source only when the kept ones are too old, and keeps what it gets,
 * reduced to the members that are read. One that cannot be had anew is used for {@link STAND_IN_DAYS} more days. One that
 * the host does not give, such as with a 404, is requested again after {@link RETRY_HOURS}.
 */
export function withSlowLists(
  connection: Connection,
  { id, slow = [] }: Pick<Facts, 'id' | 'slow'>,
  kept: KeptBodies,
  now: number,
): Connection {
  const listAt = (path: string) => slow.find((list) => list.path === path)
  return {
    stats: connection.stats,
    close: () => connection.close(),
    async json<Body extends z.ZodType>(path: string, schema: Body) {
      const list = listAt(path)
      if (!list) return connection.json(path, schema)
      const old = kept.get(path)
      const fresh = bodyOf(old, schema, now, list.hours * HOUR_MS)
      if (fresh) return fresh.data
      try {
        throwIfRefused(old, now)
        const body = await connection.json(path, list.keep)
        const result = schema.safeParse(body)
        if (!result.success) throw new SourceError('source_invalid', `${id}: ${path} is not as expected`)
        kept.set(path, { at: now, body })
        return result.data
      } catch (error) {
        if (isFinal(error) && !isRefused(old, now))
          kept.set(path, withRefusal(old, { at: now, message: error.message }))
        const standIn = bodyOf(old, schema, now, STAND_IN_DAYS * DAY_MS + 1)
        if (!standIn) throw error
        return standIn.data
      }
    },
  }
}

/** A kept body that is younger than `mostMs`; null where there is none, or it is not as expected. */
function bodyOf<Body extends z.ZodType>(
  kept: KeptBody | undefined,
  schema: Body,
  now: number,
  mostMs: number,
): { readonly data: z.infer<Body> } | null {
  if (!kept || kept.at === null || now < kept.at || now - kept.at >= mostMs) return null
  const result = schema.safeParse(kept.body)
  return result.success ? { data: result.data } : null
}

const withRefusal = (kept: KeptBody | undefined, refused: KeptBody['refused']): KeptBody => ({
  at: kept?.at ?? null,
  body: kept?.body ?? null,
  refused,
})

/** Whether asking again soon would give the same. */
const isFinal = (error: unknown): error is SourceError =>
  error instanceof SourceError && error.code === 'source_invalid'

function isRefused(kept: KeptBody | undefined, now: number): boolean {
  const ageMs = now - (kept?.refused?.at ?? -Infinity)
  return ageMs >= 0 && ageMs < RETRY_HOURS * HOUR_MS
}

function throwIfRefused(kept: KeptBody | undefined, now: number): void {
  if (kept?.refused && isRefused(kept, now)) throw new SourceError('source_invalid', kept.refused.message)
}
