import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { Receipt, RequestRow, RequestsMembers } from '../../src/core/contract/listing-request.ts'
import { bound, d1Queue } from '../../src/requests/d1-queue.ts'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import type { Queue } from '../../src/requests/queue.ts'
import { HONEYPOT } from '../../src/core/contract/site-files.ts'
import { listen } from '../../src/service/node.ts'
import { hasTools, miniflare as workerd } from '../tools.ts'
import { workerOver } from './worker.ts'
import { newFolder, copySampleTree } from '../sample-tree.ts'
import { intakeOf, onDisk } from './world.ts'

/** A host that runs: its address, and how it ends. */
interface Running {
  readonly url: string
  readonly end: () => Promise<unknown>
}

const root = newFolder()
const report = (error: unknown) => {
  throw error
}

const overNode = async (queue: Queue, end: () => Promise<unknown> = async () => null): Promise<Running> => {
  const intake = intakeOf({ queue })
  const context = onDisk(root, () => performance.now(), { intake, proxies: 1, now: Date.now, report })
  const server = await listen(context, '127.0.0.1', 0)
  return { url: server.url, end: () => Promise.all([server.close(), end()]) }
}

const HOSTS: readonly (readonly [string, () => Promise<Running>])[] = [
  ['Node with a folder', () => overNode(openFolderQueue(newFolder()))],
  [
    'Node with D1',
    async () => {
      const script = 'export default { fetch: () => new Response() }'
      const { Miniflare } = await workerd()
      const miniflare = new Miniflare({ modules: true, script, d1Databases: ['REQUESTS'], cf: false })
      const database = await miniflare.getD1Database('REQUESTS')
      return overNode(d1Queue(bound(database), report), () => miniflare.dispose())
    },
  ],
  [
    'the Worker in workerd, with D1',
    async () => {
      const { url, miniflare } = await workerOver(root)
      return { url, end: () => miniflare.dispose() }
    },
  ],
]

beforeAll(async () => {
  await copySampleTree(root)
})

const PATH = '/api/mkt/listing-requests'
const good = {
  name: 'Grove Coin',
  symbol: 'GROVE',
  website: 'https://grove.example',
  contact_email: 'me@grove.example',
}

describe.each(hasTools ? HOSTS : HOSTS.slice(0, 1))('listing requests over %s', (_, start) => {
  let host: Running
  let senders = 0
  let from: Record<string, string>
  beforeAll(async () => {
    host = await start()
  })
  afterAll(() => host.end())
  beforeEach(() => {
    const address = `192.0.2.${++senders}`
    from = { 'x-forwarded-for': address, 'cf-connecting-ip': address }
  })
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(host.url + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...from, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const receiptOf = async (response: Response) => z.object({ request: Receipt }).parse(await response.json()).request
  const errorOf = async (response: Response) => ErrorAnswer.parse(await response.json()).error
  const state = async () => z.object(RequestsMembers).parse(await (await fetch(host.url + PATH)).json())

  it('accepts one once, and shows its state without private fields', async () => {
    const first = await post({ ...good, colour: 'green' })
    expect([first.status, first.headers.get('access-control-allow-origin')]).toEqual([202, '*'])
    const receipt = await receiptOf(first)
    expect(receipt).toMatchObject({ status: 'pending', ignored: ['colour'], duplicate_of: null })
    expect(first.headers.get('location')).toBe(`${PATH}/${receipt.request_id}`)
    expect(await receiptOf(await post(good))).toEqual({ ...receipt, ignored: [] })

    const answer = await fetch(host.url + receipt.status_endpoint)
    const text = await answer.text()
    expect(text).not.toMatch(/grove/i)
    expect(z.object({ request: RequestRow }).parse(JSON.parse(text)).request).toMatchObject({
      request_id: receipt.request_id,
      status: 'pending',
      name: null,
    })
    expect((await state()).rows.map(({ request_id }) => request_id)).toContain(receipt.request_id)
  })

  it('names the open request or the listing that another one repeats, and none that only looks alike', async () => {
    const { request_id } = await receiptOf(await post({ ...good, name: 'Twice', symbol: 'TWICE' }))
    const second = await receiptOf(await post({ ...good, name: 'Twice', symbol: 'TWICE', description: 'Again' }))
    expect(second).toMatchObject({ duplicate_of: request_id, warnings: [expect.stringContaining(request_id)] })
    const same = await receiptOf(await post({ ...good, name: 'bitcoin', symbol: 'btc' }))
    expect(same).toMatchObject({ duplicate_of: 'bitcoin', warnings: [expect.stringContaining('bitcoin')] })
    const alike = await receiptOf(await post({ ...good, name: 'Bitсoin', symbol: 'BTC' }))
    expect(alike).toMatchObject({ duplicate_of: null, warnings: [] })
  })

  it.each([
    [415, 'unsupported_media_type', good, { 'content-type': 'text/plain' }],
    [413, 'payload_too_large', { ...good, description: 'x'.repeat(17_000) }, {}],
    [400, 'invalid_json', '{"name":', {}],
    [422, 'invalid_request', { name: '', symbol: '\u202e', website: 'http://grove.example' }, {}],
  ])('answers %i %s', async (status, code, body, headers) => {
    const response = await post(body, headers)
    expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'no-store'])
    expect(await errorOf(response)).toMatchObject({ code, status })
  })

  it('lists all faults at once', async () => {
    const { issues } = await errorOf(await post({ name: '', symbol: '\u202e', website: 'http://grove.example' }))
    expect(issues?.map(({ path }) => path).toSorted()).toEqual(['name', 'symbol', 'website'])
  })

  it('accepts ten in a day, and says when the next is possible', async () => {
    const sent = []
    for (let number = 0; number < 11; number++) sent.push(await post({ ...good, name: `Number ${number}` }))
    expect(sent.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 202), 429])
    expect(Number(sent[10]?.headers.get('retry-after'))).toBeGreaterThan(86_000)
  })

  it('answers who fills in what people do not see, and keeps nothing', async () => {
    const before = (await state()).count
    const receipt = await receiptOf(await post({ ...good, name: 'Robot', [HONEYPOT]: '555' }))
    expect((await state()).count).toBe(before)
    expect((await fetch(host.url + receipt.status_endpoint)).status).toBe(404)
  })

  it('lets a page on another origin send one', async () => {
    const response = await fetch(host.url + PATH, {
      method: 'OPTIONS',
      headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
    })
    expect([response.status, response.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, POST, OPTIONS',
    ])
    expect(response.headers.get('access-control-allow-headers')).toMatch(/Content-Type/)
  })

  it('answers 405 to other methods, and 404 to an invalid request', async () => {
    const refused = await fetch(host.url + PATH, { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
    expect((await fetch(`${host.url}${PATH}/no-such-request`)).status).toBe(404)
  })
})
