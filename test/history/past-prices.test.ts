import { describe, expect, it } from 'vitest'
import { Daily, dailyFile } from '../../src/contract/daily.ts'
import { DAY_MS, INTERVAL_MS, dayOf } from '../../src/contract/time.ts'
import { DAYS, type Days, gridOf } from '../../src/contract/history.ts'
import type { PastRow } from '../../src/contract/observations.ts'
import { print } from '../../src/contract/text.ts'
import { lastFinalDay } from '../../src/history/daily-plan.ts'
import { extendedDaily, knownDaily } from '../../src/history/extended-daily.ts'
import { timestampOf, windowOf } from '../../src/history/grid.ts'
import { lastSeries } from '../../src/history/last-series.ts'
import { type PastRequest, fetchPastPrices } from '../../src/history/past-prices.ts'
import { type Candle, type CandleRequest, ONE_PRICE, type Source } from '../../src/sources/source.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import { NOW, entryOf, feedFrom, quoteOf, registryOf, reportOf, sourceOf } from '../feed/world.ts'

const GRID = gridOf(15 * 60_000)
const QUARTER = INTERVAL_MS['15m']

/** Documents of series without a gap, of which that of one day ends so many buckets ago. */
function treeThatEnds(bucketsAgo: number) {
  const text = (days: Days): string => {
    const length = INTERVAL_MS[GRID[days]]
    const { from, to, buckets } = windowOf(days, GRID[days], NOW - (days === 1 ? bucketsAgo * length : 0))
    const rows = Array.from({ length: buckets }, (_, bucket) => ({
      timestamp: timestampOf(from + bucket * length),
      price_usd: 100,
      volume_24h_usd: 1,
    }))
    const range = { from: timestampOf(from), to: timestampOf(to), missing: 0 }
    const head = { sourceStatus: 'ok', sourceError: null, slug: 'acme', days, interval: GRID[days], ...range }
    return print({ ...head, sourceLabel: 'test', replacedBy: null, count: rows.length, rows })
  }
  const documents = new Map(DAYS.map((days) => [`api/mkt/history/acme/days=${days}.json`, text(days)]))
  const read = (file: string) => documents.get(file) ?? null
  return lastSeries({ read, head: (file) => read(file)?.slice(0, 4096) ?? '' }, () => [])
}

/** A venue that trades ACME and says what it is asked for. */
function venueWith(answer: (ask: CandleRequest) => readonly Candle[]) {
  const asked: CandleRequest[] = []
  const source: Source = {
    ...sourceOf('venue'),
    candles: {
      intervals: ['15m', '1h', '4h', '1d'],
      most: 1000,
      async ask(_, ask) {
        asked.push(ask)
        return answer(ask)
      },
    },
  }
  return { asked, source }
}

const requestOf = (source: Source, given: Partial<PastRequest> = {}): PastRequest => ({
  feed: feedFrom([reportOf(source, { quotes: [quoteOf('ACME/USD', 100)] })], {
    registry: registryOf(entryOf('acme', { exchange_symbols: { venue: 'ACME' } })),
  }),
  sources: [source],
  connect: () => ({ json: () => Promise.reject(new Error('nobody is asked here')) }),
  last: treeThatEnds(0),
  budget: { perRun: 100, perSource: 100 },
  grid: GRID,
  now: NOW,
  ...given,
})

describe('past prices', () => {
  it('are not requested if nothing is missing', async () => {
    const { asked, source } = venueWith(() => [])
    // The bucket before the open one was filled by the last run.
    for (const ago of [0, 1])
      expect(await fetchPastPrices(requestOf(source, { last: treeThatEnds(ago) }))).toMatchObject({ requests: 0 })
    expect(asked).toEqual([])
  })

  it('of one source that contradict the price of the listing are held back, with the reason', async () => {
    const { source } = venueWith(({ from }) => [
      { at: from, ...ONE_PRICE, close: 73_000_000, volume_base: 1, volume_quote: 1 },
    ])
    const { backfills, failures } = await fetchPastPrices(requestOf(source, { last: treeThatEnds(2) }))
    expect(backfills.size).toBe(0)
    expect(failures).toEqual(['acme 1d: 1 of 1 bars of venue are held back: they contradict the prices after them'])
  })

  it('are requested only for a missed bucket', async () => {
    const { asked, source } = venueWith(({ from }) => [
      { at: from, ...ONE_PRICE, close: 101, volume_base: 1, volume_quote: 101 },
    ])
    const { backfills, requests, failures } = await fetchPastPrices(requestOf(source, { last: treeThatEnds(2) }))
    expect({ requests, failures }).toEqual({ requests: 1, failures: [] })
    expect(asked).toEqual([{ market: 'ACME/USD', interval: '15m', from: NOW - QUARTER, to: NOW - QUARTER }])
    expect(backfills.get('acme')).toMatchObject([
      { interval: '15m', points: { buckets: [NOW - QUARTER], prices_usd: [101] } },
    ])
  })

  it('are not requested if the run may make no request', async () => {
    const { asked, source } = venueWith(() => [])
    await fetchPastPrices(requestOf(source, { last: treeThatEnds(5), budget: { perRun: 0, perSource: 9 } }))
    expect(asked).toEqual([])
  })

  it('that cannot be had cost only themselves, and a source that keeps failing is given up', async () => {
    const { asked, source } = venueWith(() => {
      throw new SourceError('source_timeout', 'venue: no answer')
    })
    const nothing = lastSeries({ read: () => null, head: () => '' }, () => [])
    const { backfills, failures } = await fetchPastPrices(requestOf(source, { last: nothing }))
    expect([asked.length, failures.length, backfills.size]).toEqual([3, 3, 0])
    expect(failures[0]).toMatch(/^acme \d+d: venue: no answer$/)
  })

  it('of a source that fails now and then are all requested: three failures in a row end it', async () => {
    let count = 0
    const { asked, source } = venueWith(() => {
      if (++count % 3 === 0) return []
      throw new SourceError('source_timeout', 'venue: no answer')
    })
    const listings = ['acme', 'beta'].map((slug) => entryOf(slug, { exchange_symbols: { venue: slug.toUpperCase() } }))
    const quotes = ['ACME/USD', 'BETA/USD'].map((pair) => quoteOf(pair, 100))
    const feed = feedFrom([reportOf(source, { quotes })], { registry: registryOf(...listings) })
    const nothing = lastSeries({ read: () => null, head: () => '' }, () => [])
    const { failures } = await fetchPastPrices(requestOf(source, { feed, last: nothing }))
    expect([asked.length, failures.length]).toEqual([8, 6])
  })

  it('are not taken from a market whose price is an outlier', async () => {
    const { asked, source } = venueWith(() => [])
    const quotes = (price: number) => ({ quotes: [quoteOf('ACME/USD', price)] })
    const honest = ['a', 'b', 'c'].map((id) => reportOf(sourceOf(id), quotes(100)))
    const feed = feedFrom([...honest, reportOf(source, quotes(190))], {
      registry: registryOf(entryOf('acme', { exchange_symbols: { '*': 'ACME' } })),
    })
    expect(feed.snapshot.bySlug.get('acme')?.markets).toHaveLength(4)
    await fetchPastPrices(requestOf(source, { feed, last: treeThatEnds(5) }))
    expect(asked).toEqual([])
  })

  it('are the same whichever source answers first', async () => {
    const asked = ['a', 'b'].map((id): Source => ({ ...venueWith(() => []).source, id, label: id.toUpperCase() }))
    const feed = feedFrom(
      asked.map((source) => reportOf(source, { quotes: [quoteOf('ACME/USD', 100)] })),
      { registry: registryOf(entryOf('acme', { exchange_symbols: { '*': 'ACME' } })) },
    )
    const given = asked.map(({ id }, index): PastRow => {
      const market = { market: 'ACME/USD', quote: 'USD', interval: '15m', days: 1 } as const
      const at = NOW - 2 * QUARTER
      return { source_id: id, kind: 'past', slug: 'acme', ...market, bars: [[at, 100 + index, 1, null]] }
    })
    const resultOf = (given: readonly PastRow[]) =>
      fetchPastPrices({ ...requestOf(asked[0] ?? sourceOf('a'), { feed, given }), sources: asked })
    const [one, other] = [await resultOf(given), await resultOf(given.toReversed())]
    expect(one.backfills.get('acme')?.map(({ label }) => label)).toEqual(['A', 'B'])
    expect(other).toEqual(one)
  })

  it('reach back to the first day of a venue with ten years, every day as it was, whatever else the venue answers', async () => {
    const last = lastFinalDay(NOW)
    const first = last - 3652 * DAY_MS
    const closeOf = (day: number) => 100 + ((day / DAY_MS) % 89)
    const bar = (at: number, close = closeOf(at)): Candle => ({
      at,
      open: close,
      high: close + 1,
      low: close - 1,
      close,
      volume_base: 3,
      volume_quote: 3 * close,
    })
    const { asked, source } = venueWith(({ from, to }) => {
      const days = Array.from({ length: (to - from) / DAY_MS + 1 }, (_, at) => from + at * DAY_MS)
      const own = days.filter((day) => day >= first).map((day) => bar(day))
      // In the other order, twice, with a bar of another year and one that is still open.
      return [...own, ...own.slice(0, 3), bar(first - 9000 * DAY_MS, 5), bar(NOW - (NOW % DAY_MS), 7)].toReversed()
    })
    const { feed, ...request } = requestOf(source)
    const listed = feed.snapshot.listed.map((one) => ({ ...one, asset: { ...one.asset, market_cap_rank: 1 } }))
    const texts = new Map<string, string>()
    const tree = { read: (file: string) => texts.get(file) ?? null, head: (file: string) => texts.get(file) ?? '' }
    for (let run = 0; run < 6; run++) {
      const published = { files: [...texts.keys()], last: tree, bySlug: feed.snapshot.bySlug }
      const { daily } = await fetchPastPrices({
        ...request,
        feed: { ...feed, snapshot: { ...feed.snapshot, listed } },
        knownDaily: knownDaily(published),
      })
      const extended = extendedDaily({ ...published, answers: daily, series: treeThatEnds(0), now: NOW })
      expect(extended.held).toEqual([])
      texts.set(dailyFile('acme'), print({ ok: true, ...extended.of('acme') }))
    }
    const { from, to, missing, columns } = Daily.parse(JSON.parse(texts.get(dailyFile('acme')) ?? ''))
    expect({ from, to, missing }).toEqual({ from: dayOf(first), to: dayOf(last), missing: 0 })
    expect(columns.close_usd).toEqual(Array.from({ length: 3653 }, (_, at) => closeOf(first + at * DAY_MS)))
    // Once it has no more, it is not asked again.
    expect(asked.map((one) => (one.to - one.from) / DAY_MS + 1)).toEqual([1000, 1000, 1000, 1000])
  })
})
