import * as fc from 'fast-check'
import { type Socket, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { type ChildServer, childServer, health, longTree } from './child-server.ts'

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 3000)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)
const MOST_MIB = 400
/** A connection that the server should have closed by itself is closed by the client after so long. */
const PATIENCE_MS = 300

const token = fc.stringMatching(/^[A-Za-z!#$%&'*+.^_`|~-]{1,12}$/)
const method = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'CONNECT'),
  },
  token,
  fc.string({ maxLength: 8 }),
)
const PATHS = ['/', '/healthz', '/api/mkt', '/api/mkt/assets', '/api/mkt/markets', '/api/mkt/listing-requests', '*']
const target = fc.oneof(
  fc.constantFrom(...PATHS),
  fc.tuple(fc.constantFrom(...PATHS), fc.webQueryParameters()).map(([path, query]) => `${path}?${query}`),
  fc.nat(3000).map((limit) => `/api/mkt/assets?limit=${limit}`),
  fc.webPath().map((path) => `/api/mkt${path}`),
  fc
    .array(fc.constantFrom('..', '%2e%2e', '%00', '%', '\\', '//', 'assets', 'limit=3.json', '.lock'), { maxLength: 8 })
    .map((parts) => `/api/mkt/${parts.join('/')}`),
  fc.webUrl(),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const version = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('HTTP/1.1', 'HTTP/1.0') },
  fc.constantFrom('HTTP/2.0', 'HTTP/0.9', 'http/1.1', ''),
)
const header = fc.oneof(
  fc.constantFrom(
    'Host: x',
    'Connection: close',
    'Connection: keep-alive',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Accept-Encoding: gzip',
    'Accept-Encoding: br;q=0, *',
    'Accept-Encoding: ;;q=,',
    'If-None-Match: *',
    'If-None-Match: "',
    'If-None-Match: W/"a", "b-br"',
    'If-Modified-Since: Fri, 20 Nov 2026 12:00:00 GMT',
    'If-Modified-Since: soon',
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Content-Length: 0',
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 99999999999999999999',
    'Content-Length: 17000',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: identity',
    'Content-Type: application/json',
    'Content-Type: text/plain',
    'X-Forwarded-For: [2001:db8::1]:443, x',
    'Range: bytes=0-1',
    'Cookie: a=b',
    ' folded: x',
    'no colon',
  ),
  fc.tuple(token, fc.string({ unit: 'binary', maxLength: 60 })).map(([name, value]) => `${name}: ${value}`),
  fc.nat(20_000).map((length) => `x: ${'y'.repeat(length)}`),
)
const body = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  fc.constant('5\r\nhello\r\n0\r\n\r\n'),
  fc.constant('ffffffffff\r\nx'),
  fc.constant('0\r\nTrailer: x\r\n\r\n'),
  fc.json().map(String),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.nat(40_000).map((length) => 'x'.repeat(length)),
)
const lineEnd = fc.oneof({ weight: 12, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r', '\r\n\r\n'))
const message = fc
  .tuple(
    method,
    target,
    version,
    fc.array(header, { maxLength: 4 }).map((lines) => ['Host: x', ...lines]),
    body,
    lineEnd,
  )
  .map(
    ([verb, path, protocol, headers, content, end]) =>
      `${verb} ${path} ${protocol}${end}${headers.map((line) => line + end).join('')}${end}${content}`,
  )
/** What one connection sends: its bytes, in the pieces in which they arrive, and whether it says that no more will come. */
const session = fc.record({
  bytes: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(message, { minLength: 1, maxLength: 5 }).map((all) => Buffer.from(all.join(''), 'latin1')),
    },
    fc.uint8Array({ maxLength: 2000 }).map((all) => Buffer.from(all)),
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  ends: fc.boolean(),
})

/** Sends the pieces and gives what came back until either side closed. */
async function exchange(
  port: number,
  { bytes, cuts, ends }: { bytes: Buffer; cuts: number[]; ends: boolean },
): Promise<Buffer> {
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => {})
  // A server may reset a connection that goes on sending, so an error is no finding.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.once('end', () => socket.destroy())
  const at = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b), bytes.length]
  for (const [index, from] of at.slice(0, -1).entries()) {
    socket.write(bytes.subarray(from, at[index + 1]))
    await new Promise(setImmediate)
  }
  if (ends) socket.end()
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
  await closed
  clearTimeout(timer)
  return Buffer.concat(chunks)
}

/** The status lines, headers and bodies in what a server sent. @throws where it is not a row of whole answers */
function answersIn(sent: Buffer): { status: number; headers: Map<string, string>; body: Buffer }[] {
  const answers = []
  let at = 0
  while (at < sent.length) {
    const end = sent.indexOf('\r\n\r\n', at)
    if (end < 0)
      throw new Error(`an answer without an end of its head: ${sent.subarray(at, at + 200).toString('latin1')}`)
    const [first = '', ...lines] = sent.subarray(at, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(first)?.[1])
    if (Number.isNaN(status)) throw new Error(`no status line: ${first}`)
    const headers = new Map(
      lines.map((line) => {
        const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(line) ?? []
        if (name === '') throw new Error(`no header: ${line}`)
        return [name.toLowerCase(), value] as const
      }),
    )
    at = end + 4
    if (status === 100) continue
    const length = Number(headers.get('content-length') ?? 0)
    answers.push({ status, headers, body: sent.subarray(at, at + length) })
    // The answer to a HEAD has the length of a body and none.
    at += sent.subarray(at, at + 5).toString('latin1') === 'HTTP/' ? 0 : length
  }
  return answers
}

/** An error, or what `/healthz` says of a tree without a snapshot. */
const Refusal = z.union([ErrorAnswer, z.object({ ok: z.literal(false), status: z.literal('nothing_published') })])

const STATUSES = new Set([200, 202, 204, 304, 308, 400, 404, 405, 413, 415, 422, 429, 500, 503])

// Memory and descriptors are read from /proc.
describe.skipIf(process.platform !== 'linux')(`with the seed ${SEED}, the server`, () => {
  let server: ChildServer
  beforeAll(async () => {
    server = await childServer(longTree(), 1024)
  })
  afterAll(() => server.end())

  it(`answers what is well formed to ${RUNS} connections of any bytes, and forgets them`, async () => {
    const seen = new Map<number, number>()
    let cases = 0
    const property = fc.asyncProperty(session, async (given) => {
      cases++
      const sent = await exchange(server.port, given)
      for (const { status, headers, body } of answersIn(sent)) {
        seen.set(status, (seen.get(status) ?? 0) + 1)
        expect(STATUSES).toContain(status)
        expect(status).not.toBe(500)
        // The answer to a HEAD is followed by the next one, not by its body.
        const text = body.toString()
        if (status >= 400 && headers.get('content-encoding') === undefined && text.startsWith('{'))
          expect(Refusal.safeParse(JSON.parse(text)).success).toBe(true)
      }
      if (cases % 50 === 0) expect(await health(server.url)).toBe(200)
    })
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
    console.log(
      `${cases} connections; answers by status: ${JSON.stringify(Object.fromEntries([...seen].toSorted(([a], [b]) => a - b)))}`,
    )
    expect(server.isRunning()).toBe(true)
    expect(server.errors()).toBe('')
    expect(server.peakMiB()).toBeLessThan(MOST_MIB)
    await expect.poll(() => server.descriptors()).toBeLessThan(60)
    expect(await health(server.url)).toBe(200)
  })
})
