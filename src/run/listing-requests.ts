import * as z from 'zod'
import { NO_REQUESTS, RequestsMembers } from '../contract/listing-request.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { listingRequests } from '../endpoints/listing-requests.ts'
import type { Queue } from '../queue/queue.ts'
import { type Tidied, due, tidy } from '../review/tidy.ts'
import { requestsOf } from '../queue/public-state.ts'

/** Public state of the listing requests in a tree. */
export type Requests = z.infer<z.ZodObject<typeof RequestsMembers>>

/** Result of the due changes in a queue. `error` is set if the queue could not be read or written. */
export interface Settled extends Tidied {
  readonly error: string | null
}

/** Listing requests of one run: the state to publish, and the queue changes to make after publication. */
export interface RequestsOfRun {
  readonly published: Requests
  readonly settle: () => Promise<Settled | null>
}

const NOTHING_DONE: Tidied = { listed: 0, expired: 0, purged: 0, deleted: 0 }
const failed = (error: unknown): Settled => ({
  ...NOTHING_DONE,
  error: error instanceof Error ? error.message : String(error),
})

/**
 * Returns the state of a queue to publish in this run. Only `settle`, called after publication, changes the queue: a
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
  if (!queue) return { published: before(), settle: async () => null }
  const settle = async (): Promise<Settled> => {
    try {
      return { ...(await tidy(queue, slugs, now)), error: null }
    } catch (error) {
      return failed(error)
    }
  }
  try {
    const records = await queue.list()
    return { published: requestsOf(records.map((record) => due(record, slugs, now))), settle }
  } catch (error) {
    return { published: before(), settle: async () => failed(error) }
  }
}

function lastPublished(text: string | null): Requests {
  // A damaged document is rebuilt. The queue holds everything in it.
  return readJson(text, z.object(RequestsMembers)) ?? NO_REQUESTS
}
