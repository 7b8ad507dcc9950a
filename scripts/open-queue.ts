import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { d1Queue, overApi } from '../src/requests/d1-queue.ts'
import { folderQueue, secretIn } from '../src/requests/folder-queue.ts'
import type { Queue } from '../src/requests/queue.ts'
import { environment } from './environment.ts'
import { printError } from './terminal.ts'
import { UsageError } from './usage.ts'

/** Help text of `--queue`. */
export const QUEUE_ABOUT = 'queue of listing requests: a folder (.queue by default) or d1:<account>/<database>'

const report = (error: unknown) => printError(error instanceof Error ? error.message : error)

const isRemote = (name: string): boolean => /^(github|d1):/.test(name)

/** Opens the queue of that name. A remote queue needs a token in `QUEUE_TOKEN`. */
export function openQueue(name: string): Queue {
  if (!isRemote(name)) return folderQueue(resolve(name), randomUUID, report, Date.now)
  const [, account, database] = /^d1:([\w-]+)\/([\w-]+)$/.exec(name) ?? []
  if (account === undefined || database === undefined)
    throw new UsageError(`--queue takes the ${QUEUE_ABOUT}, not "${name}".`)
  const { QUEUE_API: api = 'https://api.cloudflare.com/client/v4', QUEUE_TOKEN: token } = environment()
  if (token === undefined) throw new UsageError(`${name} needs a token. Set QUEUE_TOKEN in the environment.`)
  return d1Queue(overApi({ api, account, database, token }, fetch), report)
}

/** Opens the queue of that name, or returns null for a missing folder: a build creates none. */
export const queueIfAny = (name: string): Queue | null => (isRemote(name) || existsSync(name) ? openQueue(name) : null)

/** Returns the HMAC secret for senders and bodies: from the queue's folder, or `QUEUE_SECRET` for a remote queue. */
export async function secretOf(name: string): Promise<string> {
  if (!isRemote(name)) return secretIn(resolve(name), randomBytes(32).toString('hex'))
  const { QUEUE_SECRET } = environment()
  if (QUEUE_SECRET === undefined)
    throw new UsageError(
      `${name} needs a secret. Set QUEUE_SECRET in the environment to at least 32 random characters, and keep it.`,
    )
  return QUEUE_SECRET
}
