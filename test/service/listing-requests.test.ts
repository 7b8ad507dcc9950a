import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { Receipt, RequestRow } from '../../src/core/contract/listing-request.ts'
import { MAX_OPEN_REQUESTS, QueueError } from '../../src/requests/queue.ts'
import { HONEYPOT } from '../../src/core/contract/site-files.ts'
import { REQUESTS_PER_DAY, networkOf } from '../../src/service/listing-requests.ts'
import type { Context } from '../../src/service/context.ts'
import { AT, ask, contextOf, intakeOf, memoryQueue, recordOf, serving, tree } from './world.ts'

const PATH = '/api/mkt/listing-requests'
const good = {
  name: 'Naïve Coin 币',
  symbol: 'NAIVE',
  website: 'https://naive.example',
  contact_email: 'me@naive.example',
  note: 'private',
}
const postOf = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
})
const post = (body: BodyInit, headers: Record<string, string> = {}, context?: Context) =>
  ask(PATH, postOf(body, headers), context)
const withQueue = () => {
  const queue = memoryQueue()
  return { queue, context: contextOf({ intake: intakeOf({ queue }) }) }
}
const receiptOf = async (response: Response) => z.object({ request: Receipt }).parse(await response.json()).request

describe('an accepted request', () => {
  it('is kept once and answered 202 with its name', async () => {
    const { queue, context } = withQueue()
    const response = await post(JSON.stringify({ ...good, favourite_colour: 'blue' }), {}, context)
    expect(response.status).toBe(202)
    expect(response.headers.get('location')).toMatch(/^\/api\/mkt\/listing-requests\/[0-9a-f]{24}$/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({
      ok: true,
      request: { status: 'pending', ignored: ['favourite_colour'] },
    })
    expect([...queue.records.values()]).toMatchObject([{ body: good }])
    expect(JSON.stringify([...queue.records.values()])).not.toContain('someone')
  })

  it('sent again gives the same answer and no second record', async () => {
    const { queue, context } = withQueue()
    const first = await (await post(JSON.stringify(good), {}, context)).text()
    const second = await (
      await post(JSON.stringify(Object.fromEntries(Object.entries(good).toReversed())), {}, context)
    ).text()
    expect(second).toBe(first)
    expect(queue.records.size).toBe(1)
  })

  it('names unknown members, also inside lists', async () => {
    const body = { ...good, __colour: 1, contracts: [{ chain: 'ethereum', address: '0x1', colour: 2 }] }
    expect((await receiptOf(await post(JSON.stringify(body)))).ignored.toSorted()).toEqual([
      '__colour',
      'contracts.0.colour',
    ])
  })

  it('names the unknown members of the body at hand, also of one that was sent before', async () => {
    const { context } = withQueue()
    const ignored = async (more: object) =>
      (await receiptOf(await post(JSON.stringify({ ...good, ...more }), {}, context))).ignored
    expect([await ignored({ red: 1 }), await ignored({ blue: 1 }), await ignored({})]).toEqual([['red'], ['blue'], []])
  })

  it('is shown at its own address, before a review without its name', async () => {
    const { queue, context } = withQueue()
    const location = (await post(JSON.stringify(good), {}, context)).headers.get('location') ?? ''
    const stateOf = async () =>
      z.object({ request: RequestRow.strict() }).parse(await (await ask(location, {}, context)).json()).request
    expect(await stateOf()).toMatchObject({ status: 'pending', name: null, symbol: null })
    await queue.update(location.split('/').at(-1) ?? '', (record) => ({ ...record, status: 'needs_info' }))
    expect(await stateOf()).toMatchObject({ status: 'needs_info', name: good.name })
    expect((await ask(`${location}0`, {}, context)).status).toBe(404)
  })

  it('names the open request that it duplicates', async () => {
    const { context } = withQueue()
    const contracts = [{ chain: 'ethereum', address: '0xAbc' }]
    const first = await receiptOf(await post(JSON.stringify({ ...good, contracts }), {}, context))
    const other = { name: 'Other', symbol: 'OTH', contracts: [{ chain: 'Ethereum', address: '0xabc' }] }
    const second = await receiptOf(await post(JSON.stringify(other), {}, context))
    expect([first.duplicate_of, second.duplicate_of, second.warnings.length]).toEqual([null, first.request_id, 1])
  })

  it('names the listing of its name and symbol, and none that only looks alike', async () => {
    const rows = [{ slug: 'bitcoin', symbol: 'BTC', name: 'Bitcoin' }]
    const read = async (file: string) =>
      file === 'api/mkt/assets.json' ? JSON.stringify({ rows }) : (tree[file] ?? null)
    const answerTo = async (name: string) =>
      receiptOf(await post(JSON.stringify({ ...good, symbol: 'btc', name }), {}, contextOf({ read })))
    expect(await answerTo('bitcoin')).toMatchObject({
      duplicate_of: 'bitcoin',
      warnings: ['It may be a duplicate of bitcoin.'],
    })
    expect(await answerTo('Bitc\u043ein')).toMatchObject({ duplicate_of: null, warnings: [] })
  })

  it('with the member that people never see is answered alike, and not kept', async () => {
    const { queue, context } = withQueue()
    const caught = await post(JSON.stringify({ ...good, [HONEYPOT]: '555' }), {}, context)
    expect([caught.status, queue.records.size]).toEqual([202, 0])
    const real = await post(JSON.stringify({ ...good, [HONEYPOT]: '' }), {}, context)
    expect(await real.text()).toBe(await caught.text())
    expect([...real.headers]).toEqual([...caught.headers])
    expect(queue.records.size).toBe(1)
  })

  it('shows in public without its name, its contact or its note', async () => {
    const { context } = withQueue()
    await post(JSON.stringify(good), {}, context)
    const text = await (await ask(PATH, {}, context)).text()
    expect(JSON.parse(text)).toMatchObject({ counts: { pending: 1 }, count: 1, rows: [{ name: null, symbol: null }] })
    expect(text).not.toMatch(/naive|NAIVE|private/i)
  })
})

it.each([
  [16 * 1024, 202],
  [16 * 1024 + 1, 413],
])('a body of %i bytes is answered %i', async (bytes, status) => {
  expect(
    (await post(JSON.stringify({ name: 'A', symbol: 'A', website: 'https://a.example' }).padEnd(bytes))).status,
  ).toBe(status)
})

describe('a refused request', () => {
  it('names every issue and every unknown member at once', async () => {
    const response = await post(
      JSON.stringify({ symbol: 'two words', colour: 1, description: 'y'.repeat(1001), [HONEYPOT]: '' }),
    )
    const { error } = ErrorAnswer.parse(await response.json())
    expect([response.status, error.ignored]).toEqual([422, ['colour']])
    expect(error.issues?.map(({ path }) => path).toSorted()).toEqual(['description', 'name', 'symbol', 'website'])
  })

  it.each([
    ['is no JSON', '{', {}, 400, 'invalid_json'],
    ['is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, 'invalid_json'],
    ['is not called JSON', JSON.stringify(good), { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['is too large', JSON.stringify({ ...good, note: 'x'.repeat(20_000) }), {}, 413, 'payload_too_large'],
    ['is compressed', JSON.stringify(good), { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['is a list', '[]', {}, 422, 'invalid_request'],
    ['is null', 'null', {}, 422, 'invalid_request'],
    ['has an http link', JSON.stringify({ ...good, website: 'http://a.example' }), {}, 422, 'invalid_request'],
    ['has a script link', JSON.stringify({ ...good, logo_url: 'javascript:alert(1)' }), {}, 422, 'invalid_request'],
    ['turns text around', JSON.stringify({ ...good, name: 'a\u202eb' }), {}, 422, 'invalid_request'],
    [
      'hides text in a link',
      JSON.stringify({ ...good, website: 'https://a.example/\u202e' }),
      {},
      422,
      'invalid_request',
    ],
    [
      'ends a link with NUL',
      JSON.stringify({ ...good, website: 'https://a.example/\u0000' }),
      {},
      422,
      'invalid_request',
    ],
    [
      'has half a character in a link',
      JSON.stringify({ ...good, website: 'https://a.example/\ud800' }),
      {},
      422,
      'invalid_request',
    ],
    ['has half a character', JSON.stringify({ ...good, name: 'a\ud800' }), {}, 422, 'invalid_request'],
    ['names nothing to look at', JSON.stringify({ name: 'A', symbol: 'A' }), {}, 422, 'invalid_request'],
  ])('that %s', async (_, body, headers, status, code) => {
    const { queue, context } = withQueue()
    const response = await post(body, headers, context)
    expect(response.status).toBe(status)
    expect(ErrorAnswer.parse(await response.json()).error.code).toBe(code)
    expect(queue.records.size).toBe(0)
  })

  it('hears of everything that is wrong at once', async () => {
    const response = await post(JSON.stringify({ symbol: '', website: 'ftp://a', contact_email: 'no' }))
    const { error } = ErrorAnswer.parse(await response.json())
    expect(error.issues?.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['name', 'symbol', 'website', 'contact_email']),
    )
  })
})

it('is answered 503 while the queue cannot be reached, and the state that was published is still shown', async () => {
  const away = () => Promise.reject(new QueueError('away'))
  const reported: unknown[] = []
  const context = contextOf({
    intake: intakeOf({ queue: { ...memoryQueue(), add: away, list: away } }),
    report: (error) => void reported.push(error),
  })
  const response = await post(JSON.stringify(good), {}, context)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
  expect(ErrorAnswer.parse(await response.json()).error.code).toBe('unavailable')
  expect((await ask(PATH, {}, context)).status).toBe(200)
  expect(reported).toHaveLength(2)
})

it('never fails on a body, whatever it holds', async () => {
  const { context } = withQueue()
  const body = fc.oneof(
    fc.json({ maxDepth: 6 }),
    fc.string(),
    fc.constant('{"__proto__":{"name":"x"},"constructor":1}'),
    fc.constant('['.repeat(8000)),
  )
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const { status } = await post(text, {}, context)
      expect(status === 202 || (status >= 400 && status < 500)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

describe('a sender', () => {
  const limited = () => {
    const clock = { now: Date.parse(AT) }
    const queue = memoryQueue()
    // As long as a disk takes, others may come between.
    const list = async () => {
      const records = await queue.list()
      await new Promise(setImmediate)
      return records
    }
    const service = serving(contextOf({ intake: intakeOf({ queue: { ...queue, list } }), now: () => clock.now }))
    const send = (number: number, sender?: string) =>
      service(PATH, postOf(JSON.stringify({ ...good, symbol: `S${number}` })), sender)
    return { clock, send }
  }

  it('gets a Retry-After after ten a day, however fast they come', async () => {
    const { clock, send } = limited()
    const answers = await Promise.all(Array.from({ length: REQUESTS_PER_DAY + 3 }, (_, number) => send(number)))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(REQUESTS_PER_DAY)
    const refused = answers.find(({ status }) => status === 429)
    expect(ErrorAnswer.parse(await refused?.json()).error.code).toBe('rate_limited')
    expect(Object.fromEntries(refused?.headers ?? [])).toMatchObject({
      'retry-after': '86400',
      'access-control-allow-origin': '*',
    })
    clock.now += 86_400_000
    expect((await send(99)).status).toBe(202)
  })

  it('does not wait for the request of another that the queue is slow to take', async () => {
    const { queue } = withQueue()
    let slow = true
    const list = () => (slow ? ((slow = false), new Promise<never>(() => {})) : queue.list())
    const service = serving(contextOf({ intake: intakeOf({ queue: { ...queue, list } }) }))
    const send = (sender: string) => service(PATH, postOf(JSON.stringify(good)), sender)
    void send('one')
    await expect.poll(() => slow).toBe(false)
    expect((await send('another')).status).toBe(202)
  })

  it('may repeat a request that was taken, and is not limited by what others send', async () => {
    const { send } = limited()
    for (let number = 0; number < REQUESTS_PER_DAY; number++) await send(number)
    expect([(await send(4)).status, (await send(99)).status]).toEqual([202, 429])
    expect((await send(4, 'another')).status).toBe(202)
  })
})

describe('an update or a delisting', () => {
  const rows = [
    { slug: 'bitcoin', symbol: 'BTC', name: 'Bitcoin', verification_status: 'verified' },
    { slug: 'atom', symbol: 'ATOM', name: 'Atom', verification_status: 'unverified' },
  ]
  const read = async (file: string) =>
    file === 'api/mkt/assets.json' ? JSON.stringify({ rows }) : (tree[file] ?? null)
  const send = (body: object) => post(JSON.stringify({ ...good, ...body }), {}, contextOf({ read }))

  it('needs the slug of a listing, and hears the nearest', async () => {
    const missing = await send({ request_type: 'update' })
    expect(ErrorAnswer.parse(await missing.json()).error.issues).toMatchObject([{ path: 'slug' }])
    const wrong = await send({ request_type: 'delist', slug: 'bitcoim' })
    expect(wrong.status).toBe(422)
    const { error } = ErrorAnswer.parse(await wrong.json())
    expect(error.message).toBe('No listing has the slug bitcoim. The nearest is bitcoin.')
    expect(error.issues).toEqual([{ path: 'slug', message: 'No listing has this slug. The nearest is bitcoin.' }])
    const former = await send({ request_type: 'update', slug: 'bit-coin' })
    expect(ErrorAnswer.parse(await former.json()).error.message).toMatch(/The nearest is bitcoin\.$/)
    expect((await send({ request_type: 'update', slug: 'bitcoin' })).status).toBe(202)
  })

  it('is no duplicate of its own listing; a new request for a contract is one of the listing that has it', async () => {
    const contracts = [{ chain: 'eth', address: '0xAA' }]
    const of = async (body: object) => (await receiptOf(await send({ ...body, contracts }))).duplicate_of
    expect(await of({})).toBe('bitcoin')
    expect(await of({ request_type: 'update', slug: 'bitcoin' })).toBeNull()
    expect(await of({ request_type: 'update', slug: 'atom' })).toBe('bitcoin')
  })
})

it('is told in plain words about each member that is wrong', async () => {
  const body = { name: '', symbol: 'bad symbol!!', website: 'http://acme.example', request_type: 'gift', markets: 'x' }
  const { error } = ErrorAnswer.parse(await (await post(JSON.stringify(body))).json())
  expect(error.issues).toEqual([
    { path: 'request_type', message: 'must be one of new, update, delist' },
    { path: 'name', message: 'must not be empty' },
    { path: 'symbol', message: 'must be one word, such as BTC' },
    { path: 'website', message: 'must be an address that begins with https://, without spaces or quotes' },
    { path: 'markets', message: 'must be a list' },
  ])
})

it('is refused with a time to come back while the queue is full, unless it was taken before', async () => {
  const { queue, context } = withQueue()
  await post(JSON.stringify(good), {}, context)
  for (let number = 1; number < MAX_OPEN_REQUESTS; number++)
    queue.records.set(`request-${number}`, recordOf(`request-${number}`, `Other ${number}`))
  const refused = await post(JSON.stringify({ ...good, symbol: 'ONEMORE' }), {}, context)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '3600'])
  expect(ErrorAnswer.parse(await refused.json()).error).toMatchObject({ code: 'unavailable' })
  expect((await post(JSON.stringify(good), {}, context)).status).toBe(202)
  expect(queue.records.size).toBe(MAX_OPEN_REQUESTS)
  expect(await (await ask(PATH, {}, context)).json()).toMatchObject({ state: 'full', count: MAX_OPEN_REQUESTS })
  queue.records.set('request-1', { ...recordOf('request-1'), status: 'rejected' })
  expect((await post(JSON.stringify({ ...good, symbol: 'ONEMORE' }), {}, context)).status).toBe(202)
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['2001:db8:7:1:2:3:4:5', '2001:db8:7:1'],
  ['2001:db8:7:1::5', '2001:db8:7:1'],
  ['2001:db8:7::5', '2001:db8:7'],
  ['2001:db8::1', '2001:db8'],
  ['2001:db8::2', '2001:db8'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['unknown', 'unknown'],
  ['', ''],
])('%s is of %s', (address, network) => expect(networkOf(address)).toBe(network))
