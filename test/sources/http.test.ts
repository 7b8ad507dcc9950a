import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { requestOf, restOf } from '../../src/core/sources/request.ts'
import { connect, type Connection, type HttpOptions, paceOf } from '../../src/core/sources/http.ts'
import { type Facts, OWN_DATA } from '../../src/core/sources/source.ts'
import { RegionError, SourceError } from '../../src/core/sources/source-error.ts'

const SECRET = 'sesame-0123'
const facts: Facts = {
  id: 'venue',
  label: 'Venue',
  type: 'exchange',
  host: 'api.venue.example',
  pace: { requests: 1000, perSeconds: 1 },
  rights: OWN_DATA,
  key: { header: 'x-key', value: SECRET },
}
const Rows = z.object({ rows: z.array(z.number()) })
const GOOD = '{"rows":[1,2]}'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close()
})

/** A server on loopback; its address is the gateway the client is told of. */
async function serve(listener: RequestListener): Promise<URL> {
  const server: Server = createServer(listener)
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  opened.push({
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return new URL(`http://127.0.0.1:${address.port}`)
}

/** A client whose clock moves only when it sleeps; `slept` are its sleeps in ms. */
function client(upstream: URL, options: Partial<HttpOptions> = {}, source: Partial<Facts> = {}) {
  let clock = 0
  const slept: number[] = []
  const connection: Connection = connect(
    { ...facts, ...source },
    {
      upstream,
      userAgent: 'test/1',
      deadline: { at: 600_000, signal: new AbortController().signal },
      now: () => clock,
      random: () => 0.5,
      async pause(ms) {
        slept.push(ms)
        clock += ms
      },
      ...options,
    },
  )
  opened.push(connection)
  return { connection, slept, ask: (path = '/v1/rows?token=hush') => connection.json(path, Rows) }
}

/** Answers one request after another with these; the last one stays. */
function inTurn(...answers: ((response: ServerResponse, request: IncomingMessage) => unknown)[]): RequestListener {
  let next = 0
  return (request, response) => {
    const answer = answers[Math.min(next++, answers.length - 1)]
    answer?.(response, request)
  }
}
const say =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body)
const good = say(200, GOOD)

async function failure(asked: Promise<unknown>): Promise<SourceError> {
  const error: unknown = await asked.then(
    () => null,
    (cause: unknown) => cause,
  )
  if (!(error instanceof SourceError)) throw new Error(`expected a SourceError, got ${String(error)}`)
  return error
}

it('ends with the reason of its signal, and counts any status as an answer of the network', async () => {
  const noted: string[] = []
  const network = { asked: () => noted.push('asked'), answered: () => noted.push('answered') }
  const upstream = await serve(inTurn(say(404)))
  await failure(client(upstream, { network }).ask())
  expect(noted).toEqual(['asked', 'answered'])
  const signal = AbortSignal.abort(new SourceError('source_unreachable', 'no host answered'))
  const ended = client(upstream, { deadline: { at: 600_000, signal } })
  expect(await failure(ended.ask())).toMatchObject({ code: 'source_unreachable', message: 'no host answered' })
})

describe('a good answer', () => {
  const text = `\r\n\uFEFF${GOOD}\r\n`
  it.each([
    ['plain', say(200, GOOD)],
    ['after a line break and a byte order mark', say(200, text)],
    ['called text/html', say(200, GOOD, { 'content-type': 'text/html' })],
    ['gzip', say(200, gzipSync(GOOD), { 'content-encoding': 'gzip' })],
    ['GZIP by its old name', say(200, gzipSync(GOOD), { 'content-encoding': 'X-GZIP' })],
    ['br', say(200, brotliCompressSync(GOOD), { 'content-encoding': 'br' })],
    ['deflate', say(200, deflateSync(GOOD), { 'content-encoding': 'deflate' })],
  ])('is read: %s', async (_, answer) => {
    const { ask } = client(await serve(inTurn(answer)))
    expect(await ask()).toEqual({ rows: [1, 2] })
  })

  it('is asked for at the gateway by host and path, honestly named, without the key', async () => {
    const seen: IncomingMessage[] = []
    const upstream = await serve((request, response) => {
      seen.push(request)
      good(response)
    })
    const { ask } = client(upstream)
    await ask('/v1/rows?a=1,2')
    expect(seen[0]).toMatchObject({
      url: '/api.venue.example/v1/rows?a=1,2',
      headers: { 'user-agent': 'test/1', 'accept-encoding': 'gzip, br, deflate' },
    })
    expect(seen[0]?.headers).not.toHaveProperty('x-key')
  })

  it('is counted with its bytes as they came', async () => {
    const packed = gzipSync(GOOD)
    const { ask, connection } = client(await serve(inTurn(say(200, packed, { 'content-encoding': 'gzip' }))))
    await ask()
    expect(connection.stats).toEqual({ requests: 1, retries: 0, bytes: packed.length })
  })
})

it('sends the key to the declared host over https, and to no gateway', () => {
  const line = { source: facts, userAgent: 'test/1' }
  const direct = requestOf('/v1/rows?a=1', { ...line, upstream: null })
  expect(direct.url.href).toBe('https://api.venue.example/v1/rows?a=1')
  expect(direct.headers).toMatchObject({ 'x-key': SECRET })
  const through = requestOf('/v1/rows?a=1', { ...line, upstream: new URL('http://gateway.example:4010/base/') })
  expect(through.url.href).toBe('http://gateway.example:4010/base/api.venue.example/v1/rows?a=1')
  expect(JSON.stringify(through.headers)).not.toContain(SECRET)
})

describe('an invalid answer', () => {
  it.each([
    ['HTML', say(200, '<!doctype html><title>wait</title>', { 'content-type': 'text/html' }), /not JSON/],
    ['null', say(200, 'null'), /empty answer/],
    ['nothing', say(200, ''), /empty answer/],
    ['no content', say(204), /empty answer/],
    ['half a text', say(200, GOOD.slice(0, 9)), /not JSON/],
    ['another form', say(200, '{"rows":[1,"two"]}'), /rows\.1: .*number/],
    ['an error told in a 200', say(200, '{"error":"no such thing"}'), /rows: /],
    ['a page behind 404', say(404, '<html>'), /HTTP 404/],
    ['a refusal for good', say(403, '{"error":"forbidden"}'), /HTTP 403/],
    ['broken gzip', say(200, 'not gzip', { 'content-encoding': 'gzip' }), /undecodable/],
    ['broken br', say(200, 'not br at all', { 'content-encoding': 'br' }), /undecodable/],
    ['half a gzip', say(200, gzipSync(GOOD).subarray(0, 20), { 'content-encoding': 'gzip' }), /undecodable/],
    ['a way to another host', say(302, '', { location: 'https://evil.example/v1/rows' }), /HTTP 302/],
    ['a way to another path', say(301, '', { location: '/v2/rows' }), /HTTP 301/],
  ])('is source_invalid and not asked for again: %s', async (_, answer, message) => {
    const { ask, connection } = client(await serve(inTurn(answer)))
    const error = await failure(ask())
    expect(error.code).toBe('source_invalid')
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/^api\.venue\.example\/v1\/rows: /)
    expect(connection.stats.retries).toBe(0)
  })

  // Each ended the process: a body that is given up reports its own abort, and had no listener.
  it.each(['zstd', 'utf-8', 'none', 'gzip, br', 'br, gzip', 'constructor', '__proto__', ','])(
    'is source_invalid in an encoding that was not asked for: %s',
    async (encoding) => {
      for (const body of [GOOD, ' '.repeat(300_000)]) {
        const { ask, connection } = client(await serve(inTurn(say(200, body, { 'content-encoding': encoding }))))
        expect(await failure(ask())).toMatchObject({
          code: 'source_invalid',
          message: 'api.venue.example/v1/rows: unknown content encoding',
        })
        expect(connection.stats.retries).toBe(0)
      }
    },
  )

  it('is named without query, key or body', async () => {
    const answers = [say(200, `{"rows":"${SECRET}"}`), say(200, SECRET), say(500, SECRET), say(403, SECRET)]
    for (const answer of answers) {
      const { ask } = client(await serve(inTurn(answer)))
      const error = await failure(ask(`/v1/rows?key=${SECRET}`))
      expect(inspect(error, { depth: 9 })).not.toContain(SECRET)
    }
  })
})

describe('a failure that may pass', () => {
  it.each([
    ['500', say(500, GOOD), 'source_unreachable', /HTTP 500/],
    ['408', say(408), 'source_unreachable', /HTTP 408/],
    ['503 with a page', say(503, '<html>', { 'content-type': 'text/html' }), 'source_unreachable', /HTTP 503/],
    ['429', say(429, 'error code: 1015'), 'source_rate_limited', /HTTP 429/],
    ['a closed connection', (response: ServerResponse) => response.destroy(), 'source_unreachable', /UND_ERR_SOCKET/],
    [
      'a body cut off',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-length': '500' }).write(GOOD, () => response.destroy()),
      'source_unreachable',
      /UND_ERR_SOCKET/,
    ],
    [
      'a packed body cut off',
      (response: ServerResponse) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .write(gzipSync(GOOD).subarray(0, 12), () => response.destroy()),
      'source_unreachable',
      /UND_ERR_SOCKET/,
    ],
  ] as const)('is tried again, and named when it stays: %s', async (_, answer, code, message) => {
    const once = client(await serve(inTurn(answer, good)))
    expect(await once.ask()).toEqual({ rows: [1, 2] })
    expect(once.connection.stats).toMatchObject({ requests: 2, retries: 1 })

    const always = client(await serve(inTurn(answer)), { limits: { retries: 2 } })
    const error = await failure(always.ask())
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(always.connection.stats).toMatchObject({ requests: 3, retries: 2 })
  })

  it('is waited out with random exponential back-off up to a limit', async () => {
    const limits = { retries: 4, backoffMs: 100, maxBackoffMs: 300 }
    const { ask, slept } = client(await serve(inTurn(say(500))), { limits })
    await failure(ask())
    expect(slept).toEqual([50, 100, 150, 150])
  })

  it('may be a closed door', async () => {
    const upstream = await serve(() => {})
    await Promise.resolve(opened.pop()?.close())
    const { ask, connection } = client(upstream)
    const error = await failure(ask())
    expect(error).toMatchObject({ code: 'source_unreachable', message: expect.stringContaining('ECONNREFUSED') })
    expect(connection.stats).toMatchObject({ requests: 4, retries: 3 })
  })

  it('may be silence', async () => {
    const { ask, connection } = client(await serve(() => {}), { limits: { headersMs: 30, retries: 1 } })
    expect(await failure(ask())).toMatchObject({
      code: 'source_timeout',
      message: 'api.venue.example/v1/rows: no answer within 30 ms',
    })
    expect(connection.stats).toMatchObject({ requests: 2, retries: 1 })
  })

  it.each([
    ['identity', Buffer.from('[')],
    ['gzip', gzipSync(GOOD).subarray(0, 12)],
  ])('may be a body that stalls (%s)', async (encoding, beginning) => {
    const stall = (response: ServerResponse) =>
      response.writeHead(200, { 'content-encoding': encoding }).write(beginning)
    const { ask } = client(await serve(inTurn(stall)), { limits: { bodyMs: 30, retries: 1 } })
    expect(await failure(ask())).toMatchObject({
      code: 'source_timeout',
      message: 'api.venue.example/v1/rows: no whole answer within 30 ms',
    })
  })
})

describe('a refusal', () => {
  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a date', { 'retry-after': 'Fri, 05 Jan 2024 00:01:00 GMT', date: 'Fri, 05 Jan 2024 00:00:50 GMT' }, 10_000],
    ['nothing', {}, 250],
    ['less than the back-off', { 'retry-after': '0' }, 250],
  ])('is waited for as long as it says: %s', async (_, headers, ms) => {
    const { ask, slept } = client(await serve(inTurn(say(429, '', headers), good)))
    expect(await ask()).toEqual({ rows: [1, 2] })
    expect(slept).toEqual([ms])
  })

  it('is heeded by every request to the host', async () => {
    const slept: number[] = []
    let other: Promise<unknown> | undefined
    const pause = async (ms: number) => {
      slept.push(ms)
      other ??= ask('/v1/other')
    }
    const { ask } = client(await serve(inTurn(say(429, '', { 'retry-after': '7' }), good)), { pause })
    await ask()
    await other
    expect(slept).toEqual([7000, 7000])
  })

  it('that lasts beyond the deadline ends the request at once', async () => {
    const { ask, slept, connection } = client(await serve(inTurn(say(429, '', { 'retry-after': '600' }))))
    expect(await failure(ask())).toMatchObject({ code: 'source_rate_limited' })
    expect(slept).toEqual([])
    expect(connection.stats.requests).toBe(1)
  })

  it.each([
    ['418', say(418, '{"code":-1003}')],
    ['402', say(402, '{"error":"plan"}')],
    ['403 in the words of Bybit', say(403, '{"retMsg":"access too frequent"}')],
  ])('that forbids another try gets none: %s', async (_, answer) => {
    const { ask, connection } = client(await serve(inTurn(answer)))
    expect(await failure(ask())).toMatchObject({ code: 'source_rate_limited' })
    expect(connection.stats.requests).toBe(1)
  })

  it('permanently is used for every later request', async () => {
    const { ask, connection } = client(await serve(inTurn(say(418), good)), {}, { concurrency: 1 })
    const errors = await Promise.all([failure(ask()), failure(ask()), failure(ask('/v1/other'))])
    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill('source_rate_limited'))
    expect(connection.stats.requests).toBe(1)
  })

  it.each([
    ['12', '', 12_000],
    [' 12 ', '', 12_000],
    ['-1', '', 0],
    ['soon', 'Fri, 05 Jan 2024 00:00:00 GMT', 0],
    ['Fri, 05 Jan 2024 00:01:00 GMT', '', 0],
    ['Fri, 05 Jan 2024 00:01:00 GMT', 'Fri, 05 Jan 2024 00:02:00 GMT', 0],
    ['', '', 0],
  ])('%j at %j asks for %i ms', (retryAfter, date, ms) => {
    expect(restOf(retryAfter, date)).toBe(ms)
  })
})

describe('a body too large', () => {
  it('is cut off while it streams', async () => {
    let written = 0
    const pour = (response: ServerResponse) => {
      const part = Buffer.alloc(2 ** 16, ' ')
      const more = () => {
        if (response.destroyed) return
        written += part.length
        response.write(part, more)
      }
      more()
    }
    const { ask } = client(await serve(inTurn(pour)), {}, { volume: { bytes: 2 ** 20, values: 1 } })
    expect(await failure(ask())).toMatchObject({
      code: 'source_invalid',
      message: 'api.venue.example: more than 1048576 bytes in one run',
    })
    // What the sockets hold between the two ends, and no more.
    expect(written).toBeLessThan(64 * 2 ** 20)
  })

  it('is found when it comes packed', async () => {
    const bomb = (response: ServerResponse) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      const part = Buffer.alloc(2 ** 20)
      for (let count = 0; count < 32; count++) gzip.write(part)
      gzip.end()
    }
    const volume = { bytes: 4 * 2 ** 20, values: 1 }
    const error = await failure(client(await serve(inTurn(bomb)), {}, { volume }).ask())
    expect(error).toMatchObject({
      code: 'source_invalid',
      message: 'api.venue.example: more than 4194304 bytes in one run',
    })
  })

  it('is not suspected when it merely compresses well', async () => {
    const spaces = ' '.repeat(2 ** 19) + GOOD
    const { ask } = client(await serve(inTurn(say(200, gzipSync(spaces), { 'content-encoding': 'gzip' }))))
    expect(await ask()).toEqual({ rows: [1, 2] })
  })
})

describe('all that a source sends in one run', () => {
  const page = `{"rows":[${'1,'.repeat(400)}1]}`

  it.each([
    ['bytes', { bytes: 2000, values: 1e6 }, 'api.venue.example: more than 2000 bytes in one run'],
    ['values', { bytes: 1e6, values: 1000 }, 'api.venue.example: more than 1000 values in one run'],
  ])('is bounded in %s, and it is not asked again', async (_, volume, message) => {
    const { ask, connection } = client(await serve(inTurn(say(200, page))), {}, { volume })
    await ask()
    await ask()
    expect(await failure(ask())).toMatchObject({ code: 'source_invalid', message })
    expect(await failure(ask())).toMatchObject({ code: 'source_invalid', message })
    expect(connection.stats).toMatchObject({ requests: 3, retries: 0 })
  })
})

describe('the end of the run', () => {
  it('aborts running, waiting and later requests', async () => {
    const run = new AbortController()
    let asked = 0
    const upstream = await serve(() => {
      if (++asked === 2) run.abort()
    })
    const options = { deadline: { at: 600_000, signal: run.signal } }
    const { ask, connection } = client(upstream, options, { concurrency: 2 })
    const errors = await Promise.all([ask(), ask(), ask(), ask()].map(failure))
    errors.push(await failure(ask()))
    expect(errors.map(({ code }) => code)).toEqual(Array(5).fill('source_timeout'))
    expect(connection.stats).toMatchObject({ requests: 2, retries: 0 })
  })

  it('wakes what sleeps', async () => {
    const run = new AbortController()
    const pause = (_: number, signal: AbortSignal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('woken')))
        run.abort()
      })
    const deadline = { at: 600_000, signal: run.signal }
    const { ask } = client(await serve(inTurn(say(500))), { deadline, pause })
    expect(await failure(ask())).toMatchObject({ code: 'source_timeout' })
  })

  it('comes with closing too', async () => {
    const { connection, ask } = client(await serve(() => void connection.close()))
    expect(await failure(ask())).toMatchObject({ code: 'source_timeout' })
    expect(await failure(ask())).toMatchObject({ code: 'source_timeout' })
    expect(connection.stats.requests).toBe(1)
  })

  it('is not waited for by a request whose turn comes after it', async () => {
    const options = { deadline: { at: 5000, signal: new AbortController().signal } }
    const { ask, slept } = client(await serve(inTurn(good)), options, { pace: { requests: 1, perSeconds: 10 } })
    await ask()
    expect(await failure(ask())).toMatchObject({ code: 'source_timeout' })
    expect(slept).toEqual([])
  })
})

it('never has more requests under way than the source allows', async () => {
  let underWay = 0
  let most = 0
  const waiting: ServerResponse[] = []
  const upstream = await serve((_, response) => {
    most = Math.max(most, ++underWay)
    waiting.push(response)
    // Only when the house is full is anyone let go, so a fourth guest would be seen.
    if (waiting.length < 3) return
    setImmediate(() => {
      for (const guest of waiting.splice(0)) {
        underWay--
        good(guest)
      }
    })
  })
  const { ask } = client(upstream, {}, { concurrency: 3 })
  await Promise.all(Array.from({ length: 12 }, () => ask()))
  expect(most).toBe(3)
})

describe('the pace', () => {
  it('is kept over all requests, tries again included', async () => {
    const upstream = await serve(inTurn(good, good, say(500), good, good))
    const source = { pace: { requests: 2, perSeconds: 10 }, concurrency: 1 }
    const { ask, slept } = client(upstream, { random: () => 0 }, source)
    for (let count = 0; count < 4; count++) await ask()
    expect(slept).toEqual([10_000, 10_000])
  })

  it('lets no window hold more than it may, and wastes no room', () => {
    const some = fc.integer({ min: 1, max: 5 })
    const steps = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 60 })
    fc.assert(
      fc.property(some, some, steps, (requests, perSeconds, gaps) => {
        const pace = paceOf({ requests, perSeconds })
        let now = 0
        const moments = gaps.map((gap) => {
          now += gap
          return { now, moment: pace.book(now) }
        })
        for (const [index, { now, moment }] of moments.entries()) {
          const before = moments[index - requests]?.moment ?? -Infinity
          expect(moment).toBe(Math.max(now, before + perSeconds * 1000))
        }
      }),
    )
  })

  it('waits until the moment it is held to', () => {
    const pace = paceOf({ requests: 5, perSeconds: 1 })
    pace.hold(700)
    pace.hold(300)
    expect([pace.book(0), pace.book(10), pace.book(800)]).toEqual([700, 700, 800])
  })
})

describe('a host that refuses this region', () => {
  const refusing: RequestListener = (request, response) =>
    request.url?.startsWith('/api.venue.example/') ? say(451, '{"code":0}')(response) : good(response)
  const unavailableFrom = { countries: ['US'], evidence: 'https://docs.example' }

  it('is left for the fallback host, once and for the rest of the run', async () => {
    const asked: (string | undefined)[] = []
    const upstream = await serve((request, response) => {
      asked.push(request.url)
      refusing(request, response)
    })
    const { ask } = client(
      upstream,
      {},
      { unavailableFrom: { ...unavailableFrom, fallbackHost: 'data.venue.example' } },
    )
    expect(await ask('/a')).toEqual({ rows: [1, 2] })
    expect(await ask('/b')).toEqual({ rows: [1, 2] })
    expect(asked).toEqual(['/api.venue.example/a', '/data.venue.example/a', '/data.venue.example/b'])
  })

  it('is reported, and is not retried at once', async () => {
    const { connection, ask } = client(await serve(refusing), {}, { unavailableFrom })
    const error = await failure(ask('/a'))
    expect(error).toBeInstanceOf(RegionError)
    expect(error.message).toBe('api.venue.example/a: HTTP 451, it refuses addresses of this region')
    expect(connection.stats).toMatchObject({ requests: 1, retries: 0 })
  })

  it('and whose fallback refuses too is an error', async () => {
    const upstream = await serve((_, response) => say(451)(response))
    const { connection, ask } = client(
      upstream,
      {},
      { unavailableFrom: { ...unavailableFrom, fallbackHost: 'data.venue.example' } },
    )
    expect((await failure(ask('/a'))).message).toMatch(/^data\.venue\.example/)
    expect(connection.stats.requests).toBe(2)
  })
})

it('names a long path by its beginning', async () => {
  const upstream = await serve((_, response) => say(404)(response))
  const error = await failure(client(upstream).ask(`/prices/${'0x1,'.repeat(100)}`))
  expect(error.message).toMatch(/^api\.venue\.example\/prices\/(0x1,){10,30}.{0,4}…: HTTP 404$/)
})
