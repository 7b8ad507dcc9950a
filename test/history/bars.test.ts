import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Days } from '../../src/core/contract/history.ts'
import { candleRange, extendBars, misfits, newestBar, spanOfBars } from '../../src/core/history/bars.ts'
import type { PastBar } from '../../src/core/contract/observations.ts'
import type { PastAnswer } from '../../src/core/history/answers.ts'
import { type ListingPast, copyOf, noPast } from '../../src/core/history/past.ts'
import { GRID, HOUR, NOON, answerOf } from './pasts.ts'

/** Bars of a venue that begin at `starts`, in hours after noon. */
const barsOf = (
  source_id: string,
  starts: readonly number[],
  { price = 100, interval = '1h', high = price + 3, low = price - 2, rights = 'attribution' }: Partial<Shape> = {},
): PastAnswer => {
  const bars = starts.map((hour): PastBar => {
    const start = NOON + hour * HOUR
    return [start, price + 1, 0.5, null, price, high, low]
  })
  return answerOf(bars, { source_id, interval, rights })
}
interface Shape extends Pick<PastAnswer, 'interval' | 'rights'> {
  readonly price: number
  readonly high: number
  readonly low: number
}

type Runs = readonly (readonly PastAnswer[])[]

const after = (...runs: Runs) => afterAt(NOON + 4 * HOUR, runs)

function afterAt(now: number, runs: Runs) {
  const past = runs.reduce((before, answers) => {
    const own = copyOf(before)
    extendBars(own, answers, { grid: GRID, now })
    return own
  }, noPast())
  return { past, week: hoursOf(past) }
}
const rowsOf = (past: ListingPast, days: Days = 7) => candleRange(past, 'acme', days, GRID)?.rows ?? []
const hoursOf = (past: ListingPast) =>
  rowsOf(past).map(({ timestamp, close_usd, venues }) => `${timestamp.slice(11, 16)} ${close_usd} ${venues}`)

describe('the candles of a listing', () => {
  it('end with the newest bar, and count what is missing before it', () => {
    const { past } = after([barsOf('kraken', [0, 1, 3]), barsOf('okx', [3], { rights: 'non_commercial' })])
    expect(candleRange(past, 'acme', 7, GRID)).toMatchObject({
      slug: 'acme',
      days: 7,
      interval: '1h',
      from: '2024-06-03T16:00:00Z',
      to: '2024-06-10T15:00:00Z',
      asOf: '2024-06-10T16:00:00Z',
      missing: 165,
      sources: ['kraken', 'okx'],
      rights: 'non_commercial',
      count: 3,
    })
    past.bars.get('1h')?.columns.set('volume_base', NOON, Number.NaN)
    expect(rowsOf(past).map(({ volume_base }) => volume_base)).toEqual([null, 0.5, 1])
  })

  it('of a width without a bar are none', () => {
    const { past } = after([barsOf('kraken', [0, 1])])
    expect(candleRange(past, 'acme', 30, GRID)).toBe(null)
    expect([newestBar(past, 30, GRID), newestBar(undefined, 7, GRID)]).toEqual([null, null])
    expect(newestBar(past, 7, GRID)).toBe(NOON + HOUR)
    expect(spanOfBars(past)).toEqual({ from: NOON, to: NOON + 2 * HOUR })
    expect(spanOfBars(after().past)).toBe(null)
  })

  it('gain new bars, and keep a bar unless there is one of more venues', () => {
    const two = [[barsOf('kraken', [0, 1])], [barsOf('okx', [1, 2], { price: 101 })]]
    expect(after(...two).week).toEqual(['12:00 101 1', '13:00 101 1', '14:00 102 1'])
    expect(after([100, 101].map((price) => barsOf('kraken', [1], { price }))).week).toEqual(['13:00 102 1'])
    const both = ['kraken', 'okx'].map((id) => barsOf(id, [1], { price: 101 }))
    expect(after(...two, both).week).toEqual(['12:00 101 1', '13:00 102 2', '14:00 102 1'])
  })

  it('keep a bar of two venues where of three others one is an outlier', () => {
    const first = ['kraken', 'okx'].map((id) => barsOf(id, [0]))
    const others = ['a', 'b', 'c'].map((id) => barsOf(id, [0], { price: id === 'c' ? 900 : 110 }))
    expect(after(first, others).week).toEqual(['12:00 101 2'])
    expect(after(first, [...others, barsOf('d', [0], { price: 110 })]).week).toEqual(['12:00 111 3'])
  })

  it('cover the shorter bars of their time, whichever came first', () => {
    const of = (interval: '1h' | '4h' | '1d', high: number, low: number) => [
      barsOf('okx', [-12], { interval, high, low }),
    ]
    const runs = [of('1d', 105, 95), of('1h', 108, 99), of('4h', 102, 90)]
    for (const order of [runs, runs.toReversed()]) {
      const { past } = afterAt(NOON + 12 * HOUR, order)
      const extremes = ([7, 30, 90, 365] as const).map((days) =>
        rowsOf(past, days).map(({ high_usd, low_usd }) => [high_usd, low_usd]),
      )
      expect(extremes).toEqual([[[108, 99]], [[108, 90]], [[108, 90]], [[108, 90]]])
    }
  })

  it('forget the bars before their window, and what venues reported after a week', () => {
    const both = (hours: readonly number[]) => ['kraken', 'okx'].map((id) => barsOf(id, hours))
    const { past } = afterAt(NOON + 170 * HOUR, [both([0, 1]), both([168])])
    expect(candleRange(past, 'acme', 7, GRID)).toMatchObject({ missing: 166, count: 2, from: '2024-06-10T13:00:00Z' })
    const inputs = past.bars.get('1h')?.inputs
    const reported = ['kraken', 'okx'].map((id) => inputs?.get(id)?.buckets('close_usd'))
    expect(reported).toEqual([[NOON + 168 * HOUR], [NOON + 168 * HOUR]])
  })

  it('of another grid are dropped', () => {
    const { past } = after([barsOf('kraken', [0], { interval: '15m' })])
    expect(past.bars.size).toBe(0)
  })

  it('change nothing in a run that brings the same bars again', () => {
    const bars = ['kraken', 'okx'].map((id) => barsOf(id, [0, 1]))
    const { past } = after(bars, bars)
    expect([...past.bars.values()].flatMap(({ columns }) => [...(columns.touched ?? [])])).toEqual([])
  })
})

describe('a bar of several venues', () => {
  const price = fc.double({ min: 99, max: 101, noNaN: true })
  const answers = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), price), { selector: ([id]) => id, minLength: 1 })
    .map((venues) => venues.map(([id, own]) => barsOf(id, [0, 1], { price: own })))

  it('follows from what each of them reported, in any order of the answers', () => {
    fc.assert(
      fc.property(answers, (given) => {
        const { past } = after(given)
        const series = past.bars.get('1h')
        expect(series && misfits(series)).toEqual([])
        expect(rowsOf(after(given.toReversed()).past)).toEqual(rowsOf(past))
      }),
    )
  })

  it('that was changed since is told from one that follows', () => {
    const { past } = after(['kraken', 'okx'].map((id) => barsOf(id, [0, 1])))
    const series = past.bars.get('1h')
    series?.columns.set('close_usd', NOON, 102)
    expect(series && misfits(series)).toMatchObject([{ start: NOON }])
  })
})
