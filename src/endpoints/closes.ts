import { Day } from '../contract/changes.ts'
import { ClosesMembers, ClosesOfDayMembers } from '../contract/closes.ts'
import { HEALTHY } from '../contract/envelope.ts'
import { type Parameter, format, vsOfDay } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const day = {
  description: 'Calendar day in UTC.',
  schema: Day,
  type: 'string',
  allowed: 'a day listed by /closes',
} as const satisfies Parameter<string>

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
  parameters: { day, vs: vsOfDay, format },
  members: ClosesOfDayMembers,
  keys: ({ closes: { keys } }) => keys.map((day) => ({ day })),
  health: () => HEALTHY,
  isUnchanged: ({ closes: { isChanged } }, { day }) => !isChanged(day),
  body: ({ closes: { of } }, { day }) => of(day),
})
