import { DailyMembers } from '../contract/daily.ts'
import { HEALTHY } from '../contract/envelope.ts'
import { slug } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

export const daily = endpoint({
  name: 'daily',
  group: 'History',
  path: '/daily/:slug',
  description:
    'Every past day of an asset since it was listed: open, high, low, close and volume at venues, in columns, oldest first.',
  example: '/daily/bitcoin',
  parameters: { slug },
  members: DailyMembers,
  keys: ({ daily: { slugs } }) => slugs.map((one) => ({ slug: one })),
  health: () => HEALTHY,
  isUnchanged: ({ daily: { isChanged } }, { slug: one }) => !isChanged(one),
  body: ({ daily: { dailyOf } }, { slug: one }) => dailyOf(one),
})
