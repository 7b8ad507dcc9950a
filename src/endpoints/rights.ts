import { RightsMembers, narrowestOf } from '../contract/rights.ts'
import { endpoint } from './endpoint.ts'

/** How the rights of a value follow from its sources. */
const RULE =
  'A value has the narrowest class among the sources it is made of: for a price those in price_basis.sources, for a market ' +
  'its exchange_id, for every other value of a listing the source in source_label. What is computed from several values ' +
  'has the narrowest class of them.'

export const rights = endpoint({
  name: 'rights',
  path: '/rights',
  description: 'What the terms of each source allow, with the attribution it asks for. Information, not legal advice.',
  example: '/rights',
  parameters: {},
  members: RightsMembers,
  health: () => ({ sourceStatus: 'ok', sourceError: null }),
  body: ({ sources }) => ({
    narrowest: narrowestOf(sources.map(({ rights }) => rights.class)),
    rule: RULE,
    count: sources.length,
    rows: sources.map(({ source_id, source_label, rights }) => ({ source_id, source_label, ...rights })),
  }),
})
