import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type EndpointSpec,
  type Key,
  queryParameters,
  urlOf,
  exampleKey,
} from '../../src/core/contract/endpoint-spec.ts'
import { answered } from '../../src/core/endpoints/table.ts'
import { QueueError } from '../../src/requests/queue.ts'
import { folderReader } from '../../src/core/tree/reader.ts'
import type { Context } from '../../src/service/context.ts'
import { ask, contextOf, intakeOf, memoryQueue, recordOf } from '../service/world.ts'
import { copyChangedSampleTree, newFolder } from '../sample-tree.ts'
import { Document, contentOf, operationFor, responseOf, validatorFor } from './document.ts'

const ID = 'abcdefgh12345678'
const root = newFolder()
const read = folderReader(root)
let document: Document
let check: ReturnType<typeof validatorFor>

beforeAll(async () => {
  await copyChangedSampleTree(root)
  document = Document.parse(JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')))
  check = validatorFor(document)
})

const site = (given: Partial<Context> = {}): Context => {
  const queue = memoryQueue()
  queue.records.set(ID, recordOf(ID))
  return contextOf({ read, intake: intakeOf({ queue }), report: () => {}, ...given })
}
const broken = (error: Error): Partial<Context> => {
  const fail = () => Promise.reject(error)
  return {
    read: fail,
    intake: intakeOf({ queue: { add: fail, get: fail, list: fail, update: fail } }),
  }
}
const renamed = JSON.stringify({ slug: 'old-coin', replaced_by: 'bitcoin' })

const keyOf = (spec: EndpointSpec): Key =>
  exampleKey(spec) ?? { day: '2026-11-20', year: '2026', exchange: 'sample-a', category: 'stablecoin', request_id: ID }
const post = (body: unknown, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'content-type': type },
})

async function* reads(spec: EndpointSpec): AsyncGenerator<Response> {
  const key = keyOf(spec)
  const address = urlOf(spec, key)
  const found = await ask(address, {}, site())
  const etag = found.headers.get('etag') ?? ''
  yield found
  yield ask(address, { headers: { 'if-none-match': etag } }, site())
  yield ask(`${address.split('?')[0]}?vs_currency=eur`, {}, site())
  for (const [name] of queryParameters(spec)) yield ask(`${address.split('?')[0]}?${name}=x`, {}, site())
  const last = spec.path.split('/:').at(-1)?.split('/')[0]
  if (spec.path.includes(':')) yield ask(urlOf(spec, { ...key, [last ?? '']: 'no-such-thing' }), {}, site())
  const bare: Partial<Context> = { read: async (file) => (file === 'api/mkt.json' ? read(file) : null) }
  if (spec.path !== '') yield ask(address, {}, site(bare))
  if ('slug' in key) {
    const moved: Partial<Context> = { read: async (file) => (file === 'renamed/old-coin.json' ? renamed : null) }
    yield ask(urlOf(spec, { ...key, slug: 'old-coin' }), {}, site(moved))
  }
  if ('chain' in key) yield ask(urlOf(spec, { ...key, chain: 1 }), {}, site())
  yield ask(address, { method: 'DELETE' }, site())
  yield ask(address, {}, site(broken(new Error('broken'))))
  yield ask(address, {}, site(broken(new QueueError('away'))))
  yield ask(address, {}, site({ read: async () => null }))
}

async function* writes(spec: EndpointSpec): AsyncGenerator<Response> {
  const address = urlOf(spec, {})
  const least = spec.takes?.example ?? {}
  const context = site()
  for (let time = 0; time < 11; time++)
    yield ask(address, post({ name: `Grove ${time}`, symbol: 'G', website: 'https://g.example' }), context)
  yield ask(address, post(least), site())
  yield ask(address, post('{'), site())
  yield ask(address, post('a'.repeat(20_000)), site())
  yield ask(address, post(least, 'text/plain'), site())
  yield ask(address, post({}), site())
  yield ask(address, { method: 'DELETE' }, site())
  yield ask(address, post(least), site(broken(new Error('broken'))))
  yield ask(address, post(least), site(broken(new QueueError('away'))))
}

const EXPOSED = /^(etag|last-modified|cache-control|location|allow|retry-after|access-control-allow-origin)$/
/** Told where it is known how long to wait. */
const OPTIONAL = new Set(['Retry-After'])

describe.each(answered.map((spec) => [spec.method, spec.path, spec] as const))('%s %s', (_, __, spec) => {
  it('is answered with the described statuses, headers and bodies, and all of them', async () => {
    const operation = operationFor(document, spec)
    const seen = new Set<string>()
    for await (const response of spec.method === 'GET' ? reads(spec) : writes(spec)) {
      const status = String(response.status)
      const described = responseOf(document, operation, status)
      expect(described, `${response.url} ${status}`).toBeDefined()
      seen.add(status)
      const names = Object.keys(described?.headers ?? {})
      const sent = [...response.headers.keys()].filter((name) => EXPOSED.test(name))
      expect(names.map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(sent))
      const missing = names.filter((name) => !OPTIONAL.has(name) && !response.headers.has(name))
      expect(missing, status).toEqual([])
      const text = await response.text()
      const schema = contentOf(document, operation, status)
      expect(text === '', status).toBe(schema === null)
      if (schema !== null) expect(check(schema)(JSON.parse(text)), status).toBeNull()
    }
    expect([...seen].toSorted()).toEqual(Object.keys(operation.responses).toSorted())
  })
})
