import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { overApi } from '../src/queue/d1-api.ts'
import { d1Queue } from '../src/queue/d1-queue.ts'
import { secretIn } from '../src/queue/disk.ts'
import { folderQueue } from '../src/queue/folder-queue.ts'
import { githubQueue } from '../src/queue/github-queue.ts'
import type { Queue } from '../src/queue/queue.ts'
import { environment } from './environment.ts'
import { printError } from './terminal.ts'
import { UsageError } from './usage.ts'

/** Help text of `--queue`. */
export const QUEUE_ABOUT =
  'queue of listing requests: a folder (.queue by default), github:<owner>/<repository>[#<branch>] or d1:<account>/<database>'

const report = (error: unknown) => printError(error instanceof Error ? error.message : error)
/** Random backoff, so that concurrent writers do not retry at the same time. */
const pause = (attempt: number) => sleep(50 * attempt + Math.random() * 200)

/** Opens the queue of that name. A remote queue needs a token in `QUEUE_TOKEN`. */
export function openQueue(name: string): Queue {
  const [, owner, branch = 'main'] = /^github:([\w.-]+\/[\w.-]+)(?:#(.+))?$/.exec(name) ?? []
  const [, account, database] = /^d1:([\w-]+)\/([\w-]+)$/.exec(name) ?? []
  const { QUEUE_TOKEN: token, QUEUE_API: api } = environment()
  if (owner === undefined && account === undefined && /^(github|d1):/.test(name))
    throw new UsageError(`--queue takes the ${QUEUE_ABOUT}, not "${name}".`)
  if (owner === undefined && (account === undefined || database === undefined))
    return folderQueue(resolve(name), randomUUID, report, Date.now)
  if (token === undefined) throw new UsageError(`${name} needs a token. Set QUEUE_TOKEN in the environment.`)
  if (owner !== undefined)
    return githubQueue(
      { api: api ?? 'https://api.github.com', repository: owner, branch, token },
      { ask: fetch, pause, report },
    )
  const at = { api: api ?? 'https://api.cloudflare.com/client/v4', account: account ?? '', database: database ?? '' }
  return d1Queue(overApi({ ...at, token }, fetch), report)
}

/** Opens the queue of that name, or returns null for a missing folder: a build creates none. */
export const queueIfAny = (name: string): Queue | null =>
  /^(github|d1):/.test(name) || existsSync(name) ? openQueue(name) : null

/** Returns the HMAC secret for senders and bodies: from the queue's folder, or `QUEUE_SECRET` for a remote queue. */
export async function secretOf(name: string): Promise<string> {
  if (!/^(github|d1):/.test(name)) return secretIn(resolve(name), randomBytes(32).toString('hex'))
  const { QUEUE_SECRET } = environment()
  if (QUEUE_SECRET === undefined)
    throw new UsageError(
      `${name} needs a secret. Set QUEUE_SECRET in the environment to at least 32 random characters, and keep it.`,
    )
  return QUEUE_SECRET
}
