import { ValidationMembers } from '../contract/validation.ts'
import { distrustedVenues, validationOf } from '../feed/validation.ts'
import { endpoint } from './endpoint.ts'

export const validation = endpoint({
  name: 'validation',
  group: 'Operations',
  path: '/validation',
  description:
    'How far one lying or missing witness can move each price, by asset and over all, and how far aggregators are off.',
  example: '/validation',
  parameters: {},
  members: ValidationMembers,
  body: ({ listed, sources }) => {
    const report = validationOf(listed, distrustedVenues(sources))
    return { ...report, count: report.rows.length }
  },
})
