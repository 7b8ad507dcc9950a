import { group } from 'd3-array'
import type { Facts } from '../sources/source.ts'
import type { PlannedGap } from './past-plan.ts'
import type { Shard } from './run-plan.ts'

/** Where collectors can run. */
export interface Region {
  readonly name: string
  /** Label of its machines. */
  readonly runs_on: string
  /** Country of its addresses (ISO 3166-1); null: unknown. */
  readonly country: string | null
  /** Machines with an address of their own. Rate limits count by address. */
  readonly addresses: number
}

/** Most jobs of a matrix of GitHub Actions. */
export const MOST_SHARDS = 256

/** What the shards are made of. */
export interface Sharding {
  readonly sources: readonly Pick<Facts, 'id' | 'host' | 'pace' | 'quota' | 'unavailableFrom'>[]
  readonly gaps: readonly PlannedGap[]
  /** In order of preference; the first collects what no other must. */
  readonly regions: readonly Region[]
  readonly mostShards: number
  /** Machines among which sources are spread even where one would do; 1 by default. */
  readonly leastShards?: number
  /** Seconds that past prices may take on one machine before they are divided. */
  readonly seconds: number
}

type SourceFacts = Sharding['sources'][number]

/** A machine with an address of its own. */
interface Machine {
  readonly region: Region
  readonly sources: string[]
  readonly gaps: PlannedGap[]
}

/**
 * Divides a collection among machines. A source is whole: one machine asks for its lists. Only past prices are divided, and
 * only where they take longer than `seconds`. Every machine has an address of its own and each host at most once, so no two
 * shards share a rate limit. A source whose quota counts by key or month is never divided.
 */
export function planShards(sharding: Sharding): Shard[] {
  const { sources, gaps, seconds, leastShards = 1 } = sharding
  const machines = machinesOf(sharding)
  const gapsBySource = group(gaps, ({ source_id }) => source_id)
  const hosts = [...group(sources, ({ host }) => host)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const needs = hosts.map(([host, own]) => {
    const ofHost = own.flatMap(({ id }) => gapsBySource.get(id) ?? [])
    const divisible = own.every(({ quota }) => quota === undefined)
    const parts = divisible ? Math.max(1, Math.ceil(secondsFor(ofHost, own) / seconds)) : 1
    return { host, own, gaps: ofHost, parts, allowed: allowedFor(own, machines) }
  })
  const used = Math.max(leastShards, ...needs.map(({ parts }) => parts))
  for (const { own, gaps: ofHost, parts, allowed } of needs.toSorted((a, b) => b.parts - a.parts)) {
    // The fewest machines that the slowest host needs, and of those the ones with the least to do.
    const near = allowed.slice(0, used).toSorted((a, b) => loadOf(a) - loadOf(b))
    const chosen = near.slice(0, parts)
    chosen[0]?.sources.push(...own.map(({ id }) => id))
    ofHost.forEach((gap, index) => chosen[index % chosen.length]?.gaps.push(gap))
  }
  return machines
    .filter(({ sources: own, gaps: past }) => own.length + past.length > 0)
    .map(({ region, ...work }, index) => ({
      name: String(index + 1).padStart(3, '0'),
      region: region.name,
      runs_on: region.runs_on,
      country: region.country,
      sources: inOrder(work.sources, sources),
      gaps: work.gaps,
    }))
}

function machinesOf({ regions, mostShards }: Sharding): Machine[] {
  const all = regions.flatMap((region) =>
    Array.from({ length: region.addresses }, (): Machine => ({ region, sources: [], gaps: [] })),
  )
  const most = Math.min(mostShards, MOST_SHARDS)
  if (all.length <= most) return all
  // Each region keeps one: some host may answer nowhere else.
  const firsts = regions.flatMap((region) => all.find((machine) => machine.region === region) ?? [])
  const kept = new Set([...firsts, ...all].slice(0, Math.max(1, most)))
  for (const machine of all) if (kept.size < most) kept.add(machine)
  return all.filter((machine) => kept.has(machine))
}

/** The machines whose country no source of a host refuses; all of them where each is refused. */
function allowedFor(sources: readonly SourceFacts[], machines: readonly Machine[]): readonly Machine[] {
  const refuses = ({ region: { country } }: Machine) =>
    sources.some(
      ({ unavailableFrom }) =>
        country !== null &&
        unavailableFrom?.fallbackHost === undefined &&
        unavailableFrom?.countries.includes(country) === true,
    )
  const allowed = machines.filter((machine) => !refuses(machine))
  return allowed.length > 0 ? allowed : machines
}

const requestsIn = (gaps: readonly PlannedGap[]): number => gaps.reduce((sum, { requests }) => sum + requests.length, 0)

/** How long the requests take at the pace of the slowest source of a host. */
const secondsFor = (gaps: readonly PlannedGap[], sources: readonly SourceFacts[]): number =>
  requestsIn(gaps) * Math.max(...sources.map(({ pace }) => pace.perSeconds / pace.requests))

const loadOf = ({ sources, gaps }: Machine): number => sources.length + requestsIn(gaps)

const inOrder = (ids: readonly string[], sources: readonly SourceFacts[]): string[] => {
  const known = new Set(ids)
  return sources.flatMap(({ id }) => (known.has(id) ? [id] : []))
}
