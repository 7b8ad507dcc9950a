import type { NoMirrorError } from './errors.ts'

export type CallOptions<Query = unknown> = Query & {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface Sent<Answer> {
  /** The published answer, frozen. */
  readonly data: Answer
  /** URL of the answering mirror. */
  readonly mirror: string
}

export interface Result<Answer> extends Sent<Answer> {
  /** Whether the data is stale: the mirror's snapshot is overdue, or the sources of the document do not answer. */
  readonly stale: boolean
  /** When the mirror's snapshot becomes stale. */
  readonly staleAfter: string
  /** Null; if no mirror answered, why, and then this is the last good answer. */
  readonly failure: NoMirrorError | null
}

export interface ClientOptions {
  /**
   * Base URLs of hosts of one tree, without the prefix, in order of preference. On a page they may be relative. A package,
   * `npm:<package>` or its address at jsDelivr or unpkg, is asked for at the other of them too, after all.
   */
  readonly mirrors: string | readonly string[]
  /** Path of the API on its hosts, such as `/v1/quotes`; `/api/mkt` by default. */
  readonly prefix?: string | undefined
  /** The global `fetch` by default. One of your own may log requests, or pass a proxy. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Timeout per mirror and answer, 10 s by default. */
  readonly timeoutMs?: number | undefined
  /** Data that has been stale for longer is refused, and the next mirror is asked. No limit by default. */
  readonly maxStaleMs?: number | undefined
  readonly now?: (() => number) | undefined
}
