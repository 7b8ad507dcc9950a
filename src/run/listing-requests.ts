import * as z from 'zod'
import { NO_REQUESTS, RequestsMembers } from '../contract/listing-request.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { listingRequests } from '../endpoints/listing-requests.ts'
import type { Queue } from '../queue/queue.ts'
import { type Tidied, due, tidy } from '../review/tidy.ts'
import { requestsOf } from '../queue/public-state.ts'

/** What a tree says of the listing requests. */
export type Requests = z.infer<z.ZodObject<typeof RequestsMembers>>

/** What was due in a queue and was done; `error` where the queue could not be read or changed. */
export interface Settled extends Tidied {
  readonly error: string | null
}

/** The requests of one run: what to publish of them, and what is due in the queue once it is. */
export interface RequestsOfRun {
  readonly published: Requests
  readonly settle: () => Promise<Settled | null>
}

const NOTHING_DONE: Tidied = { listed: 0, expired: 0, purged: 0 }
const failed = (error: unknown): Settled => ({
  ...NOTHING_DONE,
  error: error instanceof Error ? error.message : String(error),
})

/**
 * The state of a queue as this run publishes it. What is due is done in the queue only by `settle`, when the publication
 * stands: a run that is refused has listed nothing. Without a queue, or one that cannot be read, the last word stands.
 *
 * @param slugs of the feed
 * @param read gives the text of a file of the last publication
 */
export async function requestsOfRun(
  queue: Queue | null,
  slugs: { has(slug: string): boolean },
  now: number,
  read: (file: string) => string | null,
): Promise<RequestsOfRun> {
  const before = () => lastWord(read(fileOf(listingRequests, {})))
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

function lastWord(text: string | null): Requests {
  // A damaged document is made anew; it says nothing that is not in the queue.
  return readJson(text, z.object(RequestsMembers)) ?? NO_REQUESTS
}
