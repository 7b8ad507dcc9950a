import type { SourceErrorCode } from '../contract/words.ts'

/**
 * The failure of one source. It never ends the run: the collector reports it. `code` and `message` are published, so they
 * contain no key, no body and no URL with a query; `cause` is not.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The refusal of a host to answer addresses of this region (HTTP 451), which asking again does not change. */
export class RegionError extends SourceError {}
