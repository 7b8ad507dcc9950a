/** A tree that cannot be used as asked. The message names the tree and the next step. */
export class TreeError extends Error {
  override readonly name = 'TreeError'
  readonly reason: 'locked' | 'other_kind' | 'not_writable' | 'over_budget' | 'other_rights'

  constructor(reason: TreeError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Whether an unknown error is the system error of this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** What a disk says that takes nothing more. */
const DISK_CODES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO'] as const

/** What a full, closed or failing disk means for a tree; null for any other error. */
export function diskTrouble(root: string, error: unknown): TreeError | null {
  const code = DISK_CODES.find((code) => isCode(error, code))
  if (code === undefined) return null
  return new TreeError(
    'not_writable',
    `${root} cannot be written (${code}): what was published there stays as it was. Make room, or see to the rights of ` +
      'the folder, and run again',
    { cause: error },
  )
}
