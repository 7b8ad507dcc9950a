import { PREFIX } from '../contract/words.ts'
import type { Contract } from '../contract/contract.ts'
import { type D1Binding, bound, d1Queue } from '../queue/d1-queue.ts'
import { type Queue, QueueError } from '../queue/queue.ts'
import type { Store } from './documents.ts'
import { SENDER_LIMITS } from './sender-limits.ts'
import { networkOf } from './sender.ts'
import { type Context, serve } from './service.ts'
import { turns } from './turns.ts'

/** Static assets as a Worker is bound to them. */
interface Assets {
  fetch(request: Request): Promise<Response>
}

/** What a Worker is bound to. */
export interface Bindings {
  /** The published tree. */
  readonly ASSETS: Assets
  /** The database of listing requests; without one, a POST is answered 503. */
  readonly REQUESTS?: D1Binding
  /** What senders and bodies are digested with: 32 random characters or more. */
  readonly QUEUE_SECRET?: string
}

/** What a Worker does not make itself. */
export interface WorkerEdge {
  readonly contracts: readonly Contract[]
  readonly product: string
  readonly now: () => number
  readonly report: (error: unknown) => void
}

/** The service as a Cloudflare Worker: the API, and the files of the tree for every other path. */
export function workerOf(edge: WorkerEdge): { fetch(request: Request, bindings: Bindings): Promise<Response> } {
  const inTurn = turns()
  return {
    async fetch(request, { ASSETS, REQUESTS, QUEUE_SECRET }) {
      const { pathname } = new URL(request.url)
      const isApi = pathname === PREFIX || pathname.startsWith(`${PREFIX}/`) || pathname === `${PREFIX}.json`
      if (!isApi) return ASSETS.fetch(request)
      const isBound = REQUESTS && QUEUE_SECRET
      const context: Context = {
        ...edge,
        store: assetStore(ASSETS),
        desk: {
          queue: isBound ? d1Queue(bound(REQUESTS), edge.report) : NO_QUEUE,
          secret: QUEUE_SECRET ?? 'none',
          limits: SENDER_LIMITS,
          inTurn,
        },
      }
      return serve(request, networkOf(request.headers.get('cf-connecting-ip') ?? ''), context)
    },
  }
}

/** The tree among a Worker's static assets. */
function assetStore(assets: Assets): Store {
  return {
    async read(file) {
      // Any host will do: the binding looks at the path alone.
      const response = await assets.fetch(new Request(`https://assets.local/${file}`))
      if (response.ok) return response.text()
      await response.body?.cancel()
      if (response.status === 404) return null
      throw new Error(`the assets answer ${response.status} for ${file}`)
    },
  }
}

const closed = () =>
  Promise.reject(new QueueError('no queue is bound: bind a D1 database as REQUESTS and set the secret QUEUE_SECRET'))

/** A host without a queue shows what was published and takes nothing. */
const NO_QUEUE: Queue = { add: closed, get: async () => null, list: async () => [], update: closed }
