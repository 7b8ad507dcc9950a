import { CandleMembers, CandleRow } from '../contract/candles.ts'
import { ownListOf } from '../contract/envelope.ts'
import { DAYS } from '../contract/history.ts'
import { days, format, slug } from '../contract/parameters.ts'
import { candleLine } from '../history/candle-series.ts'
import { endpoint } from './endpoint.ts'
import { healthOf } from './own.ts'

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
