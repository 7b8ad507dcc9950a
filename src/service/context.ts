import type { EndpointSpec } from '../core/contract/endpoint-spec.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import type { Queue } from '../requests/queue.ts'

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
