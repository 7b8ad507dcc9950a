import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether an error has this system error code. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Writes and syncs a new file that only its owner can read. @throws `EEXIST` if the file exists */
export async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Syncs the names in a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Returns the permanent secret of a folder, shared by all processes: the first one offered.
 *
 * @param offered at least 32 random bytes as text, unique to this process
 */
export async function secretIn(folder: string, offered: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, '.secret')
  const draft = `${file}.${offered.slice(0, 16)}`
  try {
    await writeSynced(draft, offered)
    await link(draft, file)
    await syncFolder(folder)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(file, 'utf8')
}
