/** An error with a reason for programs. The message names the tree and the next step. */
class ReasonedError<Reason extends string> extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** A tree cannot be used. */
export class TreeError extends ReasonedError<
  'locked' | 'other_kind' | 'not_writable' | 'over_budget' | 'other_rights' | 'other_state' | 'foreign'
> {
  override readonly name = 'TreeError'
}

/** A tree could not be restored. */
export class RestoreError extends ReasonedError<'unreachable' | 'damaged' | 'nothing_restored' | 'too_old'> {
  override readonly name = 'RestoreError'
}

/** Whether an error is the system error with this code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

const ROOM = 'Free some space, and run again.'
const RIGHTS = 'Correct the permissions, and run again.'
const DESCRIPTORS = 'Allow more open files, such as with ulimit -n 1024, and run again.'

/** What to do about a full, read-only or failing disk, by code. */
const DISK_STEPS: Readonly<Record<string, string>> = {
  ENOSPC: ROOM,
  EDQUOT: ROOM,
  EROFS: RIGHTS,
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EMFILE: DESCRIPTORS,
  ENFILE: DESCRIPTORS,
  EIO: 'Check the disk, and run again.',
  ENAMETOOLONG: 'Delete or move what is nested too deep.',
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return ''
  // Node reports ENOENT if it cannot create a folder and its parents, which is so on a read-only disk.
  return error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir' ? 'EROFS' : error.code
}

/** Returns a sentence about a system error of the disk, with the next step; null for any other error. */
export function diskFailure(error: unknown): string | null {
  const code = codeOf(error)
  const step = Object.hasOwn(DISK_STEPS, code) ? DISK_STEPS[code] : undefined
  if (step === undefined || !(error instanceof Error)) return null
  const path = 'path' in error && typeof error.path === 'string' ? error.path.slice(0, 200) : 'A file'
  return `${path} cannot be read or written (${code}). ${step}`
}

/** Codes of a conflict with another file or folder of the same name. */
const NAME_CODES = ['EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'ELOOP', 'EXDEV', 'ERR_FS_EISDIR'] as const

/** Converts a system error of the disk to a TreeError; null for any other error. */
export function asTreeError(root: string, error: unknown): TreeError | null {
  const code = codeOf(error)
  if (Object.hasOwn(DISK_STEPS, code))
    return new TreeError(
      'not_writable',
      `${root} cannot be written (${code}). What was published there is unchanged. ${DISK_STEPS[code]}`,
      { cause: error },
    )
  if (!(error instanceof Error) || !NAME_CODES.some((code) => isCode(error, code))) return null
  return new TreeError('not_writable', `${root} cannot be written: ${error.message}. Delete what is in the way.`, {
    cause: error,
  })
}
