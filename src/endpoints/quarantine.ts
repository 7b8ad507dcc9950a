import { ownListOf } from '../contract/envelope.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { endpoint } from './endpoint.ts'

export const quarantine = endpoint({
  name: 'quarantine',
  group: 'Operations',
  path: '/quarantine',
  description:
    'Values held back until they are confirmed, with the value published in the meantime and the release time.',
  example: '/quarantine',
  parameters: {},
  members: ownListOf(QuarantineRow),
  body: ({ quarantine }) => ({ count: quarantine.length, rows: quarantine }),
})
