import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether the system gave this code as the reason of a failure. */
export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Writes a new file for its owner's eyes and waits until the disk has it. @throws `EEXIST` where there is one */
export async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Waits until the disk has the names in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * The secret of a folder, the same for every process and for ever: the first that was offered.
 *
 * @param offered 32 random bytes or more as text, of which no other process offers the same
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
