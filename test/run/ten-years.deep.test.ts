import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAILY, Daily, dailyFile } from '../../src/contract/daily.ts'
import { type Days, gridOf } from '../../src/contract/history.ts'
import { print } from '../../src/contract/text.ts'
import { DAY_MS, dayOf } from '../../src/contract/time.ts'
import { lastFinalDay } from '../../src/history/daily-plan.ts'
import { extendedDaily, knownDaily } from '../../src/history/extended-daily.ts'
import { timestampOf, windowOf } from '../../src/history/grid.ts'
import type { LastSeries } from '../../src/history/last-series.ts'
import { fetchPastPrices } from '../../src/history/past-prices.ts'
import { ration } from '../../src/run/quotas.ts'
import { binance } from '../../src/sources/binance.ts'
import { bitstamp } from '../../src/sources/bitstamp.ts'
import { connect } from '../../src/sources/http.ts'
import type { Source } from '../../src/sources/source.ts'
import { entryOf, feedFrom, quoteOf, registryOf, reportOf } from '../feed/world.ts'
import { newFolder } from '../sample-tree.ts'

const BEGIN = Date.UTC(2026, 10, 20, 0, 10)
const CADENCE_MS = 30 * 60_000
const RUNS = 144
const HISTORY = { perRun: 120, perSource: 15 }
/** The largest is Bitcoin, with ten years; the others have four. The first hundred trade at both venues. */
const SLUGS = ['bitcoin', ...Array.from({ length: 499 }, (_, at) => `asset-${at + 2}`)]
const QUOTA = { requests: 400, per: 'day', evidence: 'https://docs.example/limits', list: () => 1 } as const
const SOURCES: readonly Source[] = [binance, { ...bitstamp, quota: QUOTA }]

const symbolOf = (slug: string): string => slug.replace(/\W/g, '').toUpperCase()
const firstDay = (slug: string): number => lastFinalDay(BEGIN) - (slug === 'bitcoin' ? 3652 : 1460) * DAY_MS

const closeOn = (slug: string, day: number): number => {
  const [at, seed] = [day / DAY_MS, SLUGS.indexOf(slug) + 1]
  const noise = (Math.sin(at * 12.9898 + seed * 78.233) * 43_758.5453) % 1
  return Number((Math.exp(Math.sin(at / 97 + seed) + 0.03 * noise) * (30_000 / seed)).toPrecision(7))
}
/** What both venues report of a day: open, high, low and close; null where there was no trade, as on a day in 300. */
function truthOn(slug: string, day: number): readonly [number, number, number, number] | null {
  if (day < firstDay(slug) || (day / DAY_MS + SLUGS.indexOf(slug)) % 300 === 7) return null
  const [open, close] = [closeOn(slug, day - DAY_MS), closeOn(slug, day)]
  const [high, low] = [Math.max(open, close) * 1.02, Math.min(open, close) * 0.98]
  return [open, Number(high.toPrecision(7)), Number(low.toPrecision(7)), close]
}

let now = BEGIN
const asked = new Map<string, number>()
const bySymbol = new Map(SLUGS.map((slug) => [symbolOf(slug), slug]))

/** Answers as the venues do: the bars of a range, the open one too, as numbers or texts, and at one of them from the newest on, twice. */
const server = createServer(({ url: path = '' }, response) => {
  const { pathname, searchParams: query } = new URL(path, 'http://lab')
  const [, host = ''] = pathname.split('/')
  const isBinance = host === binance.host
  asked.set(host, (asked.get(host) ?? 0) + 1)
  const market = isBinance ? query.get('symbol') : (/\/ohlc\/(\w+)\//.exec(pathname)?.[1] ?? '').toUpperCase()
  const slug = bySymbol.get((market ?? '').replace(/USD$/, '')) ?? ''
  const [from, to] = isBinance
    ? [Number(query.get('startTime')), Number(query.get('endTime'))]
    : [Number(query.get('start')) * 1000, Number(query.get('end')) * 1000]
  const days = Array.from({ length: 1000 }, (_, at) => from + at * DAY_MS).filter((day) => day <= Math.min(to, now))
  const bars = days.flatMap((day) => {
    const bar = truthOn(slug, day)
    return bar ? [{ day, bar }] : []
  })
  const klines = bars.map(({ day, bar: [open, high, low, close] }) => {
    return [day, `${open}`, `${high}`, `${low}`, `${close}`, '10.5', day + DAY_MS - 1, `${10.5 * close}`]
  })
  const ohlc = [...bars, ...bars.slice(0, 3)].toReversed().map(({ day, bar: [open, high, low, close] }) => {
    return {
      timestamp: `${day / 1000}`,
      open: `${open}`,
      high: `${high}`,
      low: `${low}`,
      close: `${close}`,
      volume: '3',
    }
  })
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(isBinance ? klines : { data: { pair: market, ohlc } }))
})
let upstream = new URL('http://127.0.0.1')
beforeAll(async () => {
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const address = server.address()
  if (typeof address === 'object' && address) upstream = new URL(`http://127.0.0.1:${address.port}`)
})
afterAll(() => server.close())

/** Sources with a clock that moves only when they wait. */
function rationAt(root: string) {
  let clock = 0
  return ration(
    { sources: SOURCES, now, cadenceMs: CADENCE_MS },
    {
      root,
      connect: (source) =>
        connect(source, {
          upstream,
          userAgent: 'test/1',
          deadline: { at: 600_000, signal: new AbortController().signal },
          now: () => clock,
          random: () => 0.5,
          pause: async (ms) => (clock += ms),
        }),
    },
    { listings: null, history: HISTORY },
  )
}

const feed = () => {
  const quotes = (slugs: readonly string[], volume: number) =>
    slugs.map((slug) => {
      const own = { market: `${symbolOf(slug)}USD`, volume_24h_base: volume }
      return quoteOf(`${symbolOf(slug)}/USD`, closeOn(slug, BEGIN), own)
    })
  const registry = registryOf(
    ...SLUGS.map((slug) => {
      const symbol = symbolOf(slug)
      return entryOf(slug, { symbol, exchange_symbols: { binance: symbol, bitstamp: symbol } })
    }),
  )
  const reports = [
    reportOf(binance, { quotes: quotes(SLUGS, 100) }),
    reportOf(bitstamp, { quotes: quotes(SLUGS.slice(0, 100), 90) }),
  ]
  const made = feedFrom(reports, { registry, now: BEGIN })
  const listed = made.snapshot.listed.map(({ asset, ...rest }) => {
    return { ...rest, asset: { ...asset, market_cap_rank: SLUGS.indexOf(asset.slug) + 1 } }
  })
  const bySlug = new Map(listed.map((listing) => [listing.asset.slug, listing]))
  return { ...made, snapshot: { ...made.snapshot, listed, bySlug } }
}

it('reads ten years of Bitcoin and four of 499 others from two venues within three days of half hours', async () => {
  const [root, world, grid] = [newFolder(), feed(), gridOf(CADENCE_MS)]
  expect(world.snapshot.listed).toHaveLength(SLUGS.length)
  const texts = new Map<string, string>()
  const read = (file: string) => texts.get(file) ?? null
  const last = { read, head: (file: string) => (read(file) ?? '').slice(0, 4096) }
  // Nothing else is missing, so that all requests are for daily bars.
  const series: LastSeries = {
    read: () => null,
    head: (_slug: string, days: Days) =>
      print({ ok: true, to: timestampOf(windowOf(days, grid[days], now).to), missing: 0, count: 0, rows: [] }),
  }
  const perRun: number[] = []
  const perDay = new Map<string, number>()
  let lastRun = 0
  for (let run = 0; run < RUNS; run++) {
    now = BEGIN + run * CADENCE_MS
    asked.clear()
    const own = rationAt(root)
    const published = { files: [...texts.keys()], last, bySlug: world.snapshot.bySlug }
    const prices = await fetchPastPrices({
      feed: world,
      sources: own.sources,
      connect: own.connect,
      last: series,
      knownDaily: knownDaily(published),
      budget: own.history,
      grid,
      now,
    })
    own.save()
    expect(prices.failures).toEqual([])
    const daily = extendedDaily({ ...published, answers: prices.daily, series, now })
    expect(daily.held).toEqual([])
    for (const slug of prices.daily.keys()) texts.set(dailyFile(slug), print({ ok: true, ...daily.of(slug) }))
    const count = [...asked.values()].reduce((sum, one) => sum + one, 0)
    expect(prices.requests).toBe(count)
    perRun.push(count)
    if (count > 0) lastRun = run
    perDay.set(dayOf(now), (perDay.get(dayOf(now)) ?? 0) + (asked.get(bitstamp.host) ?? 0))
  }
  let [days, missing] = [0, 0]
  for (const slug of SLUGS) {
    const { from, to, columns, sources } = Daily.parse(JSON.parse(read(dailyFile(slug)) ?? ''))
    const first = [0, 1].map((later) => firstDay(slug) + later * DAY_MS).find((day) => truthOn(slug, day))
    expect([slug, from]).toEqual([slug, dayOf(first ?? 0)])
    expect(sources.every(({ complete }) => complete)).toBe(true)
    const { open_usd, high_usd, low_usd, close_usd } = columns
    const published = close_usd.map((close, at) => close && [open_usd[at], high_usd[at], low_usd[at], close])
    const expected = close_usd.map((_, at) => truthOn(slug, Date.parse(from ?? '') + at * DAY_MS))
    expect(published).toEqual(expected)
    expect((Date.parse(to ?? '') - lastFinalDay(BEGIN)) / DAY_MS).toBeGreaterThanOrEqual(-1)
    days += published.length
    missing += published.filter((bar) => bar === null).length
  }
  expect(Math.max(...perRun)).toBeLessThanOrEqual(DAILY.requests)
  expect(Math.max(...perDay.values())).toBeLessThanOrEqual(QUOTA.requests)
  const total = perRun.reduce((sum, one) => sum + one, 0)
  console.log(
    `${days} days of ${SLUGS.length} listings equal, ${missing} of them without trades; ${total} requests, at most ` +
      `${Math.max(...perRun)} a run, ${Math.max(...perDay.values())} a day at the venue with a quota; done after run ${lastRun + 1} of ${RUNS}`,
  )
})
