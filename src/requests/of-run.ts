import type { QueueChanges, RequestsPort } from '../core/contract/listing-request.ts'
import { applyRetention, requestsOf, retained } from './decisions.ts'
import type { Queue } from './queue.ts'

const failed = (error: unknown): QueueChanges => ({
  contacts: 0,
  deleted: 0,
  error: error instanceof Error ? error.message : String(error),
})

/** Returns what a run publishes of a queue of listing requests. If the queue cannot be read, the last published state is kept. */
export const requestsOfRun =
  (queue: Queue): RequestsPort =>
  async (now, before) => {
    try {
      const published = requestsOf((await queue.list()).flatMap((record) => retained(record, now) ?? []))
      const apply = async (): Promise<QueueChanges> => ({ ...(await applyRetention(queue, now)), error: null })
      return { published, applyChanges: () => apply().catch(failed) }
    } catch (error) {
      return { published: before, applyChanges: async () => failed(error) }
    }
  }
