import { ENDPOINT_GROUPS, type EndpointSpec, operationOf } from '../contract/endpoint-spec.ts'

/** A group of endpoints that serve one purpose. */
interface Group {
  readonly name: string
  readonly description: string
}

const DESCRIPTIONS: Readonly<Record<EndpointSpec['group'], string>> = {
  Lists: 'All prices and listings, and the market as a whole.',
  'One asset': 'Everything about one listing, and how to find it by another name.',
  History: 'Past prices on fixed grids.',
  Ecosystem: 'TNK, TAP, DMT-NAT and BX, and decentralized exchanges.',
  Operations: 'State of the data and its sources, what changed, and listing requests.',
}

const OWN_ECOSYSTEM = "Assets of the publisher's registry, and decentralized exchanges."

/** Returns the groups of an API with these endpoints. A publisher's own ecosystem is not the built-in one. */
export function groupsOf(specs: readonly EndpointSpec[]): readonly Group[] {
  const isOwn = specs.some((spec) => operationOf(spec) === 'ecosystem')
  const descriptions = isOwn ? { ...DESCRIPTIONS, Ecosystem: OWN_ECOSYSTEM } : DESCRIPTIONS
  return ENDPOINT_GROUPS.map((name) => ({ name, description: descriptions[name] }))
}

/** Returns endpoints by group, those below the first segment of a path together, and the shortest of them first. */
export function byGroup<Spec extends EndpointSpec>(specs: readonly Spec[]): readonly Spec[] {
  const segments = [...new Set(specs.map(segmentOf))]
  const place = (spec: Spec): readonly number[] => [
    ENDPOINT_GROUPS.indexOf(spec.group),
    segments.indexOf(segmentOf(spec)),
    spec.path.split('/').length,
  ]
  return specs.toSorted(
    (a, b) =>
      place(a)
        .map((own, level) => own - (place(b)[level] ?? 0))
        .find((order) => order !== 0) ?? 0,
  )
}

const segmentOf = ({ path }: EndpointSpec): string => path.split('/')[1] ?? ''
