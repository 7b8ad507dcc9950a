import { ChangesMembers, ChangesOfDayMembers, Day } from '../contract/changes.ts'
import { HEALTHY } from '../contract/envelope.ts'
import type { Parameter } from '../contract/parameters.ts'
import { counted, endpoint } from './endpoint.ts'

const day = {
  description: 'Calendar day in UTC.',
  schema: Day,
  type: 'string',
  allowed: 'a day listed by /changes',
} as const satisfies Parameter<string>

export const changes = endpoint({
  name: 'changes',
  group: 'Operations',
  path: '/changes',
  description: 'Recent changes of listings, verification, contracts, sources, the method and listing requests.',
  parameters: {},
  members: ChangesMembers,
  health: () => HEALTHY,
  body: ({ changes: { days, latest } }) => ({ days: [...days], ...counted(latest) }),
})

export const changesOfDay = endpoint({
  name: 'changes-of-day',
  group: 'Operations',
  path: '/changes/:day',
  description: 'Changes of one day. /changes lists the days.',
  example: '/changes',
  parameters: { day },
  members: ChangesOfDayMembers,
  keys: ({ changes: { days } }) => days.map((day) => ({ day })),
  health: () => HEALTHY,
  isUnchanged: ({ changes: { isChanged } }, { day }) => !isChanged(day),
  body: ({ changes: { rowsOf } }, { day }) => ({ day, ...counted(rowsOf(day)) }),
})
