import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasTools } from './tools.ts'

const MEMORY = '/dev/shm'
/** What the trees of one run may take at once, with room to spare. */
const ROOM_BYTES = 4 * 2 ** 30
const PREFIX = 'qt-tests-'

/** A file system in memory where there is one with room: trees have a thousand files, and a disk is ten times as slow with them. */
function fastest(): string {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Whether the process that made such a folder is gone. */
function isAbandoned(name: string): boolean {
  try {
    process.kill(Number(name.slice(PREFIX.length).split('-')[0]), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/** Removes the folder of a run that was killed and could not take it away. What is still mounted in it stays. */
function clear(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EBUSY')) throw error
  }
}

/** Makes the folder that everything of this run lies in, and removes it when the run is done. */
export function setup(): (() => void) | void {
  if (!hasTools)
    process.stdout.write(
      'The programs of .ci/tools are missing (npm ci --prefix .ci/tools): the tests that need them skip.\n',
    )
  if (process.env['QUOTETREE_TEST_RUN'] !== undefined) return
  const base = fastest()
  for (const name of readdirSync(base)) if (name.startsWith(PREFIX) && isAbandoned(name)) clear(join(base, name))
  const folder = mkdtempSync(join(base, `${PREFIX}${process.pid}-`))
  process.env['QUOTETREE_TEST_RUN'] = folder
  process.env['TMPDIR'] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
