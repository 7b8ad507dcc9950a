import type { Envelope } from './answers.ts'
import type { NoMirrorError } from './errors.ts'
import type { Route, Values } from './route.ts'

/** Options of a call besides the parameters of its endpoint. */
export type CallOptions<Query = unknown> = Query & {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Answer to a POST. */
export interface Sent<Answer> {
  /** The published answer, frozen. */
  readonly data: Answer
  /** URL of the answering mirror. */
  readonly mirror: string
}

/** An answer with its freshness. */
export interface Result<Answer> extends Sent<Answer> {
  /** Whether the data is stale: the mirror's snapshot is overdue, or the sources of the document do not answer. */
  readonly stale: boolean
  /** When the mirror's snapshot becomes stale. */
  readonly staleAfter: string
  /** Null; if no mirror answered, why, and then this is the last good answer. */
  readonly failure: NoMirrorError | null
}

/** Transport of the methods. */
export interface Transport {
  /** Reads a document. */
  readonly read: <Answer extends Envelope>(
    route: Route<Answer>,
    values: Values,
    options: (Values & { readonly signal?: AbortSignal | undefined }) | undefined,
  ) => Promise<Result<Answer>>
  /** Sends a body. */
  readonly submit: <Answer extends Envelope>(
    route: Route<Answer>,
    body: object,
    options: CallOptions | undefined,
  ) => Promise<Sent<Answer>>
}
