import { type Server, createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { type Report, collect, countOf } from '../../src/core/sources/collect.ts'
import { type Connection, connect } from '../../src/core/sources/http.ts'
import type { Source, Wants } from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { NOON } from '../sample-tree.ts'
import { bodiesOf } from './market.ts'
import { bodyFor } from './upstream.ts'

/** Cases of each property for each source. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 400)
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31)

const sources = liveSources({})
let bodies: ReadonlyMap<string, unknown>
beforeAll(async () => {
  bodies = await bodiesOf(sources, NOON)
})

const wants: Wants = {
  listings: null,
  profiles: (ids) => ids.slice(0, 2),
  tokens: [
    { platform: 'ethereum', address: '0x00000000000000000000000000000000000000c0' },
    { platform: 'eth', address: '0x00000000000000000000000000000000000000c0' },
  ],
}

/** Rows of a turn, without those that say what could not be had. */
const rowsOf = ({ rows, skipped }: Report): number =>
  rows - countOf(skipped.filter(({ reason }) => reason.startsWith('no ')))

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    -0,
    1e308,
    5e-324,
    '',
    ' ',
    '0x10',
    '1e999',
    'NaN',
    '-1',
    '1'.repeat(5000),
    '\ud800',
    '\udfff-\ud800',
    '\ufffe/\uffff',
    '__proto__',
    'constructor',
    'A'.repeat(100_000),
    '\u0301\u0323'.repeat(20_000),
    [],
    {},
    [[]],
    '../..',
    '\u001b]52;c;x\u0007',
    'https://a b',
    { toString: 1 },
    { length: 1e9 },
    { kind: 'quote' },
    'tBTCUSD',
    'BTC-USD',
    '/',
    '-',
    '_',
  ),
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(40, 5000).map((levels): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))),
)

/** One change of a body: a path by shares of what there is at each level, and what comes there. */
const change = fc.record({
  path: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 2, maxLength: 6 }),
  value: nasty,
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** A copy of a value with something else at a path. Members are never added and never taken away. */
function changed(value: unknown, [share, ...rest]: readonly number[], put: unknown): unknown {
  if (share === undefined || typeof value !== 'object' || value === null) return put
  if (Array.isArray(value)) {
    const at = Math.floor(share * value.length)
    return value.length === 0 ? value : value.with(at, changed(value[at], rest, put))
  }
  const members = Object.entries(value)
  const [name] = members[Math.floor(share * members.length)] ?? []
  return Object.fromEntries(members.map(([own, member]) => [own, own === name ? changed(member, rest, put) : member]))
}

const asked = (source: Source, changes: readonly Change[]): Connection => ({
  stats: { requests: 0, retries: 0, bytes: 0 },
  async json<Body extends z.ZodType>(path: string, schema: Body) {
    const [own = '', query = ''] = path.split('?')
    const body = bodyFor(bodies, source.host + own, query)
    if (body === undefined) throw new SourceError('source_invalid', 'HTTP 404')
    const result = schema.safeParse(
      changes.reduce<unknown>((whole, { path, value }) => changed(whole, path, value), body),
    )
    if (result.success) return result.data
    throw new SourceError('source_invalid', 'another form')
  },
  close: async () => {},
})

const turnOf = async (source: Source, connection: Connection) => {
  const [report] = await collect([source], {
    at: NOON,
    now: () => 0,
    signal: new AbortController().signal,
    connect: () => connection,
    wants: () => wants,
  })
  if (!report) throw new Error('no report')
  return report
}

describe.each(sources.map((source) => [source.id, source] as const))('bodies of %s', (_, source) => {
  it('cost what was changed in them and no more', async () => {
    const good = await turnOf(source, asked(source, []))
    expect(good.error).toBeNull()
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const { error, rows, sightings, quotes, pools, references, skipped, rejected } = await turnOf(
          source,
          asked(source, changes),
        )
        // A bug is told from a refusal by its words.
        expect(error?.message ?? '').not.toContain('could not be read')
        expect(rejected.filter(({ reason }) => reason.includes('could not be read'))).toEqual([])
        const kinds = [sightings, quotes, pools, references]
        const seen = kinds.reduce((sum, list) => sum + list.length, countOf([...skipped, ...rejected]))
        expect(rows).toBe(seen)
        expect(JSON.stringify(kinds).isWellFormed()).toBe(true)
        for (const { reason } of rejected) expect(reason.length).toBeLessThanOrEqual(200)
      }),
      { numRuns: CASES, seed: SEED },
    )
  })

  it('lose at most one row where one row is changed, and each is counted once', async () => {
    const good = await turnOf(source, asked(source, []))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 4, maxLength: 6 }),
        nasty,
        async (path, value) => {
          const report = await turnOf(source, asked(source, [{ path, value }]))
          if (report.error !== null) return
          expect(rowsOf(report)).toBe(rowsOf(good))
        },
      ),
      { numRuns: source.type === 'dex' ? 0 : CASES, seed: SEED },
    )
  })
})

describe('raw answers', () => {
  let server: Server
  let answer: { readonly status: number; readonly headers: readonly string[]; readonly body: Buffer }
  let url: URL
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.socket.write(
        Buffer.concat([
          Buffer.from(
            `HTTP/1.1 ${answer.status} x\r\n${answer.headers.map((line) => `${line}\r\n`).join('')}connection: close\r\n\r\n`,
            'latin1',
          ),
          answer.body,
        ]),
        () => request.socket.end(),
      )
      response.detachSocket(request.socket)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    url = new URL(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const encoding = fc.constantFrom(
    'gzip',
    'br',
    'deflate',
    'x-gzip',
    'zstd',
    'utf-8',
    'none',
    'identity',
    'gzip, br',
    'constructor',
    '',
    ',,',
    '\xff',
  )
  const line = fc.oneof(
    encoding.map((value) => `content-encoding: ${value}`),
    fc
      .constantFrom('0', '5', '-1', '99999999', '1e3', 'x', '18446744073709551616')
      .map((value) => `content-length: ${value}`),
    fc.constantFrom('chunked', 'gzip', 'chunked, chunked', 'x').map((value) => `transfer-encoding: ${value}`),
    fc
      .constantFrom('/', '//', 'https://[', 'https://evil.example/', '?', '%', 'a'.repeat(3000), '\xff')
      .map((value) => `location: ${value}`),
    fc
      .constantFrom('0', '-1', '1e9', '99999999999999999999', 'Fri, 99 Foo', '')
      .map((value) => `retry-after: ${value}`),
    fc.constantFrom('application/json', 'text/html; charset=utf-16', '').map((value) => `content-type: ${value}`),
    fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
    fc.nat(200).map((size) => `x-${'y'.repeat(size)}: ${'z'.repeat(size * 40)}`),
  )
  const text = '[{"symbol":"CAAUSDT","lastPrice":"1"}]'
  const body = fc.oneof(
    fc
      .constantFrom(
        text,
        '',
        'null',
        '[',
        '\ufeff[]',
        '{"a":',
        '5\r\n[1,2]\r\n0\r\n\r\n',
        'ffffffffff\r\n',
        '0\r\n\r\n',
      )
      .map((said) => Buffer.from(said)),
    fc.constantFrom(gzipSync(text), gzipSync(text).subarray(0, 15), gzipSync(Buffer.alloc(2 ** 21))),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  )
  const status = fc.constantFrom(
    200,
    200,
    200,
    200,
    201,
    204,
    206,
    301,
    304,
    307,
    400,
    401,
    402,
    403,
    404,
    408,
    418,
    429,
    451,
    500,
    503,
    599,
    999,
  )

  it('are read, or are that source’s failure alone', async () => {
    const [source] = sources.filter(({ id }) => id === 'binance')
    if (!source) throw new Error('no source')
    await fc.assert(
      fc.asyncProperty(status, fc.array(line, { maxLength: 6 }), body, async (code, headers, bytes) => {
        answer = { status: code, headers, body: bytes }
        let clock = 0
        const connection = connect(source, {
          upstream: url,
          userAgent: 'test',
          deadline: { at: 60_000, signal: new AbortController().signal },
          now: () => clock,
          random: () => 0.5,
          pause: async (ms) => (clock += ms),
          limits: { headersMs: 2000, bodyMs: 2000, retries: 1 },
        })
        try {
          const report = await turnOf(source, connection)
          expect(report.error?.message ?? '').not.toContain('could not be read')
        } finally {
          await connection.close()
        }
      }),
      { numRuns: CASES * 5, seed: SEED },
    )
  })
})
