import { ownListOf } from '../contract/envelope.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { endpoint } from './endpoint.ts'

export const quarantine = endpoint({
  name: 'quarantine',
  path: '/quarantine',
  description: 'Values that were offered and are not believed yet, with what is published meanwhile and until when.',
  example: '/quarantine',
  parameters: {},
  members: ownListOf(QuarantineRow),
  body: ({ quarantine }) => ({ count: quarantine.length, rows: quarantine }),
})
