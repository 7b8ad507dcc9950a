import type { Ms } from '../contract/time.ts'
import pLimit from 'p-limit'
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import type * as z from 'zod'
import { parseJson, countValues } from '../contract/read-json.ts'
import { HTTP_LIMITS, type HttpLimits, type RequestContext, nameOf, send } from './request.ts'
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

export type Stats = Readonly<Record<'requests' | 'retries' | 'bytes', number>>

export interface Connection extends Http {
  readonly stats: Stats
  close(): Promise<void>
}

/**
 * Opens a connection to a source. Until the deadline it repeats what may succeed later: a lost connection, a timeout,
 * 429 and 5xx. After a permanent refusal, or more data than the source's volume, no further request is sent.
 */
export function connect(source: Facts, options: HttpOptions): Connection {
  const { deadline, now, random, pause } = options
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const closing = new AbortController()
  const ended = AbortSignal.any([deadline.signal, closing.signal])
  const stats = { requests: 0, retries: 0, bytes: 0 }
  const volume = source.volume ?? VOLUME
  const left = { ...volume }
  const pace = paceOf(source.pace)
  const concurrency = pLimit(source.concurrency ?? 4)
  const agent = agentOf(limits, options.proxy)
  /** Why no further request is sent; null: more may be. */
  let refusal: SourceError | null = null
  let { host } = source

  function spend(what: keyof Volume, amount: number): void {
    left[what] -= amount
    if (left[what] < 0)
      throw (refusal ??= new SourceError('source_invalid', `${host}: more than ${volume[what]} ${what} in one run`))
  }

  async function sleep(ms: Ms): Promise<void> {
    try {
      if (ms > 0) await pause(ms, ended)
      ended.throwIfAborted()
    } catch (cause) {
      throw ended.aborted ? endOf(ended, host, cause) : cause
    }
  }

  async function turn(): Promise<void> {
    if (refusal) throw refusal
    const at = pace.book(now())
    if (at > deadline.at) throw new SourceError('source_timeout', `${host}: no turn before the end of the run`)
    await sleep(at - now())
    stats.requests++
  }

  /** Waits until a request may be repeated. @throws its error, where it may not */
  async function recover(error: unknown, attempt: number): Promise<void> {
    if (!(error instanceof SourceError)) throw error
    const isRefused = error.code === 'source_rate_limited'
    // Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    const backoffMs = random() * Math.min(limits.maxBackoffMs, limits.backoffMs * 2 ** attempt)
    const waitMs = Math.max(error.retryMs ?? 0, backoffMs)
    if (error.retryMs === null || attempt === limits.retries || now() + waitMs >= deadline.at) {
      if (isRefused) refusal = error
      throw error
    }
    stats.retries++
    // A rate limit applies to every request to the host, any other failure only to this one.
    if (isRefused) pace.hold(now() + waitMs)
    else await sleep(waitMs)
  }

  const meter = {
    left: () => left.bytes,
    received: (bytes: number) => (stats.bytes += bytes),
    spend: (bytes: number) => spend('bytes', bytes),
  }

  async function fetchText(path: string): Promise<string> {
    const { fallbackHost = source.host } = source.unavailableFrom ?? {}
    for (let attempt = 0; ;) {
      await turn()
      const asked = host
      try {
        return await send(path, { ...options, source: { ...source, host }, limits, agent, ended, meter })
      } catch (error) {
        if (error instanceof RegionError && asked !== fallbackHost) host = fallbackHost
        else await recover(error, attempt++)
      }
    }
  }

  return {
    stats,
    async json(path, schema) {
      const text = await concurrency(() => fetchText(path))
      spend('values', countValues(text))
      return parsed(nameOf(source, path), text, schema)
    },
    async close() {
      closing.abort()
      await agent.destroy()
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
