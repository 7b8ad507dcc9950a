import type * as z from 'zod'
import type { RequestsMembers } from '../contract/listing-request.ts'
import { applyRetention, requestsOf, retained } from '../requests/decisions.ts'
import type { Queue } from '../requests/queue.ts'

type Requests = z.infer<z.ZodObject<typeof RequestsMembers>>

/** What was deleted from a queue. `error` is set if it could not be read or written. */
export interface QueueChanges {
  readonly contacts: number
  readonly deleted: number
  readonly error: string | null
}

const failed = (error: unknown): QueueChanges => ({
  contacts: 0,
  deleted: 0,
  error: error instanceof Error ? error.message : String(error),
})

/**
 * Returns the state of a queue to publish in this run, and what deletes outdated requests after publication. Without a
 * readable queue, the last published state is kept.
 *
 * @param before the last published state
 */
export async function requestsOfRun(
  queue: Queue | null,
  now: number,
  before: Requests,
): Promise<{ readonly published: Requests; readonly applyChanges: () => Promise<QueueChanges | null> }> {
  if (!queue) return { published: before, applyChanges: async () => null }
  try {
    const published = requestsOf((await queue.list()).flatMap((record) => retained(record, now) ?? []))
    const apply = async (): Promise<QueueChanges> => ({ ...(await applyRetention(queue, now)), error: null })
    return { published, applyChanges: () => apply().catch(failed) }
  } catch (error) {
    return { published: before, applyChanges: async () => failed(error) }
  }
}
