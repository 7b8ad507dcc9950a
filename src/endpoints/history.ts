import { ownListOf } from '../contract/envelope.ts'
import { DAYS, Point, SeriesMembers } from '../contract/history.ts'
import { days, format, slug } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'
import { lineOf } from '../history/row.ts'
import { healthOf } from './own.ts'

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
