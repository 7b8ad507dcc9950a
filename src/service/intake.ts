import { type Queue, QueueError } from '../requests/queue.ts'
import type { Intake } from './listing-requests.ts'
import { SENDER_LIMITS } from './sender-limits.ts'

const closed = () => Promise.reject(new QueueError('No queue is configured. See listing requests in the README.'))

/** Queue of a host without one: it shows the published state and accepts nothing. */
const NO_QUEUE: Queue = {
  add: closed,
  get: async () => null,
  list: async () => [],
  update: closed,
  remove: closed,
}

/**
 * Returns what accepts listing requests.
 *
 * @param queue the queue and the HMAC key of its senders; null: none, so that a POST is answered with 503
 * @param mutex that of earlier requests, where each has an intake of its own
 */
export const intakeOf = (queue: Pick<Intake, 'queue' | 'secret'> | null, mutex = keyedMutex()): Intake => ({
  ...(queue ?? { queue: NO_QUEUE, secret: 'none' }),
  limits: SENDER_LIMITS,
  mutex,
})

/** Runs tasks with the same key one after another, and tasks with different keys concurrently. */
export type KeyedMutex = <T>(key: string, run: () => Promise<T>) => Promise<T>

/** Creates a mutex for this process. */
export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    // The previous task may have failed. Its own caller handles that.
    const own = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
