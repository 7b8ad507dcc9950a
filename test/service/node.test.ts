import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { request } from 'undici'
import { folderReader } from '../../src/core/tree/reader.ts'
import { REQUESTS_PER_DAY } from '../../src/service/listing-requests.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { newFolder } from '../sample-tree.ts'
import { list, onDisk, tree } from './world.ts'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'

let root: string
let clock: number
let server: Listening
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

beforeEach(async () => {
  root = newFolder()
  clock = 0
  for (const [file, text] of Object.entries(tree)) write(file, text)
  write('api/mkt/assets.json', list(900))
  server = await listen(
    onDisk(root, () => clock),
    '127.0.0.1',
    0,
  )
})
afterEach(() => server.close())

const ask = (path: string, headers: Record<string, string> = {}) => request(`${server.url}${path}`, { headers })

describe('encodings', () => {
  it('match their content coding, each with its own ETag', async () => {
    const plain = await ask('/api/mkt/assets')
    const text = await plain.body.text()
    const br = await ask('/api/mkt/assets', { 'accept-encoding': 'br' })
    const gzip = await ask('/api/mkt/assets', { 'accept-encoding': 'gzip' })
    expect(brotliDecompressSync(Buffer.from(await br.body.arrayBuffer())).toString()).toBe(text)
    expect(gunzipSync(Buffer.from(await gzip.body.arrayBuffer())).toString()).toBe(text)
    const tags = [plain, br, gzip].map(({ headers }) => headers['etag'])
    expect(new Set(tags).size).toBe(3)
    expect([plain, br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip'])
    for (const tag of tags) {
      const again = await ask('/api/mkt/assets', { 'accept-encoding': 'br', 'if-none-match': String(tag) })
      expect([again.statusCode, await again.body.text()]).toEqual([304, ''])
    }
  })
})

it('an answer that a publication overtakes is not given again after it', async () => {
  let edition = 'first'
  const own = onDisk(root, () => clock, {
    edition: () => edition,
    async read(file) {
      const text = await folderReader(root)(file)
      if (edition === 'first') write('api/mkt/assets.json', list(2))
      edition = 'second'
      return text
    },
  })
  const other = await listen(own, '127.0.0.1', 0)
  const counted = async () =>
    z.object({ count: z.number() }).parse(await (await fetch(`${other.url}/api/mkt/assets`)).json()).count
  expect([await counted(), await counted(), await counted()]).toEqual([900, 2, 2])
  await other.close()
})

it('a part of the tables of rows is answered as it is, and a precompressed file is not', async () => {
  write('state/runs-0123456789abcdef.jsonl.gz', 'rows')
  write('api/mkt/head.json.gz', 'copy')
  const part = await ask('/state/runs-0123456789abcdef.jsonl.gz', { 'accept-encoding': 'br' })
  expect([part.statusCode, part.headers['content-encoding'], await part.body.text()]).toEqual([200, undefined, 'rows'])
  expect((await ask('/api/mkt/head.json.gz')).statusCode).toBe(404)
})

it.each(['/api/mkt', '/api/mkt/assets', '/api/mkt/assets?limit=3'])(
  'HEAD and 304 of %s have the headers of GET',
  async (path) => {
    const of = async (method: 'GET' | 'HEAD', more: Record<string, string> = {}) => {
      const { statusCode, headers, body } = await request(`${server.url}${path}`, {
        method,
        headers: { 'accept-encoding': 'gzip', ...more },
      })
      const { date: _, connection: __, 'keep-alive': ___, ...own } = headers
      return { statusCode, own, bytes: (await body.arrayBuffer()).byteLength }
    }
    const get = await of('GET')
    expect(await of('HEAD')).toEqual({ ...get, bytes: 0 })
    const { 'content-encoding': _, 'content-length': __, ...cached } = get.own
    expect(await of('GET', { 'if-none-match': String(get.own['etag']) })).toEqual({
      statusCode: 304,
      own: cached,
      bytes: 0,
    })
  },
)

it('sends a short answer as it is', async () =>
  expect((await ask('/api/mkt', { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined())

it('answers the second time as the first, from memory', async () => {
  let reads = 0
  const disk = folderReader(root)
  const read = (file: string) => (reads++, disk(file))
  const counted = await listen(
    onDisk(root, () => clock, { read }),
    '127.0.0.1',
    0,
  )
  const text = async () => (await request(`${counted.url}/api/mkt/assets?limit=137`)).body.text()
  const first = await text()
  const before = reads
  expect([await text(), reads]).toEqual([first, before])
  await counted.close()
})

it.each([
  '/api/mkt/listing-requests',
  '/api/mkt/%6Cisting-requests',
  '/api/mkt/listing-requests.json',
  '/api/mkt/./listing-requests',
])('shows the state of the queue as it is, under %s too', async (path) => {
  const statesOf = async () => z.object({ count: z.number() }).parse(await (await ask(path)).body.json()).count
  expect(await statesOf()).toBe(0)
  const body = JSON.stringify({ name: 'A', symbol: 'A', website: 'https://a.example' })
  await request(`${server.url}/api/mkt/listing-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(await statesOf()).toBe(1)
})

it('reports whether there is something to serve', async () => {
  expect((await ask('/healthz')).statusCode).toBe(200)
  const metrics = await ask('/metrics')
  expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await metrics.body.text()).toContain('\nquotetree_up 1\n')
  rmSync(join(root, 'api/mkt.json'))
  clock += 1000
  const [health, answer] = await Promise.all([ask('/healthz'), ask('/api/mkt/assets?limit=4')])
  expect([health.statusCode, answer.statusCode]).toEqual([503, 200])
  expect((await ask('/api/mkt')).statusCode).toBe(503)
})

it('counts requests by who sent them', async () => {
  const behind = await listen(
    onDisk(root, () => clock, {
      proxies: 1,
    }),
    '127.0.0.1',
    0,
  )
  const statuses: number[] = []
  for (const [address, symbol] of [
    ...Array.from({ length: REQUESTS_PER_DAY }, (_, number) => ['1.1.1.1', `A${number}`] as const),
    ['2.2.2.2', 'B'] as const,
    ['9.9.9.9, 1.1.1.1', 'C'] as const,
  ]) {
    const { statusCode, body } = await request(`${behind.url}/api/mkt/listing-requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ name: symbol, symbol, website: 'https://a.example' }),
    })
    await body.dump()
    statuses.push(statusCode)
  }
  await behind.close()
  expect(statuses).toEqual([...Array.from({ length: REQUESTS_PER_DAY + 1 }, () => 202), 429])
})

describe('a page beside the API', () => {
  beforeEach(() => {
    write('index.html', '<!doctype html>home')
    write('token/index.html', '<!doctype html>token')
    write('status/index.html', '<!doctype html>status')
    write('renamed/oak.json', '{"slug":"oak","replaced_by":"pine"}')
    write('api/mkt/feed.xml', '<feed/>')
    write('assets/a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
    write('.lock.svg', 'hidden')
    write('.staging/index.html', 'hidden')
    write('notes.md', 'not shown')
  })
  it.each([
    ['/', 200, 'text/html; charset=utf-8'],
    ['/token/bitcoin/', 308, '/token/bitcoin'],
    ['/token/bitcoin', 200, 'text/html; charset=utf-8'],
    ['/token/oak', 200, 'text/html; charset=utf-8'],
    ['/token/no-such', 404, 'application/json; charset=utf-8'],
    ['/token/UPPER', 404, 'application/json; charset=utf-8'],
    ['/status', 308, '/status/'],
    ['/api/mkt/feed.xml', 200, 'application/xml; charset=utf-8'],
    ['/api/mkt/other.xml', 404, 'application/json; charset=utf-8'],
    ['/assets/a.svg', 200, 'image/svg+xml'],
    ['/.lock.svg', 404, 'application/json; charset=utf-8'],
    ['/%2elock.svg', 404, 'application/json; charset=utf-8'],
    ['/.staging/', 404, 'application/json; charset=utf-8'],
    ['/token/%2e%2e/.lock.svg', 404, 'application/json; charset=utf-8'],
    ['/a%00.svg', 404, 'application/json; charset=utf-8'],
    ['/%', 404, 'application/json; charset=utf-8'],
    ['/notes.md', 404, 'application/json; charset=utf-8'],
    ['/nothing.html', 404, 'application/json; charset=utf-8'],
  ])('%s is %d', async (path, status, text) => {
    const { statusCode, headers } = await ask(path)
    expect([statusCode, status === 308 ? headers['location'] : headers['content-type']]).toEqual([status, text])
    expect(headers['x-content-type-options']).toBe('nosniff')
  })
  it('has its own file for a token that has one', async () => {
    write('token/ethereum.html', '<!doctype html>ethereum')
    expect(await (await ask('/token/ethereum')).body.text()).toBe('<!doctype html>ethereum')
    expect(await (await ask('/token/bitcoin')).body.text()).toBe('<!doctype html>token')
  })
  it('answers a person with a page where nothing is, and a program in JSON', async () => {
    write('404.html', '<!doctype html>not here')
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const missing = await ask('/nothing.html', { accept })
    expect([missing.statusCode, missing.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await missing.body.text()).toBe('<!doctype html>not here')
    expect((await ask('/nothing.html')).headers['content-type']).toBe('application/json; charset=utf-8')
    expect((await ask('/api/mkt/nothing', { accept })).headers['content-type']).toBe('application/json; charset=utf-8')
  })
  it('is the new one as soon as its file changes, without a publication', async () => {
    expect(await (await ask('/')).body.text()).toBe('<!doctype html>home')
    write('index.html', '<!doctype html>another home')
    expect(await (await ask('/')).body.text()).toBe('<!doctype html>another home')
  })
  it('is not sent again while it is the same', async () => {
    const etag = String((await ask('/')).headers['etag'])
    expect((await ask('/', { 'if-none-match': etag })).statusCode).toBe(304)
  })
})

it('shows a new publication as soon as its index is there', async () => {
  const old = await (await ask('/api/mkt/assets?limit=3')).body.text()
  write('api/mkt/assets/limit=3.json', list(3).replace('"total":9', '"total":8'))
  expect(await (await ask('/api/mkt/assets?limit=3')).body.text()).toBe(old)
  write('api/mkt.json', `${tree['api/mkt.json']} `)
  clock += 1000
  expect(await (await ask('/api/mkt/assets?limit=3')).body.text()).toContain('"total":8')
})

it('follows no link out of the tree', async () => {
  const outside = join(newFolder(), 'secret.json')
  writeFileSync(outside, 'secret')
  rmSync(join(root, 'api/mkt/assets/bitcoin.json'))
  symlinkSync(outside, join(root, 'api/mkt/assets/bitcoin.json'))
  expect((await ask('/api/mkt/assets/bitcoin')).statusCode).toBe(404)
})

async function rawly(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

it.each([
  ['//evil.example/api/mkt', 404],
  ['/api/mkt/../../../etc/passwd', 404],
  ['/api/mkt/%', 404],
  ['/api/mkt/\\..\\x', 400],
  ['/api/mkt\\assets', 400],
  ['*', 400],
  ['http://any.example/api/mkt/assets', 200],
])('survives the address %s', async (address, status) =>
  expect(await rawly(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(`HTTP/1.1 ${status} `),
)

it.each(['nonsense\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`])(
  'refuses what is no HTTP in JSON',
  async (bytes) => {
    const [head = '', body = ''] = (await rawly(bytes)).split('\r\n\r\n')
    expect(head).toMatch('HTTP/1.1 400 ')
    expect(head).toMatch('access-control-allow-origin: *')
    expect(head).toMatch(`content-length: ${Buffer.byteLength(body)}`)
    expect(ErrorAnswer.parse(JSON.parse(body)).error.status).toBe(400)
  },
)

it('refuses a body that is too large and goes on serving', async () => {
  const { statusCode, body } = await request(`${server.url}/api/mkt/listing-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `"${'x'.repeat(100_000)}"`,
  })
  expect([statusCode, await body.text()]).toMatchObject([413, expect.stringContaining('payload_too_large')])
  expect((await ask('/api/mkt')).statusCode).toBe(200)
})

it('names the port that is in use, and what to do', async () => {
  const port = Number(new URL(server.url).port)
  await expect(
    listen(
      onDisk(root, () => clock),
      '127.0.0.1',
      port,
    ),
  ).rejects.toThrow(`Port ${port} on 127.0.0.1 is already in use. Stop the other process`)
})

it('refuses a request without a host in JSON', async () => {
  const [head = '', body = ''] = (await rawly('GET /api/mkt HTTP/1.1\r\nConnection: close\r\n\r\n')).split('\r\n\r\n')
  expect(head).toMatch('HTTP/1.1 400 ')
  expect(ErrorAnswer.parse(JSON.parse(body)).error.message).toContain('Host')
})

it('refuses a request with two hosts in JSON', async () => {
  const [head = '', body = ''] = (await rawly('GET /api/mkt HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n')).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1.1 400 /)
  expect(ErrorAnswer.parse(JSON.parse(body)).error.message).toContain('more than one Host')
})

it('answers a request with an expectation that it does not know', async () =>
  expect(await rawly('GET /api/mkt HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n')).toMatch(
    'HTTP/1.1 200 ',
  ))
