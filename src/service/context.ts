import type { EndpointSpec } from '../core/contract/endpoint-spec.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import type { Queue } from '../requests/queue.ts'
import type { Reply } from './http.ts'

export interface Intake {
  readonly queue: Queue
  /** HMAC key of the digests of senders and bodies, stored with the queue. */
  readonly secret: string | (() => Promise<string>)
}

export interface Context {
  readonly specs: readonly EndpointSpec[]
  readonly read: TreeReader
  readonly intake: Intake
  readonly product: string
  readonly now: () => number
  readonly report: (error: unknown) => void
}

/** A request, as its host sees it. */
export interface Visit extends Context {
  /** Returns who sent the request, as known to the host; only digests of it are stored. */
  readonly sender: () => string
  /** Answers a read, from what the host keeps if it does. */
  readonly deliver: (reply: Reply) => Promise<Response>
}
