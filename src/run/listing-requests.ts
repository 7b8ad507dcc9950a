import * as z from 'zod'
import { NO_REQUESTS, RequestsMembers } from '../contract/listing-request.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { listingRequests } from '../endpoints/listing-requests.ts'
import type { Queue } from '../requests/queue.ts'
import { type DueChanges, applyDueChanges, due } from '../requests/due-changes.ts'
import { requestsOf } from '../requests/public-state.ts'

/** Public state of the listing requests in a tree. */
type Requests = z.infer<z.ZodObject<typeof RequestsMembers>>

/** Result of the due changes in a queue. `error` is set if the queue could not be read or written. */
export interface QueueChanges extends DueChanges {
  readonly error: string | null
}

/** Listing requests of one run: the state to publish, and the queue changes to make after publication. */
interface RequestsOfRun {
  readonly published: Requests
  readonly applyChanges: () => Promise<QueueChanges | null>
}

const NO_CHANGES: DueChanges = { listed: 0, expired: 0, purged: 0, deleted: 0 }
const failed = (error: unknown): QueueChanges => ({
  ...NO_CHANGES,
  error: error instanceof Error ? error.message : String(error),
})

/**
 * Returns the state of a queue to publish in this run. Only `applyChanges`, called after publication, changes the queue: a
 * refused run has listed nothing. Without a readable queue, the last published state is kept.
 *
 * @param slugs the slugs of the feed
 * @param read returns the text of a file of the last publication
 */
export async function requestsOfRun(
  queue: Queue | null,
  slugs: { has(slug: string): boolean },
  now: number,
  read: (file: string) => string | null,
): Promise<RequestsOfRun> {
  const before = () => lastPublished(read(fileOf(listingRequests, {})))
  if (!queue) return { published: before(), applyChanges: async () => null }
  const applyChanges = async (): Promise<QueueChanges> => {
    try {
      return { ...(await applyDueChanges(queue, slugs, now)), error: null }
    } catch (error) {
      return failed(error)
    }
  }
  try {
    const records = await queue.list()
    return { published: requestsOf(records.map((record) => due(record, slugs, now))), applyChanges }
  } catch (error) {
    return { published: before(), applyChanges: async () => failed(error) }
  }
}

function lastPublished(text: string | null): Requests {
  // A damaged document is rebuilt. The queue holds everything in it.
  return readJson(text, z.object(RequestsMembers)) ?? NO_REQUESTS
}
