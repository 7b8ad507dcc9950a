import type { Ms } from '../contract/time.ts'
import pLimit from 'p-limit'
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import type * as z from 'zod'
import { parseJson } from '../contract/read-json.ts'
import { HTTP_LIMITS, nameOf, send, type HttpLimits, type RequestContext } from './request.ts'
import { VOLUME, type Facts, type Http, type Volume } from './source.ts'
import { RegionError, SourceError, endOf } from './source-error.ts'
import { clean } from './wire.ts'

export interface HttpOptions extends Pick<RequestContext, 'upstream' | 'userAgent' | 'network'> {
  /** End of all requests: `at` in ms of the clock `now`, and a signal that aborts pending requests. */
  readonly deadline: { readonly at: number; readonly signal: AbortSignal }
  readonly now: () => number
  readonly random: () => number
  readonly pause: (ms: Ms, signal: AbortSignal) => Promise<unknown>
  readonly limits?: Partial<HttpLimits>
  /** Goes through it by CONNECT for https, but directly to the hosts of `except`, with commas between. */
  readonly proxy?: { readonly url: string; readonly except: string } | null
}

export interface Stats {
  readonly requests: number
  readonly retries: number
  readonly bytes: number
}

export interface Connection extends Http {
  readonly stats: Stats
  close(): Promise<void>
}

interface Session {
  readonly options: HttpOptions
  /** Its host is the fallback host once the first has refused this region. */
  context: RequestContext
  readonly limits: HttpLimits
  readonly left: { bytes: number; values: number }
  /** Why no further request is sent; null: more may be. */
  ended: SourceError | null
  readonly pace: ReturnType<typeof paceOf>
  readonly stats: { requests: number; retries: number; bytes: number }
}

/**
 * Opens a connection to a source. Until the deadline it repeats what may succeed later: a lost connection, a timeout,
 * 429 and 5xx. After a permanent refusal, or more data than the source's volume, no further request is sent.
 */
export function connect(source: Facts, options: HttpOptions): Connection {
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const closing = new AbortController()
  const stats = { requests: 0, retries: 0, bytes: 0 }
  const context: RequestContext = {
    ...options,
    source,
    limits,
    agent: agentOf(limits, options.proxy),
    ended: AbortSignal.any([options.deadline.signal, closing.signal]),
    meter: {
      received: (bytes) => (stats.bytes += bytes),
      decoded: (bytes) => spend(session, 'bytes', bytes),
    },
  }
  const left = { ...(source.volume ?? VOLUME) }
  const session: Session = { options, context, limits, left, ended: null, pace: paceOf(source.pace), stats }
  const concurrency = pLimit(source.concurrency ?? 4)
  return {
    stats,
    async json(path, schema) {
      const text = await concurrency(() => fetchText(path, session))
      spend(session, 'values', valuesIn(text))
      return parsed(nameOf(source, path), text, schema)
    },
    async close() {
      closing.abort()
      await context.agent.destroy()
    },
  }
}

export function paceOf({ requests, perSeconds }: Facts['pace']) {
  const booked: number[] = []
  let held = -Infinity
  return {
    book(now: Ms): number {
      const oldest = booked.length < requests ? undefined : booked.shift()
      const moment = Math.max(now, held, oldest === undefined ? -Infinity : oldest + perSeconds * 1000)
      booked.push(moment)
      return moment
    },
    hold(moment: number): void {
      held = Math.max(held, moment)
    },
  }
}

/** Returns what sends the requests. Time limits are those of {@link send}: they hold through a proxy too. */
function agentOf({ connectMs }: HttpLimits, proxy: HttpOptions['proxy']): Dispatcher {
  const options = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 }
  if (!proxy) return new Agent(options)
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy.url,
    httpsProxy: proxy.url,
    noProxy: proxy.except,
    // The wait for the proxy itself; without a limit of its own, a silent one is waited for five minutes.
    clientFactory: (origin, own) => new Pool(origin, { ...own, headersTimeout: connectMs }),
  })
}

function spend(session: Session, what: keyof Volume, amount: number): void {
  const { source } = session.context
  session.left[what] -= amount
  if (session.left[what] >= 0) return
  const { [what]: most } = source.volume ?? VOLUME
  throw (session.ended ??= new SourceError('source_invalid', `${source.host}: more than ${most} ${what} in one run`))
}

async function fetchText(requested: string, session: Session): Promise<string> {
  const { options, limits, pace, stats } = session
  let path = requested
  let attempt = 0
  let redirects = 0
  for (;;) {
    await turn(session)
    stats.requests++
    const outcome = await send(path, session.context)
    if (outcome.kind === 'answered') return outcome.text
    if (outcome.kind === 'moved') {
      path = outcome.path
      if (++redirects <= limits.redirects) continue
      throw new SourceError('source_invalid', `${nameOf(session.context.source, requested)}: redirected too often`)
    }
    if (outcome.error instanceof RegionError && movesToFallback(session)) continue
    const isRefused = outcome.error.code === 'source_rate_limited'
    // Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const backoffMs = options.random() * Math.min(limits.maxBackoffMs, limits.backoffMs * 2 ** attempt)
    const waitMs = Math.max(outcome.waitMs, backoffMs)
    const retryAt = options.now() + waitMs
    if (!outcome.isTransient || attempt === limits.retries || retryAt >= options.deadline.at) {
      if (isRefused) session.ended = outcome.error
      throw outcome.error
    }
    attempt++
    stats.retries++
    // A rate limit applies to every request to the host, any other failure only to this one.
    if (isRefused) pace.hold(retryAt)
    else await sleep(waitMs, session)
  }
}

function movesToFallback(session: Session): boolean {
  const { source } = session.context
  const { fallbackHost } = source.unavailableFrom ?? {}
  if (fallbackHost === undefined || fallbackHost === source.host) return false
  session.context = { ...session.context, source: { ...source, host: fallbackHost } }
  return true
}

async function turn(session: Session): Promise<void> {
  const { options, context, pace, ended } = session
  if (ended) throw ended
  const at = pace.book(options.now())
  if (at > options.deadline.at)
    throw new SourceError('source_timeout', `${context.source.host}: no turn before the end of the run`)
  await sleep(at - options.now(), session)
}

async function sleep(ms: Ms, { options, context: { source, ended } }: Session): Promise<void> {
  try {
    if (ms > 0) await options.pause(ms, ended)
    ended.throwIfAborted()
  } catch (cause) {
    if (!ended.aborted) throw cause
    throw endOf(ended, source.host, cause)
  }
}

function valuesIn(text: string): number {
  let values = 1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === COMMA || code === BRACKET || code === BRACE) values++
  }
  return values
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b]

/** Parses a body by its schema. The Content-Type is ignored, because some hosts send JSON as text/html. */
function parsed<Body extends z.ZodType>(name: string, text: string, schema: Body): z.infer<Body> {
  // `trim` also removes a byte order mark.
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === 'null') throw new SourceError('source_invalid', `${name}: empty answer`)
  const body = parseJson(trimmed)
  if (body === undefined) throw new SourceError('source_invalid', `${name}: not JSON`)
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const why = `${name}: ${issue?.path.join('.') || 'answer'}: ${issue?.message}`
  throw new SourceError('source_invalid', clean(why.slice(0, 300)))
}
