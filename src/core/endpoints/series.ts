import { BarsRow, ClosesMembers, ClosesOfDayMembers, DailyMembers } from '../contract/daily.ts'
import { ownListOf } from '../contract/envelope.ts'
import { CandleMembers, CandleRow, DAYS, Point, SeriesMembers } from '../contract/history.ts'
import { days, format, slug, textParameter, vsOfDay } from '../contract/parameters.ts'
import { Day } from '../contract/words.ts'
import { candleRange, newestBar } from '../history/bars.ts'
import { dailyOf, seenDays } from '../history/days.ts'
import { timestampOf } from '../history/grid.ts'
import { CHANGES } from '../history/past.ts'
import { historyOf } from '../history/series.ts'
import { type PublicationData, endpoint, existing, oneDocument } from './endpoint.ts'
import { listingHealth } from './one-asset.ts'

export const history = endpoint('History', {
  name: 'history',
  path: '/history/:slug',
  description: 'Price and volume of an asset on a fixed UTC grid, oldest first, without interpolation.',
  parameters: { slug, days, format },
  members: { ...SeriesMembers, ...ownListOf(Point) },
  keys: ({ listings }) => listings.flatMap(({ asset: { slug: one } }) => DAYS.map((days) => ({ slug: one, days }))),
  health: listingHealth,
  reads: ({ clock: { grid } }, { slug: one, days: range }) => [
    CHANGES.points(one, grid[range]),
    CHANGES.bucket(grid[range]),
    CHANGES.health(one),
  ],
  body: ({ pastOf, seriesOf }, { slug: one, days: range }) => historyOf(pastOf(one), range, seriesOf(one)),
})

export const candles = endpoint('History', {
  name: 'candles',
  path: '/candles/:slug',
  description:
    'Open, high, low, close and volume of an asset, made of the bars of up to three venues, oldest first. /candles lists who has them.',
  absent: 'No asset has this slug, or no venue that is asked for bars trades it: /candles lists those with bars.',
  parameters: { slug, days, format },
  members: { ...CandleMembers, ...ownListOf(CandleRow) },
  *keys({ candleSpans, pastOf, clock: { grid } }) {
    for (const one of candleSpans.keys())
      for (const range of DAYS) if (newestBar(pastOf(one), range, grid) !== null) yield { slug: one, days: range }
  },
  health: listingHealth,
  reads: ({ clock: { grid } }, { slug: one, days: range }) => [CHANGES.bars(one, grid[range]), CHANGES.health(one)],
  body: ({ pastOf, clock: { grid } }, { slug: one, days: range }) =>
    existing(candleRange(pastOf(one), one, range, grid), `candles of ${one}`),
})

const spans = (own: PublicationData['dailySpans']) => ({
  rows: [...own].map(([slug, { from, to }]) => ({ slug, from: timestampOf(from), to: timestampOf(to) })),
})

export const candleList = oneDocument('History', {
  name: 'candle-list',
  path: '/candles',
  description: 'The listings that have candles, and the time that they span.',
  members: ownListOf(BarsRow),
  body: ({ candleSpans }) => spans(candleSpans),
})

export const daily = endpoint('History', {
  name: 'daily',
  path: '/daily/:slug',
  description:
    'Every past day of an asset since it was listed: open, high, low, close and volume at venues, in columns, oldest first. /daily ' +
    'lists who has them.',
  absent: 'No asset has this slug, or no venue has daily bars of it yet: /daily lists those with bars.',
  parameters: { slug, format },
  members: DailyMembers,
  keys: ({ dailySpans }) => [...dailySpans.keys()].map((one) => ({ slug: one })),
  reads: (_world, { slug: one }) => [CHANGES.daily(one)],
  body: ({ pastOf }, { slug: one }) => existing(dailyOf(pastOf(one), one), `daily bars of ${one}`),
})

export const dailyList = oneDocument('History', {
  name: 'daily-list',
  path: '/daily',
  description: 'The listings that have daily bars since they were listed, and the time that they span.',
  members: ownListOf(BarsRow),
  body: ({ dailySpans }) => spans(dailySpans),
})

export const closes = oneDocument('History', {
  name: 'closes',
  path: '/closes',
  description: 'The days that have closes, newest first, with counts, and the missing ones.',
  members: ClosesMembers,
  body: ({ closes: { list } }) => list,
})

export const closesOfDay = endpoint('History', {
  name: 'closes-of-day',
  path: '/closes/:day',
  description:
    'Close, open, high, low, volume and market cap of every listing in one day, by slug. A past day never changes.',
  parameters: { day: textParameter('Calendar day in UTC.', Day, 'a day listed by /closes'), vs: vsOfDay, format },
  members: ClosesOfDayMembers,
  keys: ({ closes: { days: all } }) => all.map((day) => ({ day })),
  // The day of the run changes with it, and the others with bars that came before the day began and where a slug changes.
  reads: ({ runs }, { day }) => [
    CHANGES.bucket('1d'),
    CHANGES.day(day),
    ...(seenDays(runs).at(-1) === day ? [CHANGES.run] : []),
  ],
  body: ({ closes: { of } }, { day }) => of(day),
})
