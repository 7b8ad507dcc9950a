import { ownListOf } from '../contract/envelope.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { endpoint } from './endpoint.ts'

export const quarantine = endpoint({
  name: 'quarantine',
  group: 'Operations',
  path: '/quarantine',
  description:
    'Figures held back until they are confirmed: the value published in the meantime, why, since when, and what releases them.',
  example: '/quarantine',
  parameters: {},
  members: ownListOf(QuarantineRow),
  body: ({ quarantine }) => ({ count: quarantine.length, rows: quarantine }),
})
