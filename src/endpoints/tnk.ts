import { EcosystemMembers, EcosystemRow } from '../contract/ecosystem.ts'
import { listOf } from '../contract/envelope.ts'
import { endpoint } from './endpoint.ts'

export const tnk = endpoint({
  name: 'tnk',
  path: '/tnk',
  description: 'Assets of the TNK, TAP, DMT-NAT and BX ecosystem, with registry counts by verification state.',
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
