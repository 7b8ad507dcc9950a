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

/** How `--queue` names each kind of queue, for helps. */
export const QUEUE_ABOUT =
  'where listing requests wait: a folder (.queue by default), github:<owner>/<repository>[#<branch>] or d1:<account>/<database>'

const report = (error: unknown) => printError(error instanceof Error ? error.message : error)
/** Two that write at once should not try again at once. */
const pause = (attempt: number) => sleep(50 * attempt + Math.random() * 200)

/** Opens the queue of that name. A queue elsewhere is opened by the token in `QUEUE_TOKEN`. */
export function openQueue(name: string): Queue {
  const [, owner, branch = 'main'] = /^github:([\w.-]+\/[\w.-]+)(?:#(.+))?$/.exec(name) ?? []
  const [, account, database] = /^d1:([\w-]+)\/([\w-]+)$/.exec(name) ?? []
  const { QUEUE_TOKEN: token, QUEUE_API: api } = environment()
  if (owner === undefined && account === undefined && /^(github|d1):/.test(name))
    throw new UsageError(`--queue takes ${QUEUE_ABOUT}, not "${name}"`)
  if (owner === undefined && (account === undefined || database === undefined))
    return folderQueue(resolve(name), randomUUID, report, Date.now)
  if (token === undefined) throw new UsageError(`${name} is opened by a token in the environment: set QUEUE_TOKEN`)
  if (owner !== undefined)
    return githubQueue(
      { api: api ?? 'https://api.github.com', repository: owner, branch, token },
      { ask: fetch, pause, report },
    )
  const at = { api: api ?? 'https://api.cloudflare.com/client/v4', account: account ?? '', database: database ?? '' }
  return d1Queue(overApi({ ...at, token }, fetch), report)
}

/** The queue of that name, null for a folder that is not there: a build makes none. */
export const queueIfAny = (name: string): Queue | null =>
  /^(github|d1):/.test(name) || existsSync(name) ? openQueue(name) : null

/** What senders and bodies are digested with: kept in the queue's own folder, or `QUEUE_SECRET` for one elsewhere. */
export async function secretOf(name: string): Promise<string> {
  if (!/^(github|d1):/.test(name)) return secretIn(resolve(name), randomBytes(32).toString('hex'))
  const { QUEUE_SECRET } = environment()
  if (QUEUE_SECRET === undefined)
    throw new UsageError(`${name} needs QUEUE_SECRET in the environment, 32 random characters or more, always the same`)
  return QUEUE_SECRET
}
