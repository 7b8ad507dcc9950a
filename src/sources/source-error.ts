import type { SourceErrorCode } from '../contract/words.ts'

/**
 * An upstream that did not give what it should. It ends one source's turn, never the run: the collector turns it into
 * that source's report. `code` is published as it is; `message` is published too, so it holds no key, no body and no
 * address with a query; `cause` keeps the original.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
