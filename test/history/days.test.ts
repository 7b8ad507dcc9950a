import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAILY } from '../../src/core/contract/daily.ts'
import type { PastBar, PastRow } from '../../src/core/contract/observations.ts'
import { print } from '../../src/core/contract/text.ts'
import { dayOf } from '../../src/core/contract/time.ts'
import type { PastAnswer } from '../../src/core/history/answers.ts'
import { extendBars } from '../../src/core/history/bars.ts'
import { factorOf } from '../../src/core/history/believed-bars.ts'
import { lastFinalDay } from '../../src/core/history/demands.ts'
import {
  adoptDays,
  closedDays,
  closesList,
  closesOf,
  dailyOf,
  daysFromCandles,
  extendDays,
} from '../../src/core/history/days.ts'
import { type ListingPast, noPast } from '../../src/core/history/past.ts'
import { backfill, observeDay } from '../../src/core/history/points.ts'
import { brotliBytes } from '../endpoints/worlds.ts'
import { DAY, Daily, GRID, answerOf, clockAt, pricesAt, seen } from './pasts.ts'

const NOW = Date.UTC(2026, 10, 23, 12, 10)
const LAST = lastFinalDay(NOW)
const TODAY = Date.UTC(2026, 10, 23)
const day = (ago: number) => LAST - ago * DAY

/** A bar of a day some days before the last final one. */
const bar = (ago: number, close: number, { high = close, low = close } = {}): PastBar => [
  day(ago),
  close,
  2,
  2 * close,
  close,
  high,
  low,
]

const answer = (bars: readonly PastBar[], given: Partial<Omit<PastRow, 'bars'>> = {}, rate = 1): PastAnswer =>
  answerOf(bars, {
    days: 'all',
    interval: '1d',
    asked: [day(DAILY.window_days - 1), LAST],
    label: given.source_id ?? 'kraken',
    rateAt: () => rate,
    ...given,
  })
const closing = (source_id: string, ...closes: readonly number[]) =>
  answer(
    closes.map((close, at) => bar(closes.length - 1 - at, close)),
    { source_id },
  )

function extended(answers: readonly PastAnswer[], past: ListingPast = noPast()) {
  const held = extendDays(past, answers, clockAt(NOW))
  return { past, held, series: dailyOf(past, 'acme') }
}
const closesIn = (...answers: readonly PastAnswer[]) => extended(answers).series?.columns.close_usd

const seenAt = (ago: number, price: number) => {
  const past = noPast()
  observeDay(past, seen(price), clockAt(day(ago)), true)
  return past
}

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

  it('are none where no venue has one, and change nothing where none was asked', () => {
    expect(extended([answer([])]).series).toBe(null)
  })

  it('of two venues are combined, whatever the order of bars and answers', () => {
    const own = answer([bar(1, 10), bar(0, 10)])
    const other = answer([bar(0, 10.1), bar(1, 10.1), bar(1, 10.1)], { source_id: 'bitstamp' })
    const { series } = extended([own, other])
    expect(series).toMatchObject({ columns: { close_usd: [10.05, 10.05], venues: [2, 2], venue_volume_base: [4, 4] } })
    expect(extended([other, own])).toEqual(extended([own, other]))
  })

  it('have the prices of a venue as it reported them, and six digits where they are computed', () => {
    expect(closesIn(closing('kraken', 117_123.45))).toEqual([117_123.45])
    expect(closesIn(closing('kraken', 117_123.45), closing('bitstamp', 117_123.45))).toEqual([117_123.45])
    expect(closesIn(closing('kraken', 117_123.45), closing('bitstamp', 117_124.35))).toEqual([117_124])
    expect(closesIn(answer([bar(0, 0.4321)], {}, 0.99987))).toEqual([0.432044])
  })

  it('leave out bars outside of what was asked for, an open bar and one that begins within a day', () => {
    const [, ...figures] = bar(1, 5)
    const noon: PastBar = [day(1) + DAY / 2, ...figures]
    const { series } = extended([answer([bar(400, 5), noon, bar(0, 10), bar(-8, 9)], { asked: [day(1), LAST] })])
    expect(series).toMatchObject({ from: dayOf(LAST), to: dayOf(LAST), columns: { close_usd: [10] } })
  })

  it('grow in both directions, and remember what each venue was asked', () => {
    const { past } = extended([answer([bar(61, 10), bar(60, 11)], { asked: [day(61), day(60)] })])
    const older = { source_id: 'bitstamp', asked: [day(63), day(60)] } satisfies Parameters<typeof answer>[1]
    extended([answer([bar(63, 8), bar(62, 9), bar(61, 10.2)], older)], past)
    expect(extended([answer([bar(59, 12)], { asked: [day(59), day(0)] })], past).series).toMatchObject({
      from: dayOf(day(63)),
      to: dayOf(day(59)),
      columns: { close_usd: [8, 9, 10, 11, 12] },
      sources: [
        { source_id: 'bitstamp', from: dayOf(day(63)), to: dayOf(day(60)), complete: false },
        { source_id: 'kraken', from: dayOf(day(61)), to: dayOf(LAST), complete: false },
      ],
    })
  })

  it('of ten years of two venues with all their volumes are at most 60 KB with br', () => {
    let seed = 1
    const uniform = () => (seed = (seed * 48_271) % 0x7fffffff) / 0x7fffffff
    const noise = (size: number) => 1 + (uniform() + uniform() + uniform() - 1.5) * 2 * size
    let price = 300
    const walk = Array.from({ length: 3653 }, (_, at) => ({
      at: day(3652 - at),
      open: price,
      close: (price *= noise(0.035) * 1.0015),
    }))
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
})

describe('a bar of one venue is held back', () => {
  it('for its day, where it leaves both days beside it while they agree', () => {
    const { series, held } = extended([closing('kraken', 10, 13, 10, 10)])
    expect(series?.columns.close_usd).toEqual([10, null, 10, 10])
    expect(held).toEqual([{ source_id: 'kraken', known: `${dayOf(day(1))} 10`, held: `${dayOf(day(2))} 13` }])
    expect(closesIn(closing('kraken', 10, 12.9, 10, 10))).toEqual([10, 12.9, 10, 10])
    // The days beside it do not agree: a price may rise by a third.
    expect(closesIn(closing('kraken', 10, 13, 17))).toEqual([10, 13, 17])
  })

  it('with all days beyond it, where it steps by ten alone, as after a redenomination', () => {
    const { series, held } = extended([closing('kraken', 0.01, 1, 11, 10)])
    expect(series).toMatchObject({ from: dayOf(day(1)), columns: { close_usd: [11, 10] } })
    expect(held).toMatchObject([{ known: `${dayOf(day(1))} 11`, held: `${dayOf(day(2))} 1` }])
    expect(closesIn(closing('kraken', 1.2, 11))).toEqual([1.2, 11])
  })

  it('with all days beyond it, where a run saw half of it or less on its day', () => {
    const { series, held } = extended([closing('kraken', 25, 25, 20)], seenAt(0, 10))
    expect([series, held.length]).toEqual([null, 1])
    expect(extended([closing('kraken', 19, 19)], seenAt(0, 10)).series?.columns.close_usd).toEqual([19, 10])
  })

  it('with all days beyond it, where another venue is nearer to the days beside by a factor of two', () => {
    const { series, held } = extended([closing('kraken', 9, 9, 10), closing('bitstamp', 700, 700, 10)])
    expect(series).toMatchObject({ columns: { close_usd: [9, 9, 10], venues: [1, 1, 2] } })
    expect(held).toMatchObject([{ source_id: 'bitstamp', held: `${dayOf(day(1))} 700` }])
  })

  it('not where another venue has the same step', () => {
    expect(closesIn(closing('kraken', 100, 5), closing('bitstamp', 100, 5))).toEqual([100, 5])
  })

  it('and so are both where nothing is known beside them', () => {
    const { series, held } = extended([closing('kraken', 10), closing('bitstamp', 700)])
    expect([series, held.length]).toEqual([null, 2])
  })
})

describe('closes of venues that are apart', () => {
  it('are not averaged: the nearer to the day beside counts, and the other is held back for its day', () => {
    const { series, held } = extended([closing('kraken', 10, 10.1, 10), closing('bitstamp', 10, 10.7, 10)])
    expect(series?.columns.close_usd).toEqual([10, 10.1, 10])
    expect(held).toMatchObject([{ source_id: 'bitstamp', held: `${dayOf(day(1))} 10.7` }])
  })

  it('of up to five percent are averaged', () => {
    expect(closesIn(closing('kraken', 10, 10), closing('bitstamp', 10.4, 10))).toEqual([10.2, 10])
  })

  it('never make a close that is apart from each of them', () => {
    const close = fc.constantFrom(10, 10.1, 10.6, 13.5, 25, 110)
    const closes = fc.array(close, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(closes, { minLength: 1, maxLength: 4 }), (venues) => {
        const { past } = extended(venues.map((own, at) => closing(`venue-${at}`, ...own)))
        for (const at of past.days.buckets('close_usd')) {
          const reported = venues.map((own) => own[own.length - 1 - (LAST - at) / DAY] ?? 0)
          const nearest = Math.min(...reported.map((one) => factorOf(one, past.days.at('close_usd', at))))
          expect(nearest).toBeLessThanOrEqual(1 + DAILY.apart_percent / 100)
        }
      }),
    )
  })
})

describe('the wick of one venue', () => {
  const wick = (high: number, low: number) => answer([bar(1, 10), bar(0, 10, { high, low })])
  it.each([
    ['is unknown where it leaves the days beside it by three', wick(30, 3), [null, null]],
    ['is known where it does not', wick(29, 4), [29, 4]],
  ])('%s', (_, given, extremes) => {
    const columns = extended([given]).series?.columns
    expect([columns?.high_usd[1], columns?.low_usd[1]]).toEqual(extremes)
    expect(columns?.close_usd).toEqual([10, 10])
  })

  it('is not that of two', () => {
    const both = ['kraken', 'bitstamp'].map((source_id) => answer([bar(0, 10, { high: 40 })], { source_id }))
    expect(extended(both).series?.columns.high_usd).toEqual([40])
  })

  it('leaves its day without a row in the closes', () => {
    const { past } = extended([wick(30, 10)])
    const inputs = { past: new Map([['acme', past]]), runs: new Map(), today: TODAY + DAY }
    expect([0, 1].map((ago) => closesOf(dayOf(day(ago)), inputs).count)).toEqual([0, 1])
  })
})

describe('a day that is known', () => {
  const PRICES = ['close_usd', 'open_usd', 'high_usd', 'low_usd', 'basis', 'rights', 'origin', 'added'] as const
  const pricesOn = ({ days }: ListingPast, at: number) => PRICES.map((name) => days.value(name, at))

  it('keeps the prices of runs, and gets the volumes of venues', () => {
    const past = seenAt(0, 10)
    const before = pricesOn(past, LAST)
    extended([closing('kraken', 9, 11)], past)
    expect(pricesOn(past, LAST)).toEqual(before)
    expect([past.days.at('venue_volume_base', LAST), past.days.at('venues', LAST)]).toEqual([2, 1])
  })

  const fromCandles = (price: number) => {
    const past = noPast()
    const bars: PastBar[] = [[LAST, price, 3, null, price, price + 1, price - 1]]
    const candles = answerOf(bars, { interval: '1d', rights: 'attribution' })
    extendBars(past, [candles], { grid: GRID, now: NOW })
    daysFromCandles(past, clockAt(NOW), (id) => id.toUpperCase())
    return past
  }

  it('has the bar of candles where no run saw it, and keeps that whatever comes later', () => {
    const past = fromCandles(10)
    expect(pricesOn(past, LAST)).toEqual([10, 10, 11, 9, 1, 1, 1, TODAY])
    expect(past.labels).toEqual(['KRAKEN'])
    const before = pricesOn(past, LAST)
    extended([closing('bitstamp', 9, 11)], past)
    expect(pricesOn(past, LAST)).toEqual(before)
  })

  it('is the past price of a source only until there is a bar', () => {
    const past = noPast()
    backfill(past, [pricesAt('1d', [LAST], 'Lore')], clockAt(NOW))
    expect(dailyOf(past, 'acme')).toBe(null)
    extended([closing('kraken', 8)], past)
    expect(past.days.at('close_usd', LAST)).toBe(8)
  })

  it('never changes by what venues answer later, whatever that is', () => {
    const close = fc.constantFrom(10, 10.1, 13.5, 25, 110)
    const asking = fc.record({
      source_id: fc.constantFrom('a', 'b', 'c'),
      first: fc.integer({ min: 0, max: 9 }),
      closes: fc.array(close, { minLength: 1, maxLength: 6 }),
    })
    fc.assert(
      fc.property(fc.array(fc.array(asking, { maxLength: 3 }), { maxLength: 5 }), (requests) => {
        const past = seenAt(4, 10)
        for (const given of requests) {
          const known = [...past.days.buckets('close_usd')].map((at) => [at, pricesOn(past, at)] as const)
          const answers = given.map(({ source_id, first, closes }) =>
            answer(
              closes.map((one, at) => bar(first + closes.length - at, one)),
              { source_id },
            ),
          )
          extended(answers, past)
          for (const [at, prices] of known) expect(pricesOn(past, at)).toEqual(prices)
        }
      }),
    )
  })
})

describe('the closes of all listings', () => {
  const counts = { published: 3, refused: 0, failed: 0, gap_minutes: 0, half_hours: 3 }
  const runsOn = (ago: number) => ({ day: dayOf(day(ago)), ...counts, as_of: `${dayOf(day(ago))}T01:00:00Z` })
  const past = new Map([
    ['beta', seenAt(0, 20)],
    ['acme', extended([closing('kraken', 6, 7, 8, 9)], seenAt(3, 5)).past],
  ])
  const runs = new Map([3, 0].map((ago) => [dayOf(day(ago)), runsOn(ago)]))
  const inputs = { past, runs, today: TODAY + DAY }
  const rowsOn = (ago: number, given: Partial<typeof inputs> = {}) =>
    closesOf(dayOf(day(ago)), { ...inputs, ...given }).rows.map(
      ({ slug, close_usd, runs }) => `${slug} ${close_usd} ${runs}`,
    )

  it('are those that runs saw, and bars where no run saw the day', () => {
    expect([3, 2, 1, 0].map((ago) => rowsOn(ago))).toEqual([['acme 5 1'], ['acme 7 0'], ['acme 8 0'], ['beta 20 1']])
    expect(closesOf(dayOf(day(1)), inputs)).toMatchObject({
      basis: 'candles',
      asOf: `${dayOf(LAST)}T00:00:00Z`,
      runs: 0,
    })
    expect(closesOf(dayOf(LAST), inputs)).toMatchObject({ basis: 'runs', asOf: runsOn(0).as_of, runs: 3 })
  })

  it('have no bars that came today, so that a day with many changes once a day', () => {
    expect([2, 0].map((ago) => rowsOn(ago, { today: TODAY }))).toEqual([[], ['beta 20 1']])
  })

  it('are as many as the counts of their days say', () => {
    for (const today of [TODAY, TODAY + DAY]) {
      const counts = closedDays({ ...inputs, today })
      for (const ago of [5, 4, 3, 2, 1, 0, -1])
        expect(counts.get(day(ago)) ?? 0).toBe(closesOf(dayOf(day(ago)), { ...inputs, today }).count)
    }
  })

  it('are listed from the first day that a run saw to the last, with those that are missing', () => {
    const list = closesList(closedDays(inputs), { ...inputs, today: LAST })
    expect(list.rows.map(({ basis, listings }) => [basis, listings])).toEqual([
      ['runs', 1],
      ['candles', 1],
      ['candles', 1],
      ['runs', 1],
    ])
    expect(list).toMatchObject({ today: dayOf(LAST), missing: 0, olderFrom: null, count: 4 })
    const later = new Map([[dayOf(LAST), runsOn(0)]])
    expect(
      closesList(closedDays({ ...inputs, runs: later }), { ...inputs, runs: later, today: LAST + 2 * DAY }),
    ).toMatchObject({
      missing: 2,
      olderFrom: dayOf(day(2)),
      count: 3,
    })
    const nothing = { past: new Map(), runs: new Map(), today: TODAY }
    expect(closesList(new Map(), nothing)).toEqual({ today: null, missing: 0, olderFrom: null, count: 0, rows: [] })
  })
})

it('takes the days that it lacks from a listing that became it, with their sources', () => {
  const former = noPast()
  extendDays(former, [answer([bar(3, 30), bar(2, 20)])], clockAt(NOW))
  const past = noPast()
  extendDays(past, [answer([bar(2, 21), bar(1, 11)], { source_id: 'bitstamp' })], clockAt(NOW))
  adoptDays(past, [former])
  expect([3, 2, 1].map((ago) => past.days.value('close_usd', day(ago)))).toEqual([30, 21, 11])
  expect([3, 2].map((ago) => past.labels[past.days.at('origin', day(ago)) - 1])).toEqual(['kraken', 'bitstamp'])
})
