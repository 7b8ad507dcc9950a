import { EcosystemMembers, EcosystemRow } from '../contract/ecosystem.ts'
import { listOf } from '../contract/envelope.ts'
import { ECOSYSTEM, type Ecosystem } from '../contract/product.ts'
import { endpoint } from './endpoint.ts'

/** Returns the title of an ecosystem from the description of its endpoint; null for the description of another. */
export const describedTitle = (description: string): string | null =>
  /^Assets of the (.+) ecosystem, with registry counts by verification state\.$/.exec(description)?.[1] ?? null

/** Returns the endpoint of the publisher's own assets. */
export const ecosystemAssets = ({ name, title }: Ecosystem) =>
  endpoint({
    name,
    group: 'Ecosystem',
    ...(name === ECOSYSTEM.name ? {} : { operation: 'ecosystem' }),
    path: `/${name}`,
    description: `Assets of the ${title} ecosystem, with registry counts by verification state.`,
    example: `/${name}`,
    parameters: {},
    members: { ...EcosystemMembers, ...listOf(EcosystemRow) },
    body: ({ ecosystem, registryCounts, listed }) => ({
      registry: registryCounts,
      count: ecosystem.length,
      total: listed.length,
      rows: ecosystem,
    }),
  })
