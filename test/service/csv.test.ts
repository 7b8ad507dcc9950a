import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prefersCsv } from '../../src/service/http.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { print } from '../../src/core/contract/text.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { AT, ask, contextOf, onDisk } from './world.ts'

describe('an Accept header', () => {
  it.each([
    ['', false],
    ['*/*', false],
    ['text/csv', true],
    ['TEXT/CSV; header=present', true],
    ['text/*', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['text/csv, application/json', false],
    ['text/csv;q=0.9, application/json', false],
    ['text/csv, application/json;q=0.9', true],
    ['text/csv, */*;q=0.1', true],
    ['application/json;q=0, */*', true],
    ['text/csv;q=0, */*', false],
    ['text/csv;q=0', false],
    ['text/csvx', false],
  ])('%s prefers CSV: %s', (accept, csv) => expect(prefersCsv(accept)).toBe(csv))

  it('decides by the weights alone, in any order', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 10 }), fc.boolean(), (a, b, first) => {
        const parts = [`text/csv;q=${a / 10}`, `application/json;q=${b / 10}`]
        expect(prefersCsv((first ? parts : parts.toReversed()).join(', '))).toBe(a > b)
      }),
    ))
})

const close = {
  close_usd: 0.00000012,
  open_usd: 1,
  high_usd: 1,
  low_usd: 1,
  volume_24h_usd: null,
  market_cap_usd: 5,
  runs: 3,
}
const day = print({
  ok: true,
  product: 'Quotetree',
  endpoint: 'closes-of-day',
  timestamp: AT,
  sourceStatus: 'ok',
  sourceError: null,
  count: 2,
  rows: [
    { slug: 'bitcoin', ...close, rights: 'open' },
    { slug: 'x', ...close, rights: '=cmd|"a", b' },
  ],
})
const documents: Readonly<Record<string, string>> = { 'api/mkt.json': '{}', 'api/mkt/closes/2026-11-19.json': day }
const read = async (file: string) => documents[file] ?? null
const got = (path: string, headers: Record<string, string> = {}) =>
  ask(`/api/mkt${path}`, { headers }, contextOf({ read }))

describe('the closes of a day as CSV', () => {
  it('have a header, a line per listing, empty cells for unknown values and no formula', async () => {
    const answer = await got('/closes/2026-11-19?format=csv')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect((await answer.text()).split('\r\n')).toEqual([
      'slug,close_usd,open_usd,high_usd,low_usd,volume_24h_usd,market_cap_usd,runs,rights',
      'bitcoin,0.00000012,1,1,1,,5,3,open',
      `x,0.00000012,1,1,1,,5,3,"'=cmd|""a"", b"`,
      '',
    ])
  })

  it('are JSON where the URL says so, whatever is accepted', async () => {
    for (const path of ['/closes/2026-11-19?format=json', '/closes/2026-11-19.json'])
      expect(await (await got(path, { accept: 'text/csv' })).text()).toBe(day)
    expect(
      (await got('/closes/2026-11-19?format=csv', { accept: 'application/json' })).headers.get('content-type'),
    ).toBe('text/csv; charset=utf-8')
  })

  it('that do not exist are an error in JSON', async () => {
    const answer = await got('/closes/2026-11-18?format=csv')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
  })
})

it('a list that has no format refuses it, and says where CSV is', async () => {
  const answer = await ask('/api/mkt/assets?format=csv')
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('/assets.csv')
  expect((await ask('/api/mkt/assets?format=json')).status).toBe(200)
})

it('CSV has an address of its own where there is CSV, and nowhere else', async () => {
  const [own, chosen] = [await got('/closes/2026-11-19.csv'), await got('/closes/2026-11-19?format=csv')]
  expect(own.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(await own.text()).toBe(await chosen.text())
  for (const path of ['/gainers.csv', '/assets/bitcoin.csv', '/closes/2026-11-19.csv.json'])
    expect((await got(path)).status, path).toBe(404)
})

describe('a server', () => {
  const root = newFolder()
  let server: Listening
  beforeAll(async () => {
    await copySampleTree(root)
    server = await listen(
      onDisk(root, () => performance.now()),
      '127.0.0.1',
      0,
    )
  })
  afterAll(() => server.close())

  it('answers some listings as CSV, also in another currency', async () => {
    const linesOf = async (query: string) => {
      const answer = await fetch(`${server.url}/api/mkt/assets.csv${query}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
      return (await answer.text()).split('\r\n')
    }
    const all = await linesOf('')
    const rowOf = (slug: string) => all.find((line) => line.startsWith(`${slug},`))
    expect(await linesOf('?ids=ethereum,bitcoin')).toEqual([all[0], rowOf('bitcoin'), rowOf('ethereum'), ''])
    expect(await linesOf('?limit=3')).toEqual([...all.slice(0, 4), ''])
    expect((await linesOf('?ids=bitcoin&vs=EUR'))[0]).toBe(`${all[0]},price,market_cap,volume_24h`)
    expect((await fetch(`${server.url}/api/mkt/assets.csv?page=2`)).status).toBe(400)
  })

  it('answers the days of a listing as a row each, with the date', async () => {
    const { data, from } = await fetch(`${server.url}/api/mkt/daily/bitcoin`)
      .then((answer) => answer.json())
      .then(({ columns, from: first }) => ({ data: columns, from: first }))
    const answer = await fetch(`${server.url}/api/mkt/daily/bitcoin.csv`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, first = '', ...others] = (await answer.text()).trimEnd().split('\r\n')
    expect(head).toMatch(/^date,close_usd,open_usd/)
    expect(first.split(',').slice(0, 2)).toEqual([from, String(data.close_usd[0])])
    expect(others).toHaveLength(data.close_usd.length - 1)
  })

  it('keeps the two formats of one URL apart, compressed or not', async () => {
    const url = `${server.url}/api/mkt/history/bitcoin?days=30`
    const [json, csv] = ['application/json', 'text/csv']
    for (const coding of ['identity', 'gzip', 'br'])
      for (const accept of [json, csv, json, csv]) {
        const answer = await fetch(url, { headers: { accept, 'accept-encoding': coding } })
        expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`)
        expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding')
        expect((await answer.text()).startsWith(accept === csv ? 'timestamp,price_usd' : '{"ok":true')).toBe(true)
        const etag = answer.headers.get('etag') ?? ''
        const headers = { 'accept-encoding': coding, 'if-none-match': etag }
        expect((await fetch(url, { headers: { ...headers, accept } })).status).toBe(304)
        expect((await fetch(url, { headers: { ...headers, accept: accept === csv ? json : csv } })).status).toBe(200)
      }
  })
})
