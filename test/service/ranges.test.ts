import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rangeIn, rangedResponse } from '../../src/service/http.ts'

const BYTES = 100
const NOON = 'Fri, 20 Nov 2026 12:00:00 GMT'
const headers = { 'content-type': 'application/octet-stream', etag: '"a"', 'last-modified': NOON }

const ask = async (given: Record<string, string>, method = 'GET') => {
  const request = new Request('http://host/a.zip', { method, headers: given })
  const answer = rangedResponse(request, BYTES, headers, (_, length) => 'x'.repeat(length))
  return { status: answer.status, range: answer.headers.get('content-range'), length: (await answer.text()).length }
}

describe('a range', () => {
  it('lies in the file, whatever is asked for', () =>
    fc.assert(
      fc.property(
        fc.option(fc.nat(300)),
        fc.option(fc.nat(300)),
        fc.integer({ min: 0, max: 200 }),
        (first, last, bytes) => {
          const range = rangeIn(`bytes=${first ?? ''}-${last ?? ''}`, bytes)
          const all = Array.from({ length: bytes }, (_, at) => at)
          const wanted =
            first === null ? all.slice(Math.max(bytes - (last ?? 0), 0)) : all.slice(first, (last ?? bytes) + 1)
          const isIgnored = (first === null && last === null) || (first !== null && last !== null && last < first)
          if (isIgnored) expect(range).toBe(null)
          else if (wanted.length === 0) expect(range).toBe('unsatisfiable')
          else expect(range).toEqual({ from: wanted[0], length: wanted.length })
        },
      ),
    ))

  it.each([
    'bytes=0-1,4-5',
    'items=0-1',
    'bytes 0-1',
    'bytes=a-b',
    'bytes=-',
    'bytes=--1',
    `bytes=${'9'.repeat(400)}-`,
  ])('is ignored if it is not one range of bytes: %s', (header) => expect(rangeIn(header, 100)).toBe(null))
})

describe('a file with ranges', () => {
  it.each([
    [{ range: 'bytes=0-1' }, 206, 'bytes 0-1/100', 2],
    [{ range: 'bytes=98-' }, 206, 'bytes 98-99/100', 2],
    [{ range: 'bytes=100-' }, 416, 'bytes */100', 0],
    [{}, 200, null, 100],
    [{ range: 'bytes=0-1', 'if-range': '"a"' }, 206, 'bytes 0-1/100', 2],
    [{ range: 'bytes=0-1', 'if-range': NOON }, 206, 'bytes 0-1/100', 2],
    [{ range: 'bytes=0-1', 'if-range': '"b"' }, 200, null, 100],
    [{ range: 'bytes=0-1', 'if-range': 'W/"a"' }, 200, null, 100],
    [{ range: 'bytes=0-1', 'if-range': 'Sat, 21 Nov 2026 12:00:00 GMT' }, 200, null, 100],
    [{ range: 'bytes=0-1', 'if-none-match': '"a"' }, 304, null, 0],
    [{ range: 'bytes=0-1', 'if-match': '"b"' }, 412, null, 0],
  ] as const)('answers %j with %i', async (given, status, range, length) => {
    const answer = await ask(given)
    expect([answer.status, answer.range, answer.length]).toEqual([status, range, length])
  })

  it('has no ranges for HEAD', async () => {
    expect(await ask({ range: 'bytes=0-1' }, 'HEAD')).toEqual({ status: 200, range: null, length: 0 })
  })
})
