import { setTimeout as sleep } from 'node:timers/promises'
import type { Publisher } from '../../src/endpoints/publisher.ts'
import { endpointsOf } from '../../src/endpoints/table.ts'
import { githubQueue } from '../../src/queue/github-queue.ts'
import { siteFunction } from '../../src/service/site.ts'

/** Whose API this is; written into the program when it is bundled. */
declare const PUBLISHER: Publisher

const report = (error: unknown) => console.error(error)

function queueOf(env: NodeJS.ProcessEnv) {
  const { QUEUE_REPOSITORY: repository, QUEUE_TOKEN: token, QUEUE_SECRET: secret } = env
  if (!repository || !token || !secret) return null
  const api = env['QUEUE_API'] ?? 'https://api.github.com'
  const pause = (attempt: number) => sleep(50 * attempt + Math.random() * 200)
  const queue = githubQueue({ api, repository, branch: 'main', token }, { ask: fetch, pause, report })
  return { queue, secret }
}

/** Answers requests that no file of the site answers. Its queue is a private repository, if the environment names one. */
export const answer = siteFunction({
  specs: endpointsOf(PUBLISHER.ecosystem).specs,
  product: PUBLISHER.product,
  now: Date.now,
  report,
  ask: fetch,
  queue: queueOf(process.env),
})
