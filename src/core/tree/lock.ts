import type { Ms } from '../contract/time.ts'
import { linkSync, lstatSync, renameSync, rmSync, statSync, writeFileSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { makeRoot, removeEmpty } from './folders.ts'
import { WORK } from './layout.ts'
import { textAt } from './reader.ts'
import { TreeError, asTreeError, isCode } from './tree-error.ts'

/** Printable ASCII, so that a foreign lock file cannot send control characters to a terminal. */
const Word = z.string().regex(/^[\x20-\x7e]{0,255}$/)

const Holder = z.object({ pid: z.int().positive(), host: Word, since: Word, start: Word.nullable().default(null) })
type Holder = z.infer<typeof Holder>

/** A lock of another machine counts as abandoned after this time. A build takes minutes. */
const FOREIGN_LOCK_MS = 60 * 60 * 1000
const ATTEMPTS = 100

/**
 * Locks a tree against other builds until the returned function is called. Takes over a lock whose process has ended. A
 * folder that it made, and in which nothing was published, is deleted again.
 *
 * @param now time of day in ms since 1970
 * @throws TreeError `locked`, `not_writable`
 */
export function lock(root: string, now: Ms): () => void {
  const file = join(root, WORK.lock)
  const own = `${file}.${process.pid}`
  const made = makeRoot(root)
  try {
    rmSync(own, { recursive: true, force: true })
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      since: new Date(now).toISOString(),
      start: processStart(process.pid),
    }
    writeFileSync(own, JSON.stringify(holder), { flag: 'wx' })
    acquire(root, own, now)
    return () => {
      rmSync(file, { force: true })
      removeEmpty(root, made)
    }
  } catch (error) {
    throw asTreeError(root, error) ?? error
  } finally {
    rmSync(own, { force: true })
  }
}

function acquire(root: string, own: string, now: Ms): void {
  const file = join(root, WORK.lock)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // A link is atomic, so no process reads a partial lock.
    if (tryLink(own, file)) return
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats) continue
    if (stats.isDirectory()) throw new TreeError('locked', `${file} is a folder, not a lock. Delete it and run again.`)
    // This program never creates a symbolic link as a lock.
    const text = stats.isFile() ? textAt(file) : null
    const holder = readJson(text, Holder)
    if (holder && isAlive(holder, file, now))
      throw new TreeError(
        'locked',
        `${root} is being changed by process ${holder.pid} on ${holder.host} since ${holder.since}. Wait for it to end, or ` +
          `delete ${file} if that process is gone.`,
      )
    discard(file, text)
  }
  throw new TreeError('locked', `Other processes keep locking ${root}. Run again when they have ended.`)
}

function tryLink(own: string, file: string): boolean {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function isAlive({ pid, host, start }: Holder, file: string, now: Ms): boolean {
  if (host !== hostname()) return now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < FOREIGN_LOCK_MS
  const known = start === null ? null : processStart(pid)
  if (known !== null && known !== start) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

function discard(file: string, dead: string | null): void {
  const aside = `${file}.${process.pid}.dead`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw error
  }
  const isFile = lstatSync(aside, { throwIfNoEntry: false })?.isFile() ?? false
  if (isFile && textAt(aside) !== dead) tryLink(aside, file)
  rmSync(aside, { force: true })
}

/** Position of the start time after the command's name in `/proc/<pid>/stat`: field 22 of proc(5), and the name is field 2. */
const START_FIELD = 22 - 3

/**
 * Returns the boot id and the clock tick in which a process started, which distinguish it from an earlier process with the
 * same id: in a container every run may have the id 1. Returns null if the system does not tell, or there is no process.
 */
function processStart(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may contain spaces and parentheses.
    const tick = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD]
    return tick === undefined ? null : `${boot} ${tick}`
  } catch {
    return null
  }
}
