import { expect, it } from 'vitest'
import type * as z from 'zod'
import { SourceError } from '../../src/core/sources/source-error.ts'
import type { Http, Source } from '../../src/core/sources/source.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { bodiesOf } from '../faults/market.ts'
import { NOON } from '../sample-tree.ts'
import { nothingMore, observe } from './replies.ts'

const venues = liveSources({}).filter(({ type }) => type === 'exchange')
const bodies = await bodiesOf(venues, NOON)
const pathOf = (request: string): string => request.split('?')[0] ?? ''

/** A venue of the made-up market whose lists that change seldom are away. */
const withoutLists = ({ host, slow = [] }: Source): Http => ({
  async json<Body extends z.ZodType>(path: string, schema: Body) {
    const body = slow.some((list) => list.path === path) ? undefined : bodies.get(host + pathOf(path))
    if (body === undefined) throw new SourceError('source_unreachable', 'away')
    return schema.parse(body)
  },
})

it.each(venues)('$id keeps its markets where the lists that explain them cannot be had', async (venue) => {
  const observed = [...(await venue.observe(withoutLists(venue), nothingMore))]
  const missing = observed.filter((row) => row.kind === 'skipped' && row.reason.endsWith(': away'))
  expect(observed.filter(({ kind }) => kind === 'quote').length).toBeGreaterThan(30)
  expect(missing.length).toBeGreaterThanOrEqual(venue.slow?.length ?? 0)
  expect(observed.length - missing.length).toBe(observed.filter(({ kind }) => kind === 'quote').length)
})

const list = (id: string, path: string) => ({ id, path })
const BITFINEX = list('bitfinex', '/v2/tickers?symbols=ALL')
const BYBIT = list('bybit', '/v5/market/tickers?category=spot')
const COINEX = list('coinex', '/v2/spot/ticker')
const KRAKEN = list('kraken', '/0/public/Ticker')
const LBANK = list('lbank', '/v2/ticker/24hr.do?symbol=all')

it.each([
  [BITFINEX, ['error', 11010, 'ratelimit: error'], 'source_rate_limited'],
  [BITFINEX, ['error', 20060, 'maintenance'], 'source_invalid'],
  [list('bithumb', '/v1/market/all?isDetails=true'), { error: { name: 400, message: '' } }, 'source_invalid'],
  [list('bitstamp', '/api/v2/ticker/'), { error: 'down' }, 'source_invalid'],
  [BYBIT, { retCode: 10006, retMsg: '', result: {} }, 'source_rate_limited'],
  [BYBIT, { retCode: 10001, retMsg: '', result: {} }, 'source_invalid'],
  [BYBIT, { retCode: 0, retMsg: '', result: {} }, 'source_invalid'],
  [list('coinbase', '/products/stats'), undefined, 'source_invalid'],
  [COINEX, { code: 4213, data: {}, message: '' }, 'source_rate_limited'],
  [COINEX, { code: 3008, data: {}, message: '' }, 'source_invalid'],
  [list('cryptocom', '/exchange/v1/public/get-tickers'), { code: 40004, result: { data: [] } }, 'source_invalid'],
  [list('htx', '/market/tickers'), { status: 'error', 'err-code': 'invalid-parameter', data: [] }, 'source_invalid'],
  [KRAKEN, { error: ['EGeneral:Too many requests'] }, 'source_rate_limited'],
  [KRAKEN, { error: ['EAPI:Rate limit exceeded'] }, 'source_rate_limited'],
  [KRAKEN, { error: ['EService:Unavailable'] }, 'source_invalid'],
  [KRAKEN, { error: [] }, 'source_invalid'],
  [list('kucoin', '/api/v1/market/allTickers'), { code: '429000', data: { ticker: [] } }, 'source_invalid'],
  [LBANK, { result: 'false', data: [] }, 'source_invalid'],
  [LBANK, { result: 'false', error_code: 10_004 }, 'source_rate_limited'],
  [list('okx', '/api/v5/market/tickers?instType=SPOT'), { code: '50011', data: [] }, 'source_invalid'],
])('$0.id refuses with %j in a 200, which is %s', async ({ id, path }, body, code) => {
  const venue = venues.find((one) => one.id === id)
  await expect(venue && observe(venue, { [path]: body })).rejects.toMatchObject({ code })
})
