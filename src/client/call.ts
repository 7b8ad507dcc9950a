import type { Envelope } from './answers.ts'
import type { Asked, Route } from './route.ts'

/** What a call may be told, beside the values of its endpoint. */
export type CallOptions<Query = unknown> = Query & {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** What a mirror said of something that was sent. */
export interface Sent<Answer> {
  /** The answer as it was published. One that did not change since the last call is the same object: do not write to it. */
  readonly data: Answer
  /** Address of the mirror that answered. */
  readonly mirror: string
}

/** An answer, and how far it can be relied on. */
export interface Result<Answer> extends Sent<Answer> {
  /** Whether the data is older than it should be: the mirror is behind its plan, or the document's own sources are silent. */
  readonly stale: boolean
  /** When what this mirror has goes out of date, unless it is built again. */
  readonly staleAfter: string
}

/** How methods ask. */
export interface Transport {
  /** Reads a document. */
  readonly read: <Answer extends Envelope>(
    route: Route<Answer>,
    values: Asked,
    options: (Asked & { readonly signal?: AbortSignal | undefined }) | undefined,
  ) => Promise<Result<Answer>>
  /** Sends a body. */
  readonly submit: <Answer extends Envelope>(
    route: Route<Answer>,
    body: object,
    options: CallOptions<{ readonly idempotencyKey?: string | undefined }> | undefined,
  ) => Promise<Sent<Answer>>
}
