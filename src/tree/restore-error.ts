/** A tree that could not be taken from elsewhere. What was fetched is kept, and the next attempt goes on from there. */
export class RestoreError extends Error {
  override readonly name = 'RestoreError'
  readonly reason: 'unreachable' | 'damaged' | 'changing' | 'nothing_restored'

  constructor(reason: RestoreError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
