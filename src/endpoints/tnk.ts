import { EcosystemMembers, EcosystemRow } from '../contract/ecosystem.ts'
import { listOf } from '../contract/envelope.ts'
import { endpoint } from './endpoint.ts'

export const tnk = endpoint({
  name: 'tnk',
  path: '/tnk',
  description: 'The TNK, TAP, DMT-NAT and BX ecosystem, and how much of its registry is verified.',
  example: '/tnk',
  parameters: {},
  members: { ...EcosystemMembers, ...listOf(EcosystemRow) },
  body: ({ ecosystem, registryCounts, listed }) => ({
    registry: registryCounts,
    count: ecosystem.length,
    total: listed.length,
    rows: ecosystem,
  }),
})
