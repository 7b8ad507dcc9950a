import { describe, expect, it, vi } from 'vitest'
import { HEAD, TRENDING, fine, listOf, netOf } from './net.ts'

const tagged = (etag: string, name = 'a') => fine(name, { [TRENDING]: { body: listOf(name), headers: { etag } } })
const tagsOf = (sent: readonly RequestInit[]) => sent.map(({ headers }) => new Headers(headers).get('if-none-match'))

describe('an answer that is kept', () => {
  it('is asked for only if it changed, and is the same object while it did not', async () => {
    const net = netOf({ a: tagged('"1"') })
    const first = await net.client.trending()
    const second = await net.client.trending()
    expect(tagsOf(net.sent)).toEqual([null, null, '"1"'])
    expect(second.data).toBe(first.data)
    net.hosts['a'] = tagged('"2"', 'other')
    expect(await net.client.trending()).toMatchObject({ data: { rows: [{ name: 'other' }] } })
    await net.client.trending()
    expect(tagsOf(net.sent).slice(-2)).toEqual(['"1"', '"2"'])
  })

  it('is not kept for invalid answers', async () => {
    const net = netOf({ a: fine('a', { [TRENDING]: { body: '<!doctype html>', headers: { etag: '"1"' } } }) })
    await expect(net.client.trending()).rejects.toThrow('not JSON')
    net.hosts['a'] = fine('a')
    expect(await net.client.trending()).toMatchObject({ data: { rows: [{ name: 'a' }] } })
    expect(tagsOf(net.sent)).not.toContain('"1"')
  })
})

it('counts an answer of more levels than any document has as no JSON', async () => {
  const levels = 10_000
  const body = `{"ok":true,"rows":${'['.repeat(levels)}${']'.repeat(levels)}}`
  const net = netOf({ a: fine('a', { [TRENDING]: { body } }) })
  await expect(net.client.trending()).rejects.toThrow('not JSON')
})

it('waits as long as requested, even without a limit', async () => {
  vi.useFakeTimers()
  try {
    const net = netOf({ a: () => 'silent' }, { timeoutMs: Infinity })
    const control = new AbortController()
    const call = net.client.trending({ signal: control.signal })
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(net.sent.map(({ signal }) => signal?.aborted)).toEqual([false, false])
    control.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  } finally {
    vi.useRealTimers()
  }
})

describe('equal calls at once', () => {
  it('are one request, and one again when they are over', async () => {
    const net = netOf({ a: fine('a') })
    const results = await Promise.all(Array.from({ length: 20 }, () => net.client.trending()))
    expect(new Set(results.map(({ data }) => data)).size).toBe(1)
    expect(net.asked.toSorted()).toEqual([`a${HEAD}`, `a${TRENDING}`])
    await net.client.trending()
    expect(net.asked).toHaveLength(3)
  })

  it('fail together, each with the reason', async () => {
    const net = netOf({ a: () => 'away' })
    const results = await Promise.allSettled([net.client.trending(), net.client.trending()])
    expect(results).toMatchObject([{ reason: { failures: [{ fault: 'unreachable' }] } }, { status: 'rejected' }])
    expect(net.news()).toEqual([`a${TRENDING}`])
  })
})

describe('a signal', () => {
  const reason = new Error('changed my mind')

  it('that was given before ends the call before anything is asked', async () => {
    const net = netOf({ a: fine('a') })
    await expect(net.client.trending({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(net.asked).toEqual([])
  })

  it('ends a call with its reason, and no other mirror is asked', async () => {
    const net = netOf({ a: () => 'silent', b: fine('b') })
    const control = new AbortController()
    const call = net.client.trending({ signal: control.signal })
    control.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(net.news()).toEqual([`a${TRENDING}`])
    // Nor is the mirror at fault.
    net.hosts['a'] = fine('a')
    expect(await net.client.trending()).toMatchObject({ mirror: 'https://a' })
  })

  it('ends only the call it was given to, and the request with the last', async () => {
    const net = netOf({ a: fine('a') })
    const [first, second] = [new AbortController(), new AbortController()]
    const one = net.client.trending({ signal: first.signal })
    const other = net.client.trending({ signal: second.signal })
    first.abort(reason)
    await expect(one).rejects.toBe(reason)
    expect(await other).toMatchObject({ mirror: 'https://a' })

    const silent = netOf({ a: () => 'silent' })
    const last = new AbortController()
    const call = silent.client.trending({ signal: last.signal })
    expect(silent.sent.map(({ signal }) => signal?.aborted)).toEqual([false, false])
    last.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(silent.sent.map(({ signal }) => signal?.aborted)).toEqual([true, true])
  })

  it('ends a body that is being sent', async () => {
    const net = netOf({ a: () => 'silent' })
    const control = new AbortController()
    const call = net.client.submitListingRequest({ name: 'A', symbol: 'A' }, { signal: control.signal })
    control.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(net.sent.map(({ method }) => method)).toEqual(['POST'])
  })
})
