import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fse from 'fs-extra'
import { WORK } from './layout.ts'
import { isCode } from './tree-error.ts'

/** Writes a file beside the tree, with the time of its data: hosts make Last-Modified of it. */
export function stage(root: string, file: string, text: string, timestamp: string): void {
  const target = join(root, WORK.staging, file)
  try {
    writeFileSync(target, text)
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
    // The first file of its folder; looking for the folder every time would cost more than all the writing.
    fse.outputFileSync(target, text)
  }
  const at = new Date(timestamp)
  utimesSync(target, at, at)
}
