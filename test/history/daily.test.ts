import { describe, expect, it } from 'vitest'
import { DAILY, Daily, type DailySeries, dailyBetween, dailyFile, dailySlug } from '../../src/contract/daily.ts'
import { fileOf } from '../../src/contract/endpoint-spec.ts'
import type { PastBar, PastRow } from '../../src/contract/observations.ts'
import { print } from '../../src/contract/text.ts'
import { DAY_MS, dayOf } from '../../src/contract/time.ts'
import { daily } from '../../src/endpoints/series.ts'
import { type Aged, dailyDemands, lastFinalDay } from '../../src/history/daily-plan.ts'
import { type DailyAnswer, NO_DAYS, extendDaily } from '../../src/history/daily-series.ts'
import { extendedDaily } from '../../src/history/extended-daily.ts'
import { lastSeries } from '../../src/history/last-series.ts'
import { type Budget, type Candidate, type GapRequest, plan } from '../../src/history/plan.ts'
import { brotliBytes } from '../endpoints/worlds.ts'
import { assetOf } from '../feed/world.ts'

const NOW = Date.UTC(2026, 10, 23, 12, 10)
const LAST = lastFinalDay(NOW)
const day = (ago: number) => LAST - ago * DAY_MS

/** A bar of a day so many days before the last final one. */
const bar = (ago: number, close: number, volume = 2): PastBar => [
  day(ago),
  close,
  volume,
  volume * close,
  close,
  close,
  close,
]

/** An answer to a request for the days from one to another. */
const answer = (bars: readonly PastBar[], given: Partial<PastRow> = {}, rate = 1): DailyAnswer => ({
  answer: {
    source_id: 'kraken',
    kind: 'past',
    slug: 'acme',
    days: 'all',
    interval: '1d',
    market: 'ACMEUSD',
    quote: 'USD',
    asked: [day(DAILY.window_days - 1), LAST],
    bars: [...bars],
    ...given,
  },
  rights: 'open',
  rateAt: () => rate,
})

const extended = (answers: readonly DailyAnswer[], before: DailySeries | null = null, known: number | null = null) =>
  extendDaily({ slug: 'acme', before, answers, now: NOW, knownOn: () => known })

it('has the file of its endpoint', () => {
  expect(fileOf(daily, { slug: 'acme' })).toBe(dailyFile('acme'))
  expect(dailySlug(dailyFile('acme'))).toBe('acme')
})

describe('the daily bars of a listing', () => {
  it('are those of its venues in dollars, and a day that no venue has is missing', () => {
    const { series, held } = extended([answer([bar(3, 10), bar(1, 12), bar(0, 11)], {}, 1.1)])
    expect(held).toEqual([])
    expect(Daily.parse(series)).toEqual({
      slug: 'acme',
      from: dayOf(day(3)),
      to: dayOf(LAST),
      missing: 1,
      sources: [{ source_id: 'kraken', market: 'ACMEUSD', from: dayOf(day(999)), to: dayOf(LAST), complete: true }],
      olderAdded: dayOf(NOW),
      notice: null,
      rights: 'open',
      columns: {
        close_usd: [11, null, 13.2, 12.1],
        open_usd: [11, null, 13.2, 12.1],
        high_usd: [11, null, 13.2, 12.1],
        low_usd: [11, null, 13.2, 12.1],
        venue_volume_base: [2, null, 2, 2],
        venue_volume_usd: [22, null, 26.4, 24.2],
        venues: [1, 0, 1, 1],
      },
    })
  })

  it('of two venues are combined, whatever the order of bars and answers', () => {
    const own = answer([bar(1, 10), bar(0, 10)])
    const other = answer([bar(0, 10.1), bar(1, 10.1), bar(1, 10.1)], { source_id: 'bitstamp' })
    const { series } = extended([own, other])
    expect(series).toMatchObject({ columns: { close_usd: [10.05, 10.05], venues: [2, 2], venue_volume_base: [4, 4] } })
    expect(extended([other, own])).toEqual(extended([own, other]))
  })

  it('have the prices of a venue as it reported them, and six digits where they are computed', () => {
    const closes = (...answers: DailyAnswer[]) => extended(answers).series.columns.close_usd
    const own = answer([bar(0, 117_123.45)])
    const other = (close: number) => answer([bar(0, close)], { source_id: 'bitstamp' })
    expect(closes(own)).toEqual([117_123.45])
    expect(closes(own, other(117_123.45))).toEqual([117_123.45])
    expect(closes(own, other(117_124.35))).toEqual([117_124])
    expect(closes(answer([bar(0, 0.4321)], {}, 0.99987))).toEqual([0.432044])
  })

  it('of ten years of two venues with all their volumes are at most 60 KB with br', () => {
    let seed = 1
    const uniform = () => (seed = (seed * 48_271) % 0x7fffffff) / 0x7fffffff
    const noise = (size: number) => 1 + (uniform() + uniform() + uniform() - 1.5) * 2 * size
    const days = Array.from({ length: 3653 }, (_, at) => day(3652 - at))
    let price = 300
    const walk = days.map((at) => ({ at, open: price, close: (price *= noise(0.035) * 1.0015) }))
    const bars = () =>
      walk.map(({ at, open: before, close: after }): PastBar => {
        const [open, close, volume] = [before * noise(0.0003), after * noise(0.0003), 20_000 * uniform()]
        const [high, low] = [Math.max(open, close) * (1 + uniform() / 30), Math.min(open, close) * (1 - uniform() / 30)]
        return [at, close, volume, volume * (high + low) * 0.5, open, high, low]
      })
    const asked: [number, number] = [day(3652), LAST]
    const { series } = extended([answer(bars(), { asked }), answer(bars(), { source_id: 'bitstamp', asked })])
    expect(series).toMatchObject({ missing: 0, columns: { venues: expect.not.arrayContaining([0, 1]) } })
    expect(brotliBytes(print({ ok: true, ...series }))).toBeLessThanOrEqual(60_000)
  })

  it('leave out bars outside of what was asked for, an open bar and one that begins within a day', () => {
    const asked: [number, number] = [day(1), LAST]
    const [, ...figures] = bar(1, 5)
    const noon: PastBar = [day(1) + DAY_MS / 2, ...figures]
    const { series } = extended([answer([bar(400, 5), noon, bar(0, 10), bar(-8, 9)], { asked })])
    expect(series).toMatchObject({ from: dayOf(LAST), to: dayOf(LAST), columns: { close_usd: [10] } })
  })

  it('grow in both directions, and a published day stays', () => {
    const first = extended([answer([bar(61, 10), bar(60, 11)], { asked: [day(61), day(60)] })]).series
    const asked: [number, number] = [day(63), day(60)]
    const older = extended(
      [answer([bar(63, 8), bar(62, 9), bar(61, 10.2)], { source_id: 'bitstamp', asked })],
      first,
    ).series
    const newer = extended([answer([bar(59, 12)], { asked: [day(59), day(0)] })], older).series
    expect(newer).toMatchObject({
      from: dayOf(day(63)),
      to: dayOf(day(59)),
      columns: { close_usd: [8, 9, 10, 11, 12] },
      missing: 0,
    })
    expect(newer.sources).toEqual([
      { source_id: 'bitstamp', market: 'ACMEUSD', from: dayOf(day(63)), to: dayOf(day(60)), complete: false },
      { source_id: 'kraken', market: 'ACMEUSD', from: dayOf(day(61)), to: dayOf(LAST), complete: false },
    ])
  })

  it('end where one venue alone steps by ten, as after a redenomination, with an event', () => {
    const { series, held } = extended([answer([bar(3, 0.01), bar(2, 0.01), bar(1, 11), bar(0, 10)])], null, 10.5)
    expect(series).toMatchObject({ from: dayOf(day(1)), columns: { close_usd: [11, 10] } })
    expect(series.sources[0]).toMatchObject({ complete: true })
    expect(held).toEqual([
      { slug: 'acme', source_id: 'kraken', known: `${dayOf(day(1))} 11`, held: `${dayOf(day(2))} 0.01` },
    ])
  })

  it('go on where two venues have the same step', () => {
    const bars = [bar(1, 100), bar(0, 5)]
    expect(extended([answer(bars), answer(bars, { source_id: 'bitstamp' })]).series.columns.close_usd).toEqual([100, 5])
  })

  it('are never the mean of two coins: the venue further from the days beside is held back', () => {
    const other = answer([bar(2, 700), bar(1, 700), bar(0, 10)], { source_id: 'bitstamp' })
    const { series, held } = extended([answer([bar(2, 9), bar(1, 9), bar(0, 10)]), other])
    expect(series).toMatchObject({ columns: { close_usd: [9, 9, 10], venues: [1, 1, 2] } })
    expect(held).toMatchObject([{ source_id: 'bitstamp', held: `${dayOf(day(1))} 700` }])
    const published = extended([answer([bar(0, 10)])]).series
    expect(extended([other], published).series).toMatchObject({ from: dayOf(LAST), to: dayOf(LAST) })
    // Without a day beside them neither is believed.
    const apart = extended([answer([bar(0, 10)]), answer([bar(0, 700)], { source_id: 'bitstamp' })])
    expect([apart.series.from, apart.held.length]).toEqual([null, 2])
    expect(extended([answer([bar(0, 700)])], null, 10).series.from).toBe(null)
  })
})

const venue = (source_id: string, given: Partial<Candidate> = {}): Candidate => ({
  source_id,
  kind: 'exchange',
  market: 'ACMEUSD',
  quote: 'USD',
  intervals: ['1d'],
  most: 1000,
  volume_24h_usd: 1,
  ...given,
})
const BUDGET = { perRun: 100, perSource: 100, turn: 0 }
const planDaily = (listings: readonly Aged[], budget: Budget, now: number) =>
  plan(dailyDemands(listings, now), { ...budget, perRun: Math.min(DAILY.requests, budget.perRun) })
const aged = (rank: number, given: Partial<Aged> = {}): Aged => ({
  slug: `asset-${rank}`,
  rank,
  candidates: [venue('a', { volume_24h_usd: 9 }), venue('b', { volume_24h_usd: 8 }), venue('c')],
  known: null,
  ...given,
})
const textOf = ({ slug, source_id, requests }: GapRequest) =>
  `${slug} ${source_id} ${requests.map(({ from, to }) => `${dayOf(from)} ${dayOf(to)}`).join(', ')}`

describe('requests for daily bars', () => {
  it('begin with the final days of the largest listings, at the venues with the largest volume', () => {
    const first = `${dayOf(day(999))} ${dayOf(LAST)}`
    expect(planDaily([aged(500), aged(1)], BUDGET, NOW).map(textOf)).toEqual([
      `asset-1 a ${first}`,
      `asset-1 b ${first}`,
      `asset-500 a ${first}`,
    ])
    // It takes fewer requests at another venue.
    const small = [venue('a', { volume_24h_usd: 9, most: 300 }), venue('b')]
    expect(planDaily([aged(500, { candidates: small })], BUDGET, NOW).map(textOf)).toEqual([`asset-500 b ${first}`])
  })

  const source = (source_id: string, from: number, complete: boolean, to = 0) =>
    ({ source_id, market: 'ACMEUSD', from: dayOf(day(from)), to: dayOf(day(to)), complete }) as const

  it('go back until a venue has no more, then to other venues, and then follow new days', () => {
    const next = (sources: NonNullable<Aged['known']>['sources'], from = 1999) =>
      planDaily([aged(7, { known: { from: dayOf(day(from)), sources } })], BUDGET, NOW).map(textOf)
    expect(next([source('a', 999, false), source('b', 999, true)])).toEqual([
      `asset-7 a ${dayOf(day(1999))} ${dayOf(day(1000))}`,
    ])
    expect(next([source('a', 1999, true), source('b', 999, true)], 1500)).toEqual([
      `asset-7 c ${dayOf(day(2500))} ${dayOf(day(1501))}`,
    ])
    const all = ['a', 'b', 'c'].map((id) => source(id, 1999, true))
    expect(next(all)).toEqual([])
    expect(next([source('a', 1999, true, 60), source('b', 1999, true, 60), source('c', 2999, true, 2000)])).toEqual(
      ['a', 'b'].map((id) => `asset-7 ${id} ${dayOf(day(59))} ${dayOf(LAST)}`),
    )
  })

  it('never exceed the budget of a run or of a source, and go on past a market that always fails', () => {
    const many = Array.from({ length: 40 }, (_, index) => aged(index + 1))
    expect(planDaily(many, BUDGET, NOW)).toHaveLength(DAILY.requests)
    expect(planDaily(many, { ...BUDGET, perRun: 4 }, NOW)).toHaveLength(4)
    expect(planDaily(many, { ...BUDGET, most: () => 0 }, NOW)).toEqual([])
    const planned = planDaily(many, { ...BUDGET, most: (id) => (id === 'a' ? 3 : 100) }, NOW)
    expect(planned.filter(({ source_id }) => source_id === 'a')).toHaveLength(3)
    const slugs = (turn: number) => planDaily(many, { ...BUDGET, turn }, NOW).map(({ slug }) => slug)
    expect(new Set([0, 3, 6, 9, 12].flatMap(slugs)).size).toBeGreaterThan(7)
  })

  it('reach ten years of the largest listing and four of 500 in three days of half hours', () => {
    const began = (rank: number) => LAST - (rank === 1 ? 3653 : 1461) * DAY_MS
    const known = new Map<string, NonNullable<Aged['known']>>()
    let most = 0
    for (let run = 0; run < 144; run++) {
      const listings = Array.from({ length: 500 }, (_, index) =>
        aged(index + 1, { known: known.get(`asset-${index + 1}`) ?? null }),
      )
      const planned = planDaily(listings, { ...BUDGET, perSource: 15, turn: run * 2 }, NOW)
      most = Math.max(most, planned.length)
      for (const { slug, source_id, requests } of planned) {
        const before = known.get(slug) ?? { from: null, sources: [] }
        const first = began(Number(slug.slice('asset-'.length)))
        const bars = requests.flatMap(({ from, to }) =>
          to < first ? [] : [bar((LAST - Math.max(from, first)) / DAY_MS, 1)],
        )
        const asked: [number, number] = [requests[0]?.from ?? 0, requests.at(-1)?.to ?? 0]
        const { series } = extended([answer(bars, { source_id, asked })], stub(before))
        known.set(slug, { from: series.from, sources: series.sources })
      }
    }
    const reached = [...known].filter(([slug, { from }]) => from === dayOf(began(Number(slug.slice('asset-'.length)))))
    expect([reached.length, most]).toEqual([500, DAILY.requests])
  })
})

/** A series of which the simulation keeps the first day alone. */
function stub({ from, sources }: NonNullable<Aged['known']>): DailySeries {
  const one = from === null ? [] : [1]
  const columns = { close_usd: one, open_usd: one, high_usd: one, low_usd: one }
  const volumes = { venue_volume_base: one, venue_volume_usd: one, venues: one }
  return {
    slug: 'acme',
    from,
    to: from,
    missing: 0,
    sources: [...sources],
    olderAdded: null,
    notice: null,
    rights: 'open',
    columns: { ...columns, ...volumes },
  }
}

it('of a listing move with it to its new slug, and one without any says so', () => {
  const published = extended([answer([bar(0, 10)])]).series
  const texts = new Map([[dailyFile('acme'), print({ ok: true, ...published })]])
  const last = { read: (file: string) => texts.get(file) ?? null, head: (file: string) => texts.get(file) ?? '' }
  const listing = (slug: string, given: Parameters<typeof assetOf>[1] = {}) =>
    [slug, { asset: assetOf(slug, given), markets: [] }] as const
  const renamed = [listing('next', { aliases: ['acme'] }), listing('acme', { replaced_by: 'next' }), listing('other')]
  const run = (listings: Parameters<typeof extendedDaily>[0]['bySlug']) => {
    const series = lastSeries(last, () => [])
    const files = [...texts.keys()]
    const daily = extendedDaily({ files, last, bySlug: listings, answers: new Map(), series, now: NOW })
    const changed = daily.keys.filter(daily.isChanged)
    const written = changed.map((slug) => [dailyFile(slug), print({ ok: true, ...daily.of(slug) })] as const)
    for (const [file, text] of written) texts.set(file, text)
    return changed
  }
  expect(run(new Map([listing('acme')]))).toEqual([])
  // The new slug was listed before it became the successor.
  expect(run(new Map([listing('acme'), listing('next')]))).toEqual(['next'])
  expect(run(new Map(renamed))).toEqual(['acme', 'next', 'other'])
  const read = (slug: string) => Daily.parse(JSON.parse(texts.get(dailyFile(slug)) ?? ''))
  expect(read('next')).toEqual({ ...published, slug: 'next' })
  expect(read('acme')).toMatchObject({ from: null, notice: 'The days are those of next.' })
  expect(read('other')).toMatchObject({ from: null, notice: NO_DAYS })
  expect(run(new Map(renamed))).toEqual([])
  // What was delisted stays.
  expect(run(new Map([listing('next', { listing_status: 'delisted' })]))).toEqual([])
  expect(read('next')).toMatchObject({ from: published.from })
})

it('of a listing can be read within a range, over a leap day', () => {
  const column = [1, 2, 3, null, 5]
  const series = {
    ...extended([]).series,
    from: '2024-02-27',
    to: '2024-03-02',
    columns: {
      close_usd: column,
      open_usd: column,
      high_usd: column,
      low_usd: column,
      venue_volume_base: column,
      venue_volume_usd: column,
      venues: [1, 1, 1, 0, 1],
    },
  }
  const text = print({ ok: true, ...series })
  const closes = (from: string, to: string) => dailyBetween(text, { from, to })?.columns.close_usd
  expect(closes('2024-02-28', '2024-03-01')).toEqual([2, 3, null])
  expect(closes('2020-01-01', '2030-01-01')).toEqual(column)
  expect([closes('2024-03-03', '2024-03-09'), closes('2024-02-01', '2024-02-26')]).toEqual([undefined, undefined])
  expect(dailyBetween(text.replace('2024-03-02', '2024-03-03'), { from: '2024-03-01', to: '2024-03-03' })).toBe(null)
  const last = { read: () => text, head: () => text }
  const bySlug = new Map([['acme', { asset: assetOf('acme'), markets: [] }]])
  const given = { files: [dailyFile('acme')], last, bySlug, answers: new Map(), series: lastSeries(last, () => []) }
  const daily = extendedDaily({ ...given, now: NOW })
  expect(daily.oldest()).toBe('2024-02-27')
  expect(daily.between('acme', { from: '2024-02-29', to: '2024-02-29' })?.columns.close_usd).toEqual([3])
  expect(daily.between('acme', { from: '2024-03-03', to: '2024-03-03' })).toBe(null)
})
