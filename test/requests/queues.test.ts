import { readdirSync, writeFileSync } from 'node:fs'
import { type Server, type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Sql, d1Queue, overApi } from '../../src/requests/d1-queue.ts'
import { openFolderQueue } from '../../scripts/open-queue.ts'
import { type Queue, QueueError } from '../../src/requests/queue.ts'
import { hostOf } from '../client/hosts.ts'
import { newFolder } from '../sample-tree.ts'
import { recordOf } from '../service/world.ts'
import { scaled } from '../scale.ts'
import { type Workerd, hasTools, miniflare as workerd } from '../tools.ts'

/** A kind of queue: a new empty one, further ones on the same place, and damage to a record there. */
interface Kind {
  readonly name: string
  readonly empty: () => Promise<void>
  readonly open: () => Queue
  readonly damage: (id: string) => Promise<unknown>
}

const reported: unknown[] = []
const report = (error: unknown) => void reported.push(error)

let miniflare: Workerd
let cloudflare: Server
let api = ''
let folder = ''

const WORKER = `export default {
  async fetch(request, { REQUESTS }) {
    const { sql, params } = await request.json()
    try {
      return Response.json((await REQUESTS.prepare(sql).bind(...params).all()).results)
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  },
}`
const TOKEN = 'd1-token'
const Query = z.object({ sql: z.string(), params: z.array(z.union([z.string(), z.number()])) })

beforeAll(async () => {
  if (!hasTools) return
  const { Miniflare } = await workerd()
  miniflare = new Miniflare({
    modules: true,
    script: WORKER,
    d1Databases: ['REQUESTS'],
    cf: false,
  })
  // The part of Cloudflare's API, in front of the same database.
  cloudflare = createServer((request, response) => {
    void text(request).then(async (body) => {
      response.setHeader('content-type', 'application/json')
      const known = request.headers.authorization === `Bearer ${TOKEN}`
      if (!known || request.url !== '/accounts/an-account/d1/database/a-database/query') {
        response.statusCode = known ? 404 : 403
        response.end(JSON.stringify({ success: false, errors: [{ code: 10000, message: 'Authentication error' }] }))
        return
      }
      const { sql, params } = Query.parse(JSON.parse(body))
      const results = await inWorker(sql, params)
      response.end(JSON.stringify({ success: true, errors: [], result: [{ success: true, results, meta: {} }] }))
    })
  })
  await new Promise<void>((resolve) => cloudflare.listen(0, '127.0.0.1', resolve))
  const address = cloudflare.address()
  api = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : ''
})
afterAll(async () => {
  if (hasTools) await Promise.all([miniflare.dispose(), new Promise((resolve) => cloudflare.close(resolve))])
})
beforeEach(() => {
  reported.length = 0
})

/** Statements run in the Worker. A binding in this process waits for each call with the whole thread, and loses answers under load. */
const inWorker: Sql = async (sql, params) => {
  const response = await miniflare.dispatchFetch('http://worker.example/', {
    method: 'POST',
    body: JSON.stringify({ sql, params }),
  })
  if (!response.ok) throw new Error(await response.text())
  return z.array(z.unknown()).parse(await response.json())
}
const overHttp = (token: string): Sql => overApi({ api, account: 'an-account', database: 'a-database', token }, fetch)

const dropped = async () => {
  await inWorker('DROP TABLE IF EXISTS listing_requests', [])
}
const broken = (id: string) => inWorker("UPDATE listing_requests SET record = '{' WHERE request_id = ?", [id])

const ALL: readonly Kind[] = [
  {
    name: 'a folder',
    empty: async () => {
      folder = join(newFolder(), 'queue')
    },
    open: () => openFolderQueue(folder, report),
    damage: async (id) => {
      for (const file of readdirSync(folder)) if (file.startsWith(id)) writeFileSync(join(folder, file), '{')
    },
  },
  { name: 'D1 in a Worker', empty: dropped, open: () => d1Queue(inWorker, report), damage: broken },
  { name: "D1 over Cloudflare's API", empty: dropped, open: () => d1Queue(overHttp(TOKEN), report), damage: broken },
]

/** Cloudflare's API asks the same database as the Worker. */
const KINDS = scaled(
  ALL.filter(({ name }) => name !== 'D1 in a Worker'),
  ALL,
)

describe.each(hasTools ? KINDS : KINDS.slice(0, 1))('a queue in $name', ({ empty, open, damage }) => {
  beforeEach(empty)

  it('has nothing in it before the first request', async () => {
    expect(await open().list()).toEqual([])
    expect(await open().get('request-1')).toBeNull()
  })

  it('returns what was stored, in any script and length', async () => {
    const record = { ...recordOf('request-1', '数字 “Ünïcode” 🌲'), reason: 'x'.repeat(15_000) }
    expect(await open().add(record)).toEqual(record)
    expect(await open().get('request-1')).toEqual(record)
    expect(await open().list()).toEqual([record])
  })

  it('keeps every request of many added at once by several', async () => {
    const ids = Array.from({ length: 12 }, (_, number) => `request-${number}`)
    await Promise.all(ids.map((id) => open().add(recordOf(id))))
    expect((await open().list()).map(({ request_id }) => request_id).toSorted()).toEqual(ids.toSorted())
  })

  it('keeps the first of two with one name', async () => {
    const [a, b] = await Promise.all([open().add(recordOf('same-name', 'A')), open().add(recordOf('same-name', 'B'))])
    expect(a).toEqual(b)
    expect(await open().list()).toEqual([a])
  })

  it('loses no change of several made at once', async () => {
    await open().add(recordOf('request-1'))
    const numbers = Array.from({ length: 9 }, (_, number) => String(number))
    await Promise.all(
      numbers.map((number) =>
        open().update('request-1', (before) => ({ ...before, reason: `${before.reason ?? ''}${number}` })),
      ),
    )
    expect([...((await open().get('request-1'))?.reason ?? '')].toSorted()).toEqual(numbers)
  })

  it('shows one what another changed', async () => {
    const [one, other] = [open(), open()]
    await one.add(recordOf('request-1'))
    await one.list()
    await other.update('request-1', (before) => ({ ...before, status: 'needs_info' }))
    expect(await one.list()).toMatchObject([{ status: 'needs_info' }])
    expect(await one.get('request-1')).toMatchObject({ status: 'needs_info' })
  })

  it('has nothing to change where there is no request', async () =>
    expect(await open().update('request-1', (before) => before)).toBeNull())

  it('deletes for null, and no change beside it brings the request back', async () => {
    await open().add(recordOf('request-1'))
    await open().add(recordOf('request-2'))
    const change = () => open().update('request-1', (before) => ({ ...before, reason: 'x' }))
    await Promise.all([change(), open().update('request-1', () => null), change()])
    expect(await open().get('request-1')).toBeNull()
    expect(await change()).toBeNull()
    expect(await open().list()).toEqual([recordOf('request-2')])
  })

  it('skips a damaged record, names it, and keeps it once it is sent again', async () => {
    await open().add(recordOf('request-1'))
    await open().add(recordOf('request-2'))
    await damage('request-2')
    expect(await open().list()).toEqual([recordOf('request-1')])
    expect(String(reported[0])).toContain('request-2')
    expect(await open().update('request-2', (before) => ({ ...before, reason: 'x' }))).toBeNull()
    expect(await open().add(recordOf('request-2'))).toEqual(recordOf('request-2'))
    expect(await open().list()).toHaveLength(2)
  })
})

it.each<readonly [string, typeof fetch]>([
  ['is offline', () => Promise.reject(new TypeError('fetch failed'))],
  ['answers with a page', () => Promise.resolve(new Response('<html>', { status: 502 }))],
  ['answers with null', () => Promise.resolve(new Response('null', { status: 200 }))],
  [
    'refuses a statement',
    () =>
      Promise.resolve(
        Response.json({ success: false, errors: [{ code: 7500, message: 'no such table' }] }, { status: 400 }),
      ),
  ],
])("says what to do when Cloudflare's API %s", async (_, ask) => {
  const address = { api: 'https://api.example', account: 'a', database: 'b', token: TOKEN }
  const failure = await d1Queue(overApi(address, ask), report)
    .list()
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(QueueError)
  expect(String(failure)).toMatch(/Check /)
})

it.each([
  ['never answers', () => {}],
  [
    'stops in its answer',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"success":true'),
  ],
] satisfies [string, (response: ServerResponse) => void][])(
  "does not wait for Cloudflare's API if it %s",
  async (_, hang) => {
    const host = await hostOf((__, response) => hang(response))
    const sql = overApi({ api: host.url, account: 'a', database: 'b', token: TOKEN }, fetch, 50)
    const failure = await d1Queue(sql, report)
      .list()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(QueueError)
    expect(String(failure)).toContain('cannot be reached. Check the network')
    await host.close()
  },
)

it("gives the reason of Cloudflare's API, which has no result then, in one line", async () => {
  const message = `no database\n${'x'.repeat(5000)}`
  const body = { success: false, errors: [{ code: 7404, message }], messages: [], result: null }
  const address = { api: 'https://api.example', account: 'a', database: 'b', token: TOKEN }
  const failure = await d1Queue(
    overApi(address, async () => Response.json(body, { status: 404 })),
    report,
  )
    .list()
    .catch((error: unknown) => error)
  expect(String(failure)).toMatch(/answered 404: no database\\nx{100,300}…\. Check account/)
})

it.skipIf(!hasTools)("says what to do when Cloudflare's API refuses, without the token", async () => {
  const failure = await d1Queue(overHttp('wrong-token'), report)
    .list()
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(QueueError)
  expect(String(failure)).toContain('403: Authentication error')
  expect(String(failure)).not.toContain('wrong-token')
})
