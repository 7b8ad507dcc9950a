import { RightsMembers, narrowestOf } from '../contract/rights.ts'
import { endpoint } from './endpoint.ts'
import { HEALTHY } from '../contract/envelope.ts'

const RULE =
  'A value has the narrowest class among its sources: for a price those in price_basis.sources, for a market of an ' +
  'exchange its exchange_id, for a pool and a price of one the source in its source_label, for a rate those in inputs ' +
  'and cross_check, for a figure the source in told_by, for every other value of a listing the source in source_label. ' +
  'A value computed from several values has the narrowest class of them.'

export const rights = endpoint({
  name: 'rights',
  group: 'Operations',
  path: '/rights',
  description: 'What the terms of each source allow, with the required attribution. Information, not legal advice.',
  example: '/rights',
  parameters: {},
  members: RightsMembers,
  health: () => HEALTHY,
  body: ({ sources }) => ({
    narrowest: narrowestOf(sources.map(({ rights }) => rights.class)),
    rule: RULE,
    count: sources.length,
    rows: sources.map(({ source_id, source_label, rights }) => ({ source_id, source_label, ...rights })),
  }),
})
