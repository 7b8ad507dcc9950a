import * as z from 'zod'
import { BUNDLE_FORMAT, BUNDLE_VERSION } from '../contract/observations.ts'
import { parseJson } from '../contract/read-json.ts'
import { collect } from '../sources/collect.ts'
import type { Connection } from '../sources/http.ts'
import { paceOf } from '../sources/pace.ts'
import { VOLUME, type Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import { BUNDLE_ENDING, encodeBundle } from './bundle.ts'
import { factsOf } from './merge.ts'
import { rowsOf } from './rows.ts'
import { WITHHELD } from './withhold.ts'

/** A stored file, of those members of an R2 object that are used. */
interface StoredObject {
  readonly key: string
  readonly uploaded: Date
}

/** An R2 bucket, of those members that are used. */
interface Bucket {
  put(key: string, value: Uint8Array): Promise<unknown>
  get(key: string): Promise<{ readonly body: ReadableStream } | null>
  list(options: { readonly prefix: string; readonly cursor?: string }): Promise<{
    readonly objects: readonly StoredObject[]
    readonly truncated: boolean
    readonly cursor?: string
  }>
  delete(keys: string[]): Promise<void>
}

/** Bindings of the Worker. */
export interface CollectorEnvironment {
  readonly BUNDLES: Bucket
  readonly SOURCES_TO_ASK: { sendBatch(messages: Iterable<{ readonly body: unknown }>): Promise<unknown> }
  /** Secret that is the first segment of every path. Without it, nothing is served. */
  readonly COLLECTOR_TOKEN?: string
  /** Comma-separated ids of sources; absent: all. */
  readonly SOURCES?: string
  /** Minutes between collections, as the cron trigger has them. */
  readonly CADENCE_MINUTES?: string
  readonly REGION?: string
}

/** A batch of a queue, of those members that are used. */
interface Batch {
  readonly messages: readonly { readonly body: unknown; ack(): void; retry(): void }[]
}

/** What the Worker takes from its platform. */
export interface CollectorPlatform {
  readonly sources: readonly Source[]
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  readonly pause: (ms: number) => Promise<unknown>
  readonly report: (error: unknown) => void
}

const Message = z.object({ source_id: z.string(), run: z.string(), expected: z.array(z.string()) })
const PREFIX = 'bundles/'
const LEAST_TOKEN = 32
/** Bundles are listed for this long: a merge takes those of its own run alone. */
const LISTED_MS = 60 * 60_000
const KEPT_MS = 24 * 60 * 60_000

/** Returns a Worker that collects one source for each message of a queue, and keeps the bundles in R2 for a merge. */
export function collectorOf(platform: CollectorPlatform) {
  const { sources, now, report } = platform
  const chosen = ({ SOURCES }: CollectorEnvironment) => {
    const ids = SOURCES?.split(',')
    // Rows that may not be passed on would need an opening, which nobody could fetch.
    return sources.filter(({ id, rights }) => (ids?.includes(id) ?? true) && !WITHHELD.has(rights.class))
  }
  return {
    /** Asks for a collection: one message for each source. */
    async scheduled(_: unknown, env: CollectorEnvironment): Promise<void> {
      const expected = chosen(env).map(({ id }) => id)
      const run = new Date(now()).toISOString()
      await env.SOURCES_TO_ASK.sendBatch(expected.map((source_id) => ({ body: { source_id, run, expected } })))
      const old = (await listed(env.BUNDLES)).filter(({ uploaded }) => now() - uploaded.getTime() > KEPT_MS)
      if (old.length > 0) await env.BUNDLES.delete(old.slice(0, 1000).map(({ key }) => key))
    },

    /** Collects. A source that fails is a bundle that says so; only what cannot be stored is tried again. */
    async queue(batch: Batch, env: CollectorEnvironment): Promise<void> {
      for (const message of batch.messages) {
        const { data } = Message.safeParse(message.body)
        const source = chosen(env).find(({ id }) => id === data?.source_id)
        try {
          if (data && source) {
            const { name, bytes } = await bundleFrom(source, data, env, platform)
            await env.BUNDLES.put(PREFIX + name, bytes)
          }
          message.ack()
        } catch (error) {
          report(error)
          message.retry()
        }
      }
    },

    /** Serves the list of the newest bundles, and each of them. */
    async fetch(request: Request, env: CollectorEnvironment): Promise<Response> {
      const { COLLECTOR_TOKEN: token = '' } = env
      if (token.length < LEAST_TOKEN) return new Response('COLLECTOR_TOKEN is not set.\n', { status: 503 })
      const [, given = '', file = ''] = new URL(request.url).pathname.split('/')
      if (given !== token || request.method !== 'GET') return new Response(null, { status: 404 })
      if (file === 'bundles.json') {
        const fresh = (await listed(env.BUNDLES)).filter(({ uploaded }) => now() - uploaded.getTime() <= LISTED_MS)
        return Response.json({ bundles: fresh.map(({ key }) => key.slice(PREFIX.length)).toSorted() })
      }
      const object = file.endsWith(BUNDLE_ENDING) ? await env.BUNDLES.get(PREFIX + file) : null
      return object
        ? new Response(object.body, { headers: { 'content-type': 'application/octet-stream' } })
        : new Response(null, { status: 404 })
    },
  }
}

async function listed(bucket: Bucket): Promise<StoredObject[]> {
  const objects: StoredObject[] = []
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix: PREFIX, ...(cursor === undefined ? {} : { cursor }) })
    objects.push(...page.objects)
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return objects
}

/** Collects the lists of one source. Profiles and past prices are left to the merge's own runs. */
async function bundleFrom(
  source: Source,
  { run, expected }: z.infer<typeof Message>,
  env: CollectorEnvironment,
  platform: CollectorPlatform,
) {
  const clock = platform.now()
  const [report] = await collect([source], {
    at: clock,
    now: platform.now,
    signal: new AbortController().signal,
    connect: (own) => connection(own, platform),
    wants: () => ({ listings: null, profiles: () => [], tokens: [] }),
  })
  if (!report) throw new Error(`${source.id} was not asked`)
  const rows = rowsOf(source.id, { observed: report, currencies: null })
  const error = report.error && { code: report.error.code, message: report.error.message.slice(0, 600) }
  return encodeBundle({
    header: {
      format: BUNDLE_FORMAT,
      version: BUNDLE_VERSION,
      run,
      kind: 'live',
      commit: null,
      clock,
      cadence_ms: (Number(env.CADENCE_MINUTES) || 5) * 60_000,
      region: env.REGION ?? null,
      expected,
      sources: [factsOf(source, { clock, error, requests: report.requests, rows: rows.length })],
    },
    rows: new Map([[source.id, rows]]),
  })
}

const TIMEOUT_MS = 20_000

/** A connection by the platform's own fetch, which decompresses and reuses sockets itself. */
function connection(source: Source, { fetch, now, pause }: CollectorPlatform): Connection {
  const stats = { requests: 0, retries: 0, bytes: 0 }
  const pace = paceOf(source.pace)
  const invalid = (why: string) => new SourceError('source_invalid', `${source.host}: ${why}`)
  return {
    stats,
    close: async () => {},
    async json(path, schema) {
      await pause(pace.book(now()) - now())
      stats.requests++
      const text = await textFrom(source, path, fetch)
      stats.bytes += text.length
      if (stats.bytes > (source.volume ?? VOLUME).bytes) throw invalid('more data than its volume')
      const result = schema.safeParse(parseJson(text.trim()))
      if (!result.success) throw invalid('not as expected')
      return result.data
    },
  }
}

async function textFrom(source: Source, path: string, fetch: CollectorPlatform['fetch']): Promise<string> {
  const failure = (code: SourceError['code'], why: string) => new SourceError(code, `${source.host}: ${why}`)
  const headers = { accept: 'application/json', 'user-agent': 'quotetree/0.1' }
  let response: Response
  try {
    response = await fetch(`https://${source.host}${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (response.ok) return await response.text()
  } catch (cause) {
    throw new SourceError('source_unreachable', `${source.host}: cannot be reached`, { cause })
  }
  await response.body?.cancel()
  if (response.status === 429) throw failure('source_rate_limited', 'answers 429')
  throw failure(response.status >= 500 ? 'source_unreachable' : 'source_invalid', `answers ${response.status}`)
}
