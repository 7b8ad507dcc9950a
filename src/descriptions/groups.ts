import { type EndpointSpec, operationOf } from '../contract/endpoint-spec.ts'

/** A group of endpoints that serve one purpose. */
export interface Group {
  readonly name: string
  readonly description: string
  /** Names of operations, or first segments of paths. */
  readonly has: readonly string[]
}

/** The groups, in the order in which a reader needs them. */
export const GROUPS: readonly Group[] = [
  {
    name: 'Lists',
    description: 'All prices and listings, and the market as a whole.',
    has: ['prices', 'assets', 'markets', 'gainers', 'losers', 'trending', 'global', 'rates', 'categories', 'exchanges'],
  },
  {
    name: 'One asset',
    description: 'Everything about one listing, and how to find it by another name.',
    has: ['asset', 'asset-markets', 'symbols', 'contracts', 'ids'],
  },
  { name: 'History', description: 'Past prices on fixed grids.', has: ['history', 'candles', 'closes'] },
  {
    name: 'Ecosystem',
    description: 'TNK, TAP, DMT-NAT and BX, and decentralized exchanges.',
    has: ['tnk', 'ecosystem', 'dex-pairs'],
  },
  {
    name: 'Operations',
    description: 'State of the data and its sources, what changed, and listing requests.',
    has: [
      'index',
      'collector',
      'rights',
      'changes',
      'quarantine',
      'validation',
      'manifest',
      'observations',
      'tables',
      'listing-requests',
    ],
  },
]

/** Returns the groups of an API with these endpoints. A publisher's own ecosystem is not the built-in one. */
export const groupsOf = (specs: readonly EndpointSpec[]): readonly Group[] =>
  specs.some((spec) => operationOf(spec) === 'ecosystem')
    ? GROUPS.map((group) => (group.name === 'Ecosystem' ? { ...group, description: OWN_ECOSYSTEM } : group))
    : GROUPS

const OWN_ECOSYSTEM = "Assets of the publisher's registry, and decentralized exchanges."

/** Returns the group of an endpoint. One that no group names is about operations. */
export function groupOf(spec: EndpointSpec): string {
  const [, segment = 'index'] = spec.path.split('/')
  const own = GROUPS.find(({ has }) => has.includes(operationOf(spec)))
  return (own ?? GROUPS.find(({ has }) => has.includes(segment)))?.name ?? 'Operations'
}

/** Whether a group names an endpoint. */
export const isGrouped = (spec: EndpointSpec): boolean =>
  GROUPS.some(({ has }) => has.includes(operationOf(spec)) || has.includes(spec.path.split('/')[1] ?? 'index'))

/** Returns the place of an endpoint among those of its group. */
export const placeOf = (spec: EndpointSpec): number => {
  const names = GROUPS.flatMap(({ has }) => has)
  const own = names.indexOf(operationOf(spec))
  return own >= 0 ? own : names.indexOf(spec.path.split('/')[1] ?? 'index')
}
