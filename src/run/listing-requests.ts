import type * as z from 'zod'
import type { RequestsMembers } from '../contract/listing-request.ts'
import type { Queue } from '../requests/queue.ts'
import { type DueChanges, applyDueChanges, due } from '../requests/due-changes.ts'
import { requestsOf } from '../requests/public-state.ts'

type Requests = z.infer<z.ZodObject<typeof RequestsMembers>>

/** Result of the due changes in a queue. `error` is set if the queue could not be read or written. */
export interface QueueChanges extends DueChanges {
  readonly error: string | null
}

const failed = (error: unknown): QueueChanges => ({
  listed: 0,
  expired: 0,
  purged: 0,
  deleted: 0,
  error: error instanceof Error ? error.message : String(error),
})

/**
 * Returns the state of a queue to publish in this run, and the queue changes to make after publication. Only `applyChanges`
 * changes the queue: a refused run has listed nothing. Without a readable queue, the last published state is kept.
 *
 * @param slugs the slugs of the feed
 * @param before the last published state
 */
export async function requestsOfRun(
  queue: Queue | null,
  slugs: { has(slug: string): boolean },
  now: number,
  before: Requests,
): Promise<{ readonly published: Requests; readonly applyChanges: () => Promise<QueueChanges | null> }> {
  if (!queue) return { published: before, applyChanges: async () => null }
  try {
    const published = requestsOf((await queue.list()).map((record) => due(record, slugs, now)))
    const apply = async (): Promise<QueueChanges> => ({ ...(await applyDueChanges(queue, slugs, now)), error: null })
    return { published, applyChanges: () => apply().catch(failed) }
  } catch (error) {
    return { published: before, applyChanges: async () => failed(error) }
  }
}
