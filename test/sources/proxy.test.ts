import { createServer } from 'node:http'
import { type AddressInfo, type Socket, connect as dial } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { connect } from '../../src/core/sources/http.ts'
import type { HttpLimits } from '../../src/core/sources/request.ts'
import { unread } from '../../src/core/sources/source.ts'

/** A proxy on loopback that knows CONNECT alone, and an upstream behind it. */
const asked: string[] = []
let isSilent = false
const sockets = new Set<Socket>()
const upstream = createServer((request, response) => {
  response.end(request.url === '/api.acme.example/large' ? `"${'x'.repeat(5000)}"` : '{"ok":true}')
})
const proxy = createServer((_, response) => response.writeHead(405).end())
proxy.on('connect', ({ url = '' }, client: Socket) => {
  asked.push(url)
  sockets.add(client)
  if (isSilent) return
  const [host, port] = url.split(':')
  const server = dial(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    server.pipe(client).pipe(server)
  })
  sockets.add(server)
  for (const socket of [server, client]) socket.on('error', () => socket.destroy())
})
const portOf = (server: typeof proxy): number => {
  const address: AddressInfo | string | null = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

beforeAll(async () => {
  await Promise.all([upstream, proxy].map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of [upstream, proxy]) server.close()
})

const Any = z.unknown()
const facts = {
  id: 'acme',
  label: 'Acme',
  type: 'exchange',
  host: 'api.acme.example',
  pace: { requests: 1000, perSeconds: 1 },
  volume: { bytes: 1000, values: 1000 },
  rights: unread('https://acme.example/terms'),
} as const

function through(except = '', limits: Partial<HttpLimits> = {}) {
  return connect(facts, {
    upstream: new URL(`http://127.0.0.1:${portOf(upstream)}`),
    userAgent: 'test',
    deadline: { at: Infinity, signal: new AbortController().signal },
    now: () => performance.now(),
    random: () => 0,
    pause: () => Promise.resolve(),
    proxy: { url: `http://127.0.0.1:${portOf(proxy)}`, except },
    limits: { retries: 0, ...limits },
  })
}

it('asks a source through the proxy', async () => {
  const connection = through()
  expect(await connection.json('/x', Any)).toEqual({ ok: true })
  expect(asked).toEqual([`127.0.0.1:${portOf(upstream)}`])
  await connection.close()
})

it('asks hosts that are excepted directly', async () => {
  const connection = through('127.0.0.1')
  expect(await connection.json('/x', Any)).toEqual({ ok: true })
  expect(asked).toHaveLength(1)
  await connection.close()
})

it('keeps the limit of a body through the proxy', async () => {
  const connection = through()
  await expect(connection.json('/large', Any)).rejects.toMatchObject({ code: 'source_invalid' })
  await connection.close()
})

it('gives up on a proxy that says nothing, in the time of a request', async () => {
  isSilent = true
  const connection = through('', { headersMs: 200 })
  await expect(connection.json('/x', Any)).rejects.toMatchObject({ code: 'source_timeout' })
  await connection.close()
})
