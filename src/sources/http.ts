import pLimit from 'p-limit'
import { Agent } from 'undici'
import type * as z from 'zod'
import { exchange, nameOf, type ExchangeLimits, type Line } from './request.ts'
import { paceOf } from './pace.ts'
import { VOLUME, type Facts, type Http, type Volume } from './source.ts'
import { SourceError } from './source-error.ts'
import { clean } from './wire.ts'

/** How long and how often one host is asked. */
export interface Limits extends ExchangeLimits {
  readonly connectMs: number
  /** Further attempts after the first. */
  readonly retries: number
  /** Longest wait before the second attempt; it doubles with each, up to `maxBackoffMs`. */
  readonly backoffMs: number
  readonly maxBackoffMs: number
  readonly redirects: number
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  headersMs: 15_000,
  bodyMs: 30_000,
  maxBytes: 64 * 2 ** 20,
  maxRatio: 200,
  retries: 3,
  backoffMs: 500,
  maxBackoffMs: 15_000,
  redirects: 3,
}

/** When everything must have ended: `at` in ms of the same clock as `now`, `signal` for what is under way then. */
export interface Deadline {
  readonly at: number
  readonly signal: AbortSignal
}

export interface HttpOptions extends Pick<Line, 'upstream' | 'userAgent'> {
  readonly deadline: Deadline
  /** A clock that only runs forward, in ms; not the time of day. */
  readonly now: () => number
  /** 0 to 1, 1 excluded. */
  readonly random: () => number
  /** Sleeps; rejects when the signal fires. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly limits?: Partial<Limits>
}

/** What a source's requests came to. `bytes` as received, before decoding. */
export interface Stats {
  readonly requests: number
  readonly retries: number
  readonly bytes: number
}

export interface Connection extends Http {
  readonly stats: Stats
  /** Ends every request under way and closes the sockets. */
  close(): Promise<void>
}

/**
 * Opens the way to one source's host. Requests keep the source's pace and concurrency, are tried again after a lost
 * connection, a time-out, 429 and 5xx, and have all ended when the deadline strikes. Once the host has refused for good
 * (`source_rate_limited`) or sent more than the source's volume (`source_invalid`) it is not asked again. Errors name host and path, never a query, a key or a part of a body.
 */
export function connect(source: Facts, options: HttpOptions): Connection {
  const { deadline, now } = options
  const limits = { ...LIMITS, ...options.limits }
  const closing = new AbortController()
  const stats = { requests: 0, retries: 0, bytes: 0 }
  const left = { ...(source.volume ?? VOLUME) }
  const line: Line = {
    ...options,
    source,
    limits,
    agent: new Agent({ connect: { timeout: limits.connectMs }, headersTimeout: 0, bodyTimeout: 0 }),
    ended: AbortSignal.any([deadline.signal, closing.signal]),
    meter: {
      received: (bytes) => (stats.bytes += bytes),
      decoded: (bytes) => spend('bytes', bytes),
    },
  }
  const inTurn = pLimit(source.concurrency ?? 4)
  const pace = paceOf(source.pace)
  let refusal: SourceError | undefined

  function spend(what: keyof Volume, amount: number): void {
    left[what] -= amount
    if (left[what] >= 0) return
    const most = (source.volume ?? VOLUME)[what]
    refusal ??= new SourceError('source_invalid', `${source.host}: more than ${most} ${what} in one run`)
    throw refusal
  }

  async function sleep(ms: number): Promise<void> {
    try {
      if (ms > 0) await options.pause(ms, line.ended)
      line.ended.throwIfAborted()
    } catch (cause) {
      if (!line.ended.aborted) throw cause
      throw new SourceError('source_timeout', `${source.host}: aborted at the end of the run`, { cause })
    }
  }

  async function turn(): Promise<void> {
    if (refusal) throw refusal
    const moment = pace.book(now())
    if (moment > deadline.at)
      throw new SourceError('source_timeout', `${source.host}: no turn before the end of the run`)
    await sleep(moment - now())
  }

  async function text(asked: string): Promise<string> {
    let path = asked
    let attempt = 0
    let moves = 0
    for (;;) {
      await turn()
      stats.requests++
      const outcome = await exchange(path, line)
      if (outcome.kind === 'answered') return outcome.text
      if (outcome.kind === 'moved') {
        path = outcome.path
        if (++moves <= limits.redirects) continue
        throw new SourceError('source_invalid', `${nameOf(source, asked)}: redirected too often`)
      }
      const refused = outcome.error.code === 'source_rate_limited'
      // Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
      const backoffMs = options.random() * Math.min(limits.maxBackoffMs, limits.backoffMs * 2 ** attempt)
      const waitMs = Math.max(outcome.waitMs, backoffMs)
      if (!outcome.again || attempt === limits.retries || now() + waitMs >= deadline.at) {
        if (refused) refusal = outcome.error
        throw outcome.error
      }
      attempt++
      stats.retries++
      // A refusal concerns every request to the host, so the pace rests; any other failure is this request's own.
      if (refused) pace.hold(now() + waitMs)
      else await sleep(waitMs)
    }
  }

  return {
    stats,
    async json(path, schema) {
      const answer = await inTurn(text, path)
      spend('values', valuesIn(answer))
      return parsed(nameOf(source, path), answer, schema)
    },
    async close() {
      closing.abort()
      await line.agent.destroy()
    },
  }
}

/** How many values a JSON text has at the most: each but the first follows one of these characters. */
function valuesIn(text: string): number {
  let values = 1
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === COMMA || code === BRACKET || code === BRACE) values++
  }
  return values
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b]

/** A body in the form asked for. What a host calls it is ignored: some send JSON as text/html. */
function parsed<Body extends z.ZodType>(name: string, text: string, schema: Body): z.infer<Body> {
  // `trim` takes away a byte order mark too.
  const trimmed = text.trim()
  if (trimmed === '' || trimmed === 'null') throw new SourceError('source_invalid', `${name}: empty answer`)
  let body: unknown
  try {
    body = JSON.parse(trimmed)
  } catch {
    // Without its cause, which quotes the body.
    throw new SourceError('source_invalid', `${name}: not JSON`)
  }
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const why = `${name}: ${issue?.path.join('.') || 'answer'}: ${issue?.message}`
  throw new SourceError('source_invalid', clean(why.slice(0, 300)))
}
