import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { WORK } from './layout.ts'
import { isCode } from './tree-error.ts'

/** Stages a file with the time of its data as modification time, from which hosts derive Last-Modified. */
export function stage(root: string, file: string, content: string | Uint8Array, timestamp: string): void {
  const target = join(root, WORK.staging, file)
  try {
    writeFileSync(target, content)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    // The first file of its folder. Checking for the folder every time would take longer than the writes.
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
  const at = new Date(timestamp)
  utimesSync(target, at, at)
}
