import { CandleMembers, CandleRow } from '../contract/candles.ts'
import { Day } from '../contract/changes.ts'
import { ClosesMembers, ClosesOfDayMembers } from '../contract/closes.ts'
import { DailyMembers } from '../contract/daily.ts'
import { ownListOf, HEALTHY } from '../contract/envelope.ts'
import { DAYS, Point, SeriesMembers } from '../contract/history.ts'
import { days, format, slug, textParameter, vsOfDay } from '../contract/parameters.ts'
import { candleLine } from '../history/candle-series.ts'
import { lineOf } from '../history/row.ts'
import { endpoint } from './endpoint.ts'
import { healthOf } from './one-asset.ts'

export const history = endpoint({
  name: 'history',
  group: 'History',
  path: '/history/:slug',
  description: 'Price and volume of an asset on a fixed UTC grid, oldest first, without interpolation.',
  example: '/history/bitcoin?days=30',
  parameters: { slug, days, format },
  members: { ...SeriesMembers, ...ownListOf(Point) },
  *keys({ listings }) {
    for (const { asset } of listings) for (const days of DAYS) yield { slug: asset.slug, days }
  },
  health: healthOf,
  isUnchanged: (world, { slug, days }) => !world.changedSeries(slug).has(days),
  body: (world, { slug, days }) => world.seriesOf(slug, days),
  // Most are the lines of the last publication.
  lines: (world, { slug, days }) => world.seriesOf(slug, days).rows.map(lineOf),
})

export const candles = endpoint({
  name: 'candles',
  group: 'History',
  path: '/candles/:slug',
  description: 'Open, high, low, close and volume of an asset, made of the bars of up to three venues, oldest first.',
  example: '/candles/bitcoin?days=30',
  parameters: { slug, days, format },
  members: { ...CandleMembers, ...ownListOf(CandleRow) },
  *keys({ listings }) {
    for (const { asset } of listings) for (const days of DAYS) yield { slug: asset.slug, days }
  },
  health: healthOf,
  isUnchanged: (world, { slug, days }) => !world.changedCandles(slug).has(days),
  body: (world, { slug, days }) => world.candlesOf(slug, days),
  // The rows of one series are printed by a template.
  lines: (world, { slug, days }) => world.candlesOf(slug, days).rows.map(candleLine),
})

export const daily = endpoint({
  name: 'daily',
  group: 'History',
  path: '/daily/:slug',
  description:
    'Every past day of an asset since it was listed: open, high, low, close and volume at venues, in columns, oldest first.',
  example: '/daily/bitcoin',
  parameters: { slug },
  members: DailyMembers,
  keys: ({ daily: { keys } }) => keys.map((one) => ({ slug: one })),
  health: () => HEALTHY,
  isUnchanged: ({ daily: { isChanged } }, { slug: one }) => !isChanged(one),
  body: ({ daily: { of } }, { slug: one }) => of(one),
})

export const closes = endpoint({
  name: 'closes',
  group: 'History',
  path: '/closes',
  description: 'The days that have closes, newest first, with counts, and the missing ones.',
  parameters: {},
  members: ClosesMembers,
  health: () => HEALTHY,
  body: ({ closes: { list } }) => list,
})

export const closesOfDay = endpoint({
  name: 'closes-of-day',
  group: 'History',
  path: '/closes/:day',
  description:
    'Close, open, high, low, volume and market cap of every listing in one day, by slug. A past day never changes.',
  example: '/closes',
  parameters: { day: textParameter('Calendar day in UTC.', Day, 'a day listed by /closes'), vs: vsOfDay, format },
  members: ClosesOfDayMembers,
  keys: ({ closes: { keys } }) => keys.map((day) => ({ day })),
  health: () => HEALTHY,
  isUnchanged: ({ closes: { isChanged } }, { day }) => !isChanged(day),
  body: ({ closes: { of } }, { day }) => of(day),
})
