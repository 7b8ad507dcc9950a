/** A snapshot file or an archive cannot be read or written. The message says which and what to do next. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly reason: 'damaged' | 'foreign' | 'not_archived' | 'old' | 'unfit' | 'unreachable'

  constructor(reason: ArchiveError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
