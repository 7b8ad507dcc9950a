import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ErrorAnswer } from '../../src/contract/error.ts'
import { senderLimiter } from '../../src/service/listing-requests.ts'
import type { Context } from '../../src/service/service.ts'
import { ask, contextOf, memoryQueue } from './world.ts'

const PATH = '/api/mkt/listing-requests'
const good = {
  name: 'Naïve Coin 币',
  symbol: 'NAIVE',
  website: 'https://naive.example',
  contact_email: 'me@naive.example',
  note: 'private',
}
const post = (body: BodyInit, headers: Record<string, string> = {}, context?: Context) =>
  ask(PATH, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }, context)
const withQueue = () => {
  const queue = memoryQueue()
  return { queue, context: contextOf({ desk: { queue, wait: async () => 0 } }) }
}

describe('an accepted request', () => {
  it('is kept once and answered 202 with its name', async () => {
    const { queue, context } = withQueue()
    const response = await post(JSON.stringify({ ...good, favourite_colour: 'blue' }), {}, context)
    expect(response.status).toBe(202)
    expect(response.headers.get('location')).toBe(PATH)
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

  it('with a used Idempotency-Key and another body is refused', async () => {
    const { queue, context } = withQueue()
    await post(JSON.stringify(good), { 'idempotency-key': 'k' }, context)
    const response = await post(JSON.stringify({ ...good, symbol: 'OTHER' }), { 'idempotency-key': 'k' }, context)
    expect(response.status).toBe(422)
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

describe('a refused request', () => {
  it.each([
    ['is no JSON', '{', {}, 400, 'invalid_json'],
    ['is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, 'invalid_json'],
    ['is not called JSON', JSON.stringify(good), { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['is too large', JSON.stringify({ ...good, note: 'x'.repeat(20_000) }), {}, 413, 'payload_too_large'],
    ['is a list', '[]', {}, 422, 'invalid_request'],
    ['is null', 'null', {}, 422, 'invalid_request'],
    ['has an http link', JSON.stringify({ ...good, website: 'http://a.example' }), {}, 422, 'invalid_request'],
    ['has a script link', JSON.stringify({ ...good, logo_url: 'javascript:alert(1)' }), {}, 422, 'invalid_request'],
    ['turns text around', JSON.stringify({ ...good, name: 'a\u202eb' }), {}, 422, 'invalid_request'],
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

  it('is told when to come back after too many', async () => {
    const response = await post(
      JSON.stringify(good),
      {},
      contextOf({ desk: { queue: memoryQueue(), wait: async () => 42 } }),
    )
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '42'])
  })
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

describe('the limit of a sender', () => {
  it('lets five an hour and twenty a day through', async () => {
    let now = 0
    const wait = senderLimiter(() => now)
    const tries = async (count: number) => {
      let passed = 0
      for (let index = 0; index < count; index++) if ((await wait('a')) === 0) passed++
      return passed
    }
    expect(await tries(8)).toBe(5)
    expect(await wait('a')).toBe(3600)
    expect(await wait('b')).toBe(0)
    let day = 5
    for (let hour = 1; hour < 10; hour++) {
      now += 3_600_001
      day += await tries(8)
    }
    expect(day).toBe(20)
  })
})
