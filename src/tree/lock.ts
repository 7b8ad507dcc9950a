import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { TreeError, diskTrouble, isCode } from './tree-error.ts'

const Holder = z.object({ pid: z.int().positive(), host: z.string(), since: z.string() })
type Holder = z.infer<typeof Holder>

/** Name of the lock in the root of a tree. */
const LOCK = '.lock'

/** A build takes minutes; after this long a lock of another machine is taken for a left one. */
const FOREIGN_LOCK_MS = 60 * 60 * 1000

/**
 * Keeps other builds off a tree until the returned function is called. A lock whose process is gone is taken over.
 * `now` is the machine's clock in ms since 1970.
 *
 * @throws TreeError `locked`, `not_writable`
 */
export function lock(root: string, now: number): () => void {
  const file = join(root, LOCK)
  const own = `${file}.${process.pid}`
  const since = new Date(now).toISOString()
  try {
    mkdirSync(root, { recursive: true })
    writeFileSync(own, JSON.stringify({ pid: process.pid, host: hostname(), since } satisfies Holder))
    for (;;) {
      // A link appears whole or not at all, so nobody ever reads half a lock.
      if (appears(own, file)) return () => rmSync(file, { force: true })
      const text = textOf(file)
      if (text === null) continue
      const holder = holderOf(text)
      if (holder && lives(holder, file, now))
        throw new TreeError(
          'locked',
          `${root} is being built by process ${holder.pid} on ${holder.host} since ${holder.since}: wait for it to end, ` +
            `or delete ${file} if it is gone`,
        )
      discard(file, text)
    }
  } catch (error) {
    throw diskTrouble(root, error) ?? error
  } finally {
    rmSync(own, { force: true })
  }
}

/** Who builds a tree, in words, and whether that process is alive; null where there is no lock. */
export function builderOf(root: string, now: number): { readonly who: string; readonly isAlive: boolean } | null {
  const file = join(root, LOCK)
  const text = textOf(file)
  if (text === null) return null
  const holder = holderOf(text)
  if (!holder) return { who: 'nobody that can be read', isAlive: false }
  return { who: `process ${holder.pid} on ${holder.host} since ${holder.since}`, isAlive: lives(holder, file, now) }
}

function appears(own: string, file: string): boolean {
  try {
    linkSync(own, file)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

function holderOf(text: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(text))
  } catch {
    // A power cut can leave an empty file; nobody holds that.
    return null
  }
}

function lives({ pid, host }: Holder, file: string, now: number): boolean {
  if (host !== hostname()) return now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < FOREIGN_LOCK_MS
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/** Moves the dead lock away. When another process was faster and this moved its new lock, that one is put back. */
function discard(file: string, dead: string): void {
  const aside = `${file}.${process.pid}.dead`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return
    throw error
  }
  if (textOf(aside) !== dead) appears(aside, file)
  rmSync(aside, { force: true })
}
