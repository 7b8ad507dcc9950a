/** A tree cannot be used. The message names the tree and the next step. */
export class TreeError extends Error {
  override readonly name = 'TreeError'
  readonly reason: 'locked' | 'other_kind' | 'not_writable' | 'over_budget' | 'other_rights' | 'newer_state' | 'foreign'

  constructor(reason: TreeError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Whether an error is the system error with this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Codes of a full, read-only or failing disk. */
const DISK_CODES = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO'] as const

/** Codes of a conflict with another file or folder of the same name. */
const NAME_CODES = [
  'EEXIST',
  'EISDIR',
  'ENOTDIR',
  'ENOTEMPTY',
  'ELOOP',
  'ENAMETOOLONG',
  'EXDEV',
  'ERR_FS_EISDIR',
] as const

/** Converts a system error of the disk to a TreeError; null for any other error. */
export function asTreeError(root: string, error: unknown): TreeError | null {
  const code = DISK_CODES.find((code) => isCode(error, code))
  if (code !== undefined)
    return new TreeError(
      'not_writable',
      `${root} cannot be written (${code}). What was published there is unchanged. Free some space, or correct the ` +
        'permissions of the folder, and run again.',
      { cause: error },
    )
  if (!(error instanceof Error) || !NAME_CODES.some((code) => isCode(error, code))) return null
  return new TreeError('not_writable', `${root} cannot be written: ${error.message}. Delete what is in the way.`, {
    cause: error,
  })
}
