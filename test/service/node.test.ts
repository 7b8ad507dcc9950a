import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { request } from 'undici'
import { type Listening, codingFor, diskStore, listen } from '../../src/service/node.ts'
import { newFolder } from '../sample-tree.ts'
import { contextOf, list, tree } from './world.ts'

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
  server = await listen(contextOf({ store: diskStore(root, () => clock) }), '127.0.0.1', 0)
})
afterEach(() => server.close())

const ask = (path: string, headers: Record<string, string> = {}) => request(`${server.url}${path}`, { headers })

describe('encodings', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['identity', null],
    ['', null],
    ['gzip;q=0', null],
  ])('accepting "%s" gives %s', (accepted, coding) => expect(codingFor(accepted)).toBe(coding))

  it('are what they say, each with a tag of its own', async () => {
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

it.each(['//evil.example/api/mkt', '/api/mkt/../../../etc/passwd', '/api/mkt/%', '/api/mkt/\\..\\x', '*'])(
  'survives the address %s',
  async (address) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.end(`GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text).toMatch(/^HTTP\/1\.1 40[04] /)
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
  await expect(listen(contextOf(), '127.0.0.1', port)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use: stop what listens`,
  )
})
