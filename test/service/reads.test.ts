import { describe, expect, it } from 'vitest'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { ask, contextOf, list, tree } from './world.ts'

describe('a document', () => {
  it.each([
    ['/api/mkt', 'api/mkt.json'],
    ['/api/mkt/', 'api/mkt.json'],
    ['/api/mkt.json', 'api/mkt.json'],
    ['/api/mkt/assets', 'api/mkt/assets.json'],
    ['/api/mkt/assets/', 'api/mkt/assets.json'],
    ['/api/mkt/assets.json', 'api/mkt/assets.json'],
    ['/api/mkt/assets?limit=3', 'api/mkt/assets/limit=3.json'],
    ['/api/mkt/assets/limit=3.json', 'api/mkt/assets/limit=3.json'],
    ['/api/mkt/assets?limit=500', 'api/mkt/assets.json'],
    ['/api/mkt/assets?utm_source=x&x=1&x=2', 'api/mkt/assets.json'],
    ['/api/mkt/assets?days=7', 'api/mkt/assets.json'],
    ['/api/mkt/assets.json?limit=3', 'api/mkt/assets/limit=3.json'],
    ['/api/mkt/assets/limit=3.json?x=1', 'api/mkt/assets/limit=3.json'],
    ['/api/mkt/%61ssets', 'api/mkt/assets.json'],
    ['/api/mkt/assets/bitcoin', 'api/mkt/assets/bitcoin.json'],
    ['/api/mkt/assets/bitcoin/markets', 'api/mkt/assets/bitcoin/markets.json'],
    ['/api/mkt/history/bitcoin', 'api/mkt/history/bitcoin/days=7.json'],
    ['/api/mkt/history/bitcoin?days=30', 'api/mkt/history/bitcoin/days=30.json'],
    ['/api/mkt/history/bitcoin/days=30.json', 'api/mkt/history/bitcoin/days=30.json'],
  ])('%s is %s', async (path, file) => {
    const response = await ask(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(tree[file])
  })

  it('is cut to any limit that has no file', async () => {
    expect(await (await ask('/api/mkt/assets?limit=5')).text()).toBe(list(5))
  })

  it('answers HEAD without a body', async () => {
    const [get, head] = [await ask('/api/mkt/assets?limit=5'), await ask('/api/mkt/assets?limit=5', { method: 'HEAD' })]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('etag')).toMatch(/^"[0-9a-f]{32}"$/)
    expect([...head.headers]).toEqual([...get.headers])
  })
})

describe('a chain', () => {
  it.each([
    ['/api/mkt/contracts/1', '/api/mkt/contracts/ethereum'],
    ['/api/mkt/contracts/ETH', '/api/mkt/contracts/ethereum'],
    ['/api/mkt/contracts/eth/0xAA', '/api/mkt/contracts/ethereum/0xaa'],
    ['/api/mkt/prices/eth', '/api/mkt/prices/ethereum'],
  ])('is found by its id and its other names: %s', async (path, location) => {
    const response = await ask(path)
    expect([response.status, response.headers.get('location')]).toEqual([308, location])
  })

  it('is found in any case, and not by a name that is in no list', async () => {
    expect((await ask('/api/mkt/contracts/Ethereum')).status).toBe(200)
    expect((await ask('/api/mkt/contracts/bsc')).status).toBe(404)
  })
})

describe('rows picked out of a document', () => {
  it.each([
    ['/api/mkt/contracts/ethereum/0xAA', false, ['bitcoin']],
    ['/api/mkt/contracts/ethereum/0xaa.json', false, ['bitcoin']],
    ['/api/mkt/contracts/ethereum/ibc/27', true, ['atom', 'osmo']],
  ])('are the answer of %s', async (path, ambiguous, slugs) => {
    expect(await (await ask(path)).json()).toMatchObject({
      ok: true,
      endpoint: 'contract',
      ambiguous,
      count: slugs.length,
      rows: slugs.map((slug) => ({ slug })),
    })
  })

  it('leave out members of the whole document', async () =>
    expect(Object.keys(Object(await (await ask('/api/mkt/contracts/ethereum/0xaa')).json()))).not.toContain('chain'))
})

describe('a refusal', () => {
  it.each([
    ['GET', '/api/mkt/assets?limit=0', 400, 'invalid_parameter', 'limit'],
    ['GET', '/api/mkt/assets?limit=07', 400, 'invalid_parameter', 'limit'],
    ['GET', '/api/mkt/assets?limit=', 400, 'invalid_parameter', 'limit'],
    ['GET', '/api/mkt/assets?limit=1&limit=1', 400, 'invalid_parameter', 'limit'],
    ['GET', '/api/mkt/assets/limit=x.json', 400, 'invalid_parameter', 'limit'],
    ['GET', '/api/mkt/markets/limit=3.json', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/colour=3.json', 404, 'not_found', null],
    ['GET', '/api/mkt/history/bitcoin?days=2', 400, 'invalid_parameter', 'days'],
    ['GET', '/api/mkt/assets/nosuch', 404, 'asset_not_found', 'slug'],
    ['GET', '/api/mkt/assets/No%20Such', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/NoSuch', 404, 'asset_not_found', 'slug'],
    ['GET', '/api/mkt/history/nosuch', 404, 'asset_not_found', 'slug'],
    ['GET', '/api/mkt/candles/nosuch', 404, 'not_found', 'slug'],
    ['GET', '/api/mkt/symbols/nosuch', 404, 'not_found', 'symbol'],
    ['GET', '/api/mkt/totals/category-nosuch', 404, 'not_found', 'group'],
    ['GET', '/api/mkt/symbols/$', 404, 'not_found', 'symbol'],
    ['GET', '/api/mkt/contracts/ethereum/0xbb', 404, 'not_found', 'address'],
    ['GET', '/api/mkt/contracts/nowhere/0xaa', 404, 'not_found', 'address'],
    ['GET', '/api/mkt/nothing', 404, 'not_found', null],
    ['GET', '/', 404, 'not_found', null],
    ['GET', '/api/mkt/%2e%2e/%2e%2e/etc/passwd', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/..%2f..%2fpackage', 404, 'not_found', null],
    ['GET', '/api/mkt/assets%00', 404, 'not_found', null],
    ['GET', '/api/mkt/%zz', 404, 'not_found', null],
    ['GET', '/api/mkt/%E0%A4%A', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/%5Cbitcoin', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/%C3%A9', 404, 'not_found', null],
    ['GET', '/api/mkt/assets///', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/bitcoin/markets/more', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/days=7.json', 404, 'not_found', null],
    ['GET', '/api/mkt/assets/limit=10/x', 404, 'not_found', null],
    ['GET', '/api/other/assets', 404, 'not_found', null],
    ['GET', '/api/mktassets', 404, 'not_found', null],
    ['OPTIONS', '/api/mkt/nothing', 404, 'not_found', null],
    ['POST', '/api/mkt/nothing', 404, 'not_found', null],
    ['DELETE', '/api/mkt/assets', 405, 'method_not_allowed', null],
    ['POST', '/api/mkt/assets', 405, 'method_not_allowed', null],
    ['PUT', '/api/mkt/listing-requests', 405, 'method_not_allowed', null],
  ])('%s %s is %d %s', async (method, path, status, code, parameter) => {
    const response = await ask(path, { method })
    const answer = ErrorAnswer.parse(await response.json())
    expect(response.status).toBe(status)
    expect(answer.error).toMatchObject({ code, status, parameter })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    })
  })

  it('lists the values that are allowed', async () => {
    const response = await ask('/api/mkt/history/bitcoin?days=07')
    expect(ErrorAnswer.parse(await response.json()).error.allowed).toEqual([1, 7, 30, 90, 365])
  })

  it('names the methods of the path', async () => {
    expect((await ask('/api/mkt/markets.csv', { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await ask('/api/mkt/listing-requests', { method: 'PUT' })).headers.get('allow')).toBe(
      'GET, HEAD, POST, OPTIONS',
    )
  })

  it('is 503 where nothing is published yet', async () => {
    const response = await ask('/api/mkt/assets', {}, contextOf({ read: async () => null }))
    expect([response.status, ErrorAnswer.parse(await response.json()).error.code]).toEqual([503, 'unavailable'])
  })

  it('is 500 if the disk fails, without details for the client', async () => {
    const reported: unknown[] = []
    const context = contextOf({
      read: () => Promise.reject(new Error('secret path')),
      report: (error) => reported.push(error),
    })
    const response = await ask('/api/mkt/assets', {}, context)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret path')
    expect(reported).toHaveLength(1)
  })
})

it('leads from a retired slug to its successor', async () => {
  const paths = ['/assets/old-coin', '/assets/old-coin/markets', '/history/old-coin?days=30']
  const answers = await Promise.all(paths.map((path) => ask(`/api/mkt${path}`)))
  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [308, '/api/mkt/assets/bitcoin'],
    [308, '/api/mkt/assets/bitcoin/markets'],
    [308, '/api/mkt/history/bitcoin?days=30'],
  ])
})

it('answers a preflight', async () => {
  const response = await ask('/api/mkt/listing-requests', { method: 'OPTIONS' })
  expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, OPTIONS')
  expect(response.headers.get('access-control-allow-headers')).toContain('Content-Type')
  expect((await ask('/api/mkt/assets', { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

describe('conditional requests', () => {
  const path = '/api/mkt/assets'
  const conditions = async (): Promise<[string, Record<string, string>, number][]> => {
    const etag = (await ask(path)).headers.get('etag') ?? ''
    const date = 'Fri, 20 Nov 2026 12:00:00 GMT'
    return [
      ['the tag', { 'if-none-match': etag }, 304],
      ['one of several tags', { 'if-none-match': `"a", W/${etag}` }, 304],
      ['any tag', { 'if-none-match': '*' }, 304],
      ['another tag', { 'if-none-match': '"other"' }, 200],
      ['the date', { 'if-modified-since': date }, 304],
      ['an earlier date', { 'if-modified-since': 'Fri, 20 Nov 2026 11:59:59 GMT' }, 200],
      ['no date', { 'if-modified-since': 'soon' }, 200],
      ['another tag, which counts before the date', { 'if-none-match': '"other"', 'if-modified-since': date }, 200],
    ]
  }

  it('are answered 304 when nothing changed', async () => {
    for (const [what, headers, status] of await conditions()) {
      const response = await ask(path, { headers })
      expect(response.status, what).toBe(status)
      expect(response.headers.get('etag'), what).toBeTruthy()
      expect(response.headers.get('access-control-allow-origin'), what).toBe('*')
      if (status === 304) expect(await response.text()).toBe('')
    }
  })
})
