import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { d1Queue, overApi } from '../src/requests/d1-queue.ts'
import { folderQueue, secretIn } from '../src/requests/folder-queue.ts'
import type { Queue } from '../src/requests/queue.ts'
import { lock } from '../src/core/tree/lock.ts'
import { statsAt } from '../src/core/tree/reader.ts'
import { TreeError } from '../src/core/tree/tree-error.ts'
import { UsageError, textOr } from './command.ts'
import { environment } from './environment.ts'
import { printError } from './terminal.ts'

export const QUEUE = textOr('.queue', 'queue of listing requests: a folder or d1:<account>/<database>')

const report = (error: unknown) => printError(error instanceof Error ? error.message : error)

const isRemote = (name: string): boolean => name.startsWith('d1:')

/** Wait for another reviewer's write: 8 s in total. A write takes milliseconds. */
const [ATTEMPTS, WAIT_MS] = [80, 100]

export function openFolderQueue(folder: string, reportTo = report, now = Date.now): Queue {
  const exclusively = async <Result>(work: () => Promise<Result>) => {
    const release = await lockedFolder(folder)
    return work().finally(release)
  }
  return folderQueue(folder, exclusively, reportTo, now)
}

async function lockedFolder(folder: string): Promise<() => void> {
  for (let attempt = 1; ; attempt++)
    try {
      return lock(folder, Date.now())
    } catch (error) {
      if (!(error instanceof TreeError) || error.reason !== 'locked' || attempt === ATTEMPTS) throw error
      // oxlint-disable-next-line no-await-in-loop -- the next attempt is after it
      await sleep(WAIT_MS)
    }
}

export function openQueue(name: string): Queue {
  if (statsAt(name)) throw new UsageError(`--queue takes a folder, and ${name} is a file.`)
  if (!isRemote(name)) return openFolderQueue(resolve(name))
  const [, account, database] = /^d1:([\w-]+)\/([\w-]+)$/.exec(name) ?? []
  if (account === undefined || database === undefined)
    throw new UsageError(`--queue takes a folder or d1:<account>/<database>, not "${name}".`)
  const { QUEUE_API: api = 'https://api.cloudflare.com/client/v4', QUEUE_TOKEN: token } = environment()
  if (token === undefined) throw new UsageError(`${name} needs a token. Set QUEUE_TOKEN in the environment.`)
  return d1Queue(overApi({ api, account, database, token }, fetch), report)
}

/** Opens the queue of that name, or returns null for a missing folder: a build creates none. */
export const queueIfAny = (name: string): Queue | null => (isRemote(name) || existsSync(name) ? openQueue(name) : null)

/** Returns the HMAC secret for senders and bodies: `QUEUE_SECRET` for a remote queue, else that of the folder, which the first request makes. */
export function secretOf(name: string): string | (() => Promise<string>) {
  if (!isRemote(name)) return () => secretIn(resolve(name))
  const { QUEUE_SECRET } = environment()
  if (QUEUE_SECRET !== undefined) return QUEUE_SECRET
  throw new UsageError(
    `${name} needs a secret. Set QUEUE_SECRET in the environment to at least 32 random characters, and keep it.`,
  )
}
