import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { driftLines, driftOf } from '../../src/check/source-drift.ts'
import { collect } from '../../src/core/sources/collect.ts'
import { connect } from '../../src/core/sources/http.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { bodiesOf } from '../faults/market.ts'
import { nothingMore } from '../sources/replies.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const ASKED = ['binance', 'okx', 'bybit', 'kucoin', 'gate', 'mexc', 'bitget', 'whitebit']
const sources = liveSources({}).filter(({ id }) => ASKED.includes(id))
const LIST = 'api.bitget.com/api/v2/spot/market/tickers'
const Tickers = z.looseObject({ data: z.array(z.record(z.string(), z.string())) })

/** What the gateway answers in place of Bitget's list; null: the list itself. */
let inItsPlace: string | null = null
let list: z.infer<typeof Tickers> = { data: [] }
const server = createServer()

beforeAll(async () => {
  const bodies = await bodiesOf(sources, NOON)
  list = Tickers.parse(bodies.get(LIST))
  server.on('request', ({ url = '' }: { url?: string }, response) => {
    const [path = ''] = url.slice(1).split('?')
    const text = JSON.stringify(bodies.get(path) ?? {})
    response.end(path === LIST && inItsPlace !== null ? inItsPlace : text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

async function ask(asked: typeof sources) {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const connections: ReturnType<typeof connect>[] = []
  const reports = await collect(asked, {
    at: NOON,
    now: () => performance.now(),
    signal: new AbortController().signal,
    connect(source) {
      const connection = connect(source, {
        upstream: new URL(`http://127.0.0.1:${port}`),
        userAgent: 'test',
        deadline: { at: Infinity, signal: new AbortController().signal },
        now: () => performance.now(),
        random: () => 0,
        pause: async () => {},
      })
      connections.push(connection)
      return connection
    },
    wants: () => nothingMore,
  })
  await Promise.all(connections.map((connection) => connection.close()))
  return reports
}

let others: Awaited<ReturnType<typeof ask>> = []

async function drift() {
  if (others.length === 0) others = await ask(sources.filter(({ id }) => id !== 'bitget'))
  const reports = [...others, ...(await ask(sources.filter(({ id }) => id === 'bitget')))]
  return driftOf(reports, new Map([['bitget', list.data.length + 1]]), NOON)
}

const rowsAs = (changed: (row: Readonly<Record<string, string>>, index: number) => object) =>
  JSON.stringify({ ...list, data: list.data.map(changed) })

it('finds nothing at sources that answer as expected, and says so in a line each', async () => {
  inItsPlace = null
  const checks = await drift()
  expect(checks.flatMap((check) => check.drift)).toEqual([])
  expect(driftLines(checks)).toHaveLength(sources.length + 1)
  expect(driftLines(checks).at(-1)).toBe('8 sources asked, 0 not as expected')
  expect(checks.find(({ source_id }) => source_id === 'bitget')).toMatchObject({
    age_seconds: 0,
    price_bp: 0,
    change_factor: expect.closeTo(1),
    filled: { bid: 100, at: 100 },
  })
})

describe('a source that answers otherwise is named with what differs', () => {
  const away = (row: Readonly<Record<string, string>>, index: number, member: string) =>
    String(Number(row[member]) * (1 + ((index % 5) - 2) / 40))
  it.each([
    [
      'a renamed member',
      () => rowsAs(({ bidPr, ...row }) => ({ ...row, bidPrice: bidPr })),
      '0 % of the rows have bid',
    ],
    [
      'an opening price of another time',
      () => rowsAs((row) => ({ ...row, open: String(Number(row.lastPr) / 2) })),
      'its change of 24 hours is typically 100 times that of the others',
    ],
    [
      'seconds in place of milliseconds',
      () => rowsAs((row) => ({ ...row, ts: String(NOON / 1000) })),
      '0 % of the rows have at',
    ],
    ['an empty list', () => JSON.stringify({ ...list, data: [] }), 'bitget: nothing usable'],
    [
      'half a list',
      () => JSON.stringify({ ...list, data: list.data.slice(0, list.data.length / 2) }),
      /^\d+ rows instead of \d+$/,
    ],
    ['an HTML page', () => '<!doctype html><title>Just a moment...</title>', 'not JSON'],
    ['an error inside a 200', () => JSON.stringify({ code: '40001', msg: '', data: null }), '`code` is 40001'],
    [
      "yesterday's list with today's time",
      () => rowsAs((row, index) => ({ ...row, lastPr: away(row, index, 'lastPr') })),
      /^its prices are typically \d+ bp from those of the others$/,
    ],
  ])('%s', async (_, answer, expected) => {
    inItsPlace = answer()
    const found = (await drift()).filter((check) => check.drift.length > 0)
    expect(found).toMatchObject([
      {
        source_id: 'bitget',
        drift: [typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected)],
      },
    ])
  })
})
