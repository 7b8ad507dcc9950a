/** A tree could not be restored. Downloaded files are kept, and the next attempt resumes. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError'
  readonly reason: 'unreachable' | 'damaged' | 'changing' | 'nothing_restored' | 'too_old'

  constructor(reason: RestoreError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
