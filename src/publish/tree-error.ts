/** A tree that cannot be used as asked. The message names the tree and the next step. */
export class TreeError extends Error {
  override readonly name = 'TreeError'
  readonly reason: 'locked' | 'other_kind' | 'not_writable'

  constructor(reason: TreeError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Whether an unknown error is the system error of this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
