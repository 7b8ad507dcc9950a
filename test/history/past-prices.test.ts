import { describe, expect, it } from 'vitest'
import { DAY_MS, INTERVAL_MS, dayOf } from '../../src/core/contract/time.ts'
import { DAYS, gridOf } from '../../src/core/contract/history.ts'
import type { PastRow } from '../../src/core/contract/observations.ts'
import { lastFinalDay } from '../../src/core/history/demands.ts'
import { dailyOf, extendDays } from '../../src/core/history/days.ts'
import { windowOf } from '../../src/core/history/grid.ts'
import { noPast, pointsOf } from '../../src/core/history/past.ts'
import { type PastRequest, fetchPastPrices } from '../../src/core/history/past-prices.ts'
import { type Candle, type CandleRequest, ONE_PRICE, type Source } from '../../src/core/sources/source.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { NOW, entryOf, feedFrom, quoteOf, registryOf, reportOf, sourceOf } from '../feed/world.ts'
import { Daily, clockAt } from './pasts.ts'

const GRID = gridOf(15 * 60_000)
const QUARTER = INTERVAL_MS['15m']

function pastThatEnds(bucketsAgo: number) {
  const past = noPast()
  for (const days of DAYS) {
    const { from, to } = windowOf(days, GRID[days], NOW - (days === 1 ? bucketsAgo * QUARTER : 0))
    for (let bucket = from; bucket <= to; bucket += INTERVAL_MS[GRID[days]])
      if (days >= 90) past.days.set('close_usd', bucket, 100)
      else pointsOf(past, GRID[days]).set('price_usd', bucket, 100)
  }
  return new Map([['acme', past]])
}

function venueWith(answer: (ask: CandleRequest) => readonly Candle[], id = 'venue') {
  const asked: CandleRequest[] = []
  const source: Source = {
    ...sourceOf(id),
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
  connect: () => ({ json: () => Promise.reject(new Error('nothing is requested here')) }),
  past: pastThatEnds(0),
  latest: NOW,
  hasBars: false,
  budget: { perRun: 100, most: () => 100, turn: 0 },
  grid: GRID,
  now: NOW,
  ...given,
})

describe('past prices', () => {
  it('are not requested if nothing is missing', async () => {
    const { asked, source } = venueWith(() => [])
    // The bucket before the open one was filled by the last run.
    for (const ago of [0, 1])
      expect(await fetchPastPrices(requestOf(source, { past: pastThatEnds(ago) }))).toMatchObject({ requests: 0 })
    expect(asked).toEqual([])
  })

  it('take as long as the pace of their source allows', async () => {
    const { source } = venueWith(() => [])
    const events: unknown[] = []
    const request = requestOf(source, { past: new Map(), tell: (event) => events.push(event) })
    const { requests } = await fetchPastPrices(request)
    expect(requests).toBeGreaterThan(1)
    expect(events[0]).toEqual({ kind: 'planned', requests, seconds: requests })
  })

  it('of one source that contradict the price of the listing are held back, with the reason', async () => {
    const { source } = venueWith(({ from }) => [
      { at: from, ...ONE_PRICE, close: 73_000_000, volume_base: 1, volume_quote: 1 },
    ])
    const { bySlug, failures } = await fetchPastPrices(requestOf(source, { past: pastThatEnds(2) }))
    expect(bySlug.get('acme')).toMatchObject([{ bars: new Float64Array() }])
    expect(failures).toEqual(['acme 1d: 1 of 1 bars of venue are held back: they contradict the prices after them'])
  })

  it('are requested only for a missed bucket', async () => {
    const { asked, source } = venueWith(({ from }) => [
      { at: from, ...ONE_PRICE, close: 101, volume_base: 1, volume_quote: 101 },
    ])
    const { bySlug, requests, failures } = await fetchPastPrices(requestOf(source, { past: pastThatEnds(2) }))
    expect({ requests, failures }).toEqual({ requests: 1, failures: [] })
    expect(asked).toEqual([{ market: 'ACME/USD', interval: '15m', from: NOW - QUARTER, to: NOW - QUARTER }])
    expect(bySlug.get('acme')).toMatchObject([{ interval: '15m', bars: Float64Array.of(NOW - QUARTER, 101) }])
  })

  it('are not requested if the run may make no request', async () => {
    const { asked, source } = venueWith(() => [])
    await fetchPastPrices(requestOf(source, { past: pastThatEnds(5), budget: { perRun: 0, most: () => 9, turn: 0 } }))
    expect(asked).toEqual([])
  })

  it('that cannot be had cost only themselves, and a source that keeps failing is given up', async () => {
    const { asked, source } = venueWith(() => {
      throw new SourceError('source_timeout', 'venue: no answer')
    })
    const { bySlug, failures } = await fetchPastPrices(requestOf(source, { past: new Map() }))
    expect([asked.length, failures.length, bySlug.size]).toEqual([3, 3, 0])
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
    const { failures } = await fetchPastPrices(requestOf(source, { feed, past: new Map() }))
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
    await fetchPastPrices(requestOf(source, { feed, past: pastThatEnds(5) }))
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
    expect(one.bySlug.get('acme')?.map(({ label }) => label)).toEqual(['A', 'B'])
    const read = ({ bySlug, ...more }: typeof one) => ({ ...more, bars: bySlug.get('acme')?.map(({ bars }) => bars) })
    expect(read(other)).toEqual(read(one))
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
    const past = noPast()
    const snapshot = { ...feed.snapshot, listed }
    const asking = { ...request, feed: { ...feed, snapshot }, past: new Map([['acme', past]]), hasBars: true }
    for (let run = 0; run < 6; run++) {
      const { bySlug } = await fetchPastPrices(asking)
      expect(extendDays(past, bySlug.get('acme') ?? [], clockAt(NOW))).toEqual([])
    }
    const { from, to, missing, columns } = Daily.parse(dailyOf(past, 'acme'))
    expect({ from, to, missing }).toEqual({ from: dayOf(first), to: dayOf(last), missing: 0 })
    expect(columns.close_usd).toEqual(Array.from({ length: 3653 }, (_, at) => closeOf(first + at * DAY_MS)))
    // Once it has no more, it is not asked again.
    expect(
      asked
        .flatMap((one) => (one.interval === '1d' && one.to <= last ? [one] : []))
        .map((one) => (one.to - one.from) / DAY_MS + 1),
    ).toEqual([1000, 1000, 1000, 1000])
  })

  it('in a coin are converted at what it was worth that day, asked first, and are missing on a day without a rate', async () => {
    const last = lastFinalDay(NOW)
    const [depeg, unknown] = [last - 5 * DAY_MS, last - 9 * DAY_MS]
    const first = last - 1200 * DAY_MS
    const daily = (from: number, to: number, closeOf: (day: number) => number | null) =>
      Array.from({ length: (to - from) / DAY_MS + 1 }, (_, at) => from + at * DAY_MS).flatMap((at): Candle[] => {
        const close = at < first ? null : closeOf(at)
        const prices = { open: close, high: close, low: close, volume_base: 3, volume_quote: 3 }
        return close === null ? [] : [{ at, ...prices, close }]
      })
    let run = 0
    const bank = venueWith(({ from, to, interval }) => {
      if (run === 0) throw new SourceError('source_timeout', 'bank: no answer')
      return interval === '1d' ? daily(from, to, (day) => (day === unknown ? null : day === depeg ? 0.88 : 1)) : []
    }, 'bank')
    const market = venueWith(({ from, to, interval }) => (interval === '1d' ? daily(from, to, () => 100) : []))
    const feed = feedFrom(
      [
        reportOf(bank.source, { quotes: [quoteOf('USDC/USD', 1)] }),
        reportOf(market.source, { quotes: [quoteOf('ACME/USDC', 100)] }),
      ],
      { registry: registryOf(...['acme', 'usd-coin'].map((slug) => entryOf(slug, SPELLED[slug]))) },
    )
    const past = new Map(['acme', 'usd-coin'].map((slug) => [slug, noPast()]))
    for (; run < 6; run++) {
      const request = requestOf(market.source, {
        feed,
        past,
        hasBars: true,
        budget: { perRun: 240, most: () => 240, turn: 0 },
      })
      const answers = await fetchPastPrices({ ...request, sources: [market.source, bank.source] })
      if (run === 0) expect(market.asked.filter(({ to }) => to === last)).toEqual([])
      for (const [slug, own] of past) extendDays(own, answers.bySlug.get(slug) ?? [], clockAt(NOW))
    }
    const closeOn = (day: number) => past.get('acme')?.days.value('close_usd', day)
    expect([closeOn(first), closeOn(depeg), closeOn(unknown), closeOn(last)]).toEqual([100, 88, null, 100])
  })
})

/** How the venues spell two listings. */
const SPELLED: Readonly<Record<string, Parameters<typeof entryOf>[1]>> = {
  acme: { exchange_symbols: { venue: 'ACME' } },
  'usd-coin': { exchange_symbols: { bank: 'USDC' } },
}
