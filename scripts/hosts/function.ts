import type { Publisher } from '../../src/endpoints/ecosystem.ts'
import { endpointsOf } from '../../src/endpoints/table.ts'
import { d1Queue, overApi } from '../../src/requests/d1-queue.ts'
import { type ShapeFolders, shapesIn } from '../../src/service/shapes.ts'
import { siteFunction } from '../../src/service/site.ts'

/** Whose API this is, and where it imitates others; written above the program. */
declare const PUBLISHER: Publisher
declare const SHAPES: ShapeFolders

const report = (error: unknown) => console.error(error)

function queueOf(env: NodeJS.ProcessEnv) {
  const { QUEUE_DATABASE: place, QUEUE_TOKEN: token, QUEUE_SECRET: secret } = env
  const [account, database] = place?.split('/') ?? []
  if (!account || !database || !token || !secret) return null
  const api = env['QUEUE_API'] ?? 'https://api.cloudflare.com/client/v4'
  return { queue: d1Queue(overApi({ api, account, database, token }, fetch), report), secret }
}

/** Answers requests that no file of the site answers. Its queue is a D1 database, if the environment names one. */
export const answer = siteFunction({
  specs: endpointsOf(PUBLISHER.ecosystem).specs,
  product: PUBLISHER.product,
  shapes: shapesIn(SHAPES),
  now: Date.now,
  report,
  ask: fetch,
  queue: queueOf(process.env),
})
