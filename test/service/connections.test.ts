import { once } from 'node:events'
import { type Server, type ServerResponse, createServer } from 'node:http'
import { type Socket, connect } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { handleConnections } from '../../src/service/connections.ts'

const MOST = 20
const LIMITS = { headersTimeout: 300, requestTimeout: 300, connectionsCheckingInterval: 50 }
const REFUSAL = 'HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno'

let server: Server
let port: number
let sockets: Socket[]
/** Answers under way, in the order they began, where the test ends them by hand. */
let held: ServerResponse[]
let atOnce: number
/** The most answers begun in one turn of the event loop. */
let inTurn: number

beforeEach(async () => {
  sockets = []
  held = []
  atOnce = 0
  inTurn = 0
  let [underWay, begun] = [0, 0]
  server = createServer(LIMITS)
  const answer: Parameters<typeof handleConnections>[2] = async (incoming, outgoing) => {
    atOnce = Math.max(atOnce, ++underWay)
    outgoing.once('finish', () => underWay--)
    inTurn = Math.max(inTurn, ++begun)
    setImmediate(() => (begun = 0))
    if (incoming.url === '/held') held.push(outgoing)
    else if (incoming.url === '/now') outgoing.end()
    else if (incoming.method === 'POST') incoming.on('end', () => outgoing.end()).resume()
    else setImmediate(() => outgoing.end(incoming.url))
  }
  handleConnections(server, MOST, answer, async () => REFUSAL)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

const connections = () => promisify(server.getConnections.bind(server))()

async function sender(bytes: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  sockets.push(socket)
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

async function received(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

it('lets go of clients that send no HTTP, half a request, half a body or nothing, and never close', async () => {
  const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf'
  const kinds = ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\n', half, '']
  const clients = kinds.flatMap((bytes) => Array.from({ length: MOST / kinds.length }, () => sender(bytes)))
  for (const client of await Promise.all(clients)) client.resume()
  await expect.poll(connections).toBe(0)
})

it('lets go of a client that sends no HTTP and reads nothing', async () => {
  await Promise.all(Array.from({ length: 10 }, () => sender('nonsense\r\n\r\n')))
  await expect.poll(connections).toBe(0)
})

it('answers a new client while silent ones hold every connection', async () => {
  for (let count = 0; count < 3 * MOST; count++) await sender('GET / HTTP/1.1\r\n')
  expect(await (await fetch(`http://127.0.0.1:${port}/honest`)).text()).toBe('/honest')
  expect(await connections()).toBeLessThanOrEqual(MOST + 1)
})

it('answers requests sent ahead in their order, one at a time', async () => {
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`)
  const client = await sender(
    paths.map(get).join('') + get('/last').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
  )
  const bodies = [...(await received(client)).matchAll(/\r\n\r\n(?:\d+\r\n)?(\/[a-z\d]+)/g)].map(([, body]) => body)
  expect(bodies).toEqual([...paths, '/last'])
  expect(atOnce).toBe(1)
})

it('gives others their turn between two answers that it has at once', async () => {
  const client = await sender(get('/now').repeat(50) + get('/now').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  expect((await received(client)).match(/HTTP\/1.1 200/g)).toHaveLength(51)
  expect(inTurn).toBeLessThanOrEqual(2)
})

it('answers a hundred requests sent ahead and closes, however many follow', async () => {
  const client = await sender(Array.from({ length: 2000 }, (_, index) => get(`/${index}`)).join(''))
  const text = await received(client)
  expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(101)
  expect(text.match(/connection: close/gi)).toHaveLength(1)
})

it('answers earlier requests before it refuses bytes that are not HTTP', async () => {
  const client = await sender(`${get('/held')}nonsense\r\n\r\n`)
  const text = received(client)
  await expect.poll(() => held.length).toBe(1)
  held[0]?.end('first')
  expect(await text).toMatch(/^HTTP\/1.1 200 OK[^]*first[^]*HTTP\/1.1 400 Bad Request[^]*no$/)
})
