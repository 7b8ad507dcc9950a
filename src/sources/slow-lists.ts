import * as z from 'zod'
import type { Connection } from './http.ts'
import type { Facts } from './source.ts'
import { SourceError } from './source-error.ts'

/** Rows reduced to some of their members; what is no object stays, to be rejected by who reads it. */
export const picked = (...names: readonly string[]) =>
  z
    .array(z.unknown())
    .transform((rows) =>
      rows.map((row): unknown =>
        typeof row === 'object' && row !== null
          ? Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)))
          : row,
      ),
    )

/** A body as it was kept, and when it was had, in ms since 1970. */
export interface KeptBody {
  readonly at: number
  readonly body: unknown
}

/** The kept bodies of one source, by path. */
export type KeptBodies = Map<string, KeptBody>

/** Days for which a body that cannot be had anew stands in for itself. */
export const STAND_IN_DAYS = 7

const HOUR_MS = 3_600_000

/**
 * A connection that requests the slow lists of a source only when the kept ones are too old, and keeps what it gets,
 * reduced to the members that are read. One that cannot be had anew is used for {@link STAND_IN_DAYS} more days.
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
      const parsedOld = old ? schema.safeParse(old.body) : null
      if (old && parsedOld?.success && now - old.at < list.hours * HOUR_MS && now >= old.at) return parsedOld.data
      try {
        const body = await connection.json(path, list.keep)
        const result = schema.safeParse(body)
        if (!result.success) throw new SourceError('source_invalid', `${id}: ${path} is not as expected`)
        kept.set(path, { at: now, body })
        return result.data
      } catch (error) {
        if (!old || !parsedOld?.success || now - old.at > STAND_IN_DAYS * 24 * HOUR_MS) throw error
        return parsedOld.data
      }
    },
  }
}
