import type { TokenContract } from '../contract/asset.ts'
import type { Entry, Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Sighting } from '../sources/source.ts'
import type { Listing, Previous } from './listing.ts'
import { freeSlug } from './slug.ts'

/** The numbers of the rule. */
export const IDENTITY = {
  rule:
    'A sighting belongs to the listing that has its external id; else to the one with one of its contracts; else to the ' +
    'one other with the same symbol and name, if there is exactly one on each side, their prices agree and no contract ' +
    'of one chain differs; else it is a new listing. The symbol alone decides nothing.',
  name_price_tolerance_percent: 10,
} as const

/** An asset as one source sees it. */
export interface Sighted {
  readonly source: { readonly id: string; readonly label: string }
  readonly sighting: Sighting
  readonly contracts: readonly TokenContract[]
}

/** One asset of the world: everyone who sees it, under one slug. */
export interface Identity {
  readonly slug: string
  readonly entry: Entry | null
  readonly before: Listing | null
  readonly sighted: readonly Sighted[]
}

interface Draft {
  slug: string | null
  entry: Entry | null
  before: Listing | null
  sighted: Sighted[]
}

/**
 * Says which sightings are of one asset. Slugs are stable: the registry's and the last publication's external ids
 * decide before anything else, so a rename upstream or a new twin moves nobody. The order of sources is the order of
 * the reports; the order of rows within one does not matter.
 */
export function identify(reports: readonly Report[], registry: Registry, previous: Previous): Identity[] {
  const drafts = new Drafts()
  for (const entry of registry.assets) {
    const draft = drafts.add({
      slug: entry.slug,
      entry,
      before: previous.listings.get(entry.slug) ?? null,
      sighted: [],
    })
    drafts.learn(draft, registry.externalIds(entry), registry.contractsOf(entry))
  }
  for (const before of previous.listings.values()) {
    const { slug, replaced_by, external_ids, contracts } = before.asset
    if (replaced_by !== null) continue
    const ids = Object.entries(external_ids)
    const draft =
      drafts.bySlug(slug) ?? drafts.byAnyId(ids) ?? drafts.add({ slug, entry: null, before: null, sighted: [] })
    draft.before ??= before
    drafts.learn(draft, ids, contracts)
  }
  for (const report of reports) place(report, registry, drafts)
  return named(drafts.all, previous)
}

function place({ source, sightings }: Report, registry: Registry, drafts: Drafts): void {
  const sighted = sightings
    .toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || (a.id < b.id ? -1 : 1))
    .map((sighting): Sighted => ({
      source,
      sighting,
      contracts: registry.contractsSeen(source.id, sighting.contracts),
    }))
  const twins = new Map<string, number>()
  for (const { sighting } of sighted) twins.set(nameKey(sighting), (twins.get(nameKey(sighting)) ?? 0) + 1)

  const put = (draft: Draft, one: Sighted) => {
    draft.sighted.push(one)
    drafts.learn(draft, [[source.id, one.sighting.id]], one.contracts)
    drafts.learnName(draft, one.sighting)
  }
  // Everyone known by id first, so that no stranger takes the place of one who comes later in the list.
  const strangers = sighted.filter((one) => {
    const draft = drafts.byAnyId([[source.id, one.sighting.id]])
    if (!draft || sees(draft, source.id)) return true
    put(draft, one)
    return false
  })
  for (const one of strangers) {
    const match =
      drafts.byContracts(one.contracts, source.id) ??
      (twins.get(nameKey(one.sighting)) === 1 ? drafts.byName(one, source.id) : undefined)
    put(match ?? drafts.add({ slug: null, entry: null, before: null, sighted: [] }), one)
  }
}

/** Gives each new listing its slug, best ranked first, so that of two with one name the larger has the plain one. */
function named(drafts: readonly Draft[], previous: Previous): Identity[] {
  const taken = new Set([...previous.listings.keys(), ...drafts.flatMap(({ slug }) => slug ?? [])])
  const rank = ({ sighted }: Draft) => Math.min(...sighted.map(({ sighting }) => sighting.rank ?? Infinity))
  const id = ({ sighted }: Draft) => sighted[0]?.sighting.id ?? ''
  for (const draft of drafts
    .filter(({ slug }) => slug === null)
    .toSorted((a, b) => rank(a) - rank(b) || (id(a) < id(b) ? -1 : 1))) {
    const texts = draft.sighted.flatMap(({ sighting: { slugs, id, name, symbol } }) => [
      ...slugs,
      id,
      `${name} ${symbol}`,
    ])
    draft.slug = freeSlug(texts, taken)
    taken.add(draft.slug)
  }
  return drafts.map(({ slug, entry, before, sighted }) => ({ slug: slug ?? '', entry, before, sighted }))
}

const nameKey = ({ symbol, name }: { readonly symbol: string; readonly name: string }): string =>
  `${symbol.toLowerCase()} ${name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')}`

const contractKey = ({ chain, address }: TokenContract): string => `${chain} ${address}`

const sees = (draft: Draft, source: string): boolean => draft.sighted.some((one) => one.source.id === source)

/** Whether two prices are of one asset, as far as can be told. */
const pricesAgree = (a: number | null, b: number | null): boolean =>
  a === null || b === null || Math.abs(Math.log(a / b)) <= Math.log(1 + IDENTITY.name_price_tolerance_percent / 100)

/** Whether both name a contract on some chain, and on no such chain the same one. */
const contractsDiffer = (a: readonly TokenContract[], b: readonly TokenContract[]): boolean => {
  const chains = new Set(b.map(({ chain }) => chain))
  const shared = a.filter(({ chain }) => chains.has(chain))
  const known = new Set(b.map(contractKey))
  return shared.length > 0 && !shared.some((contract) => known.has(contractKey(contract)))
}

/** Drafts of identities with look-ups by everything that tells one from another. */
class Drafts {
  readonly all: Draft[] = []
  readonly #bySlug = new Map<string, Draft>()
  readonly #byId = new Map<string, Draft>()
  readonly #byContract = new Map<string, Draft | null>()
  readonly #byName = new Map<string, Draft[]>()

  add(draft: Draft): Draft {
    this.all.push(draft)
    if (draft.slug !== null) this.#bySlug.set(draft.slug, draft)
    return draft
  }

  learn(draft: Draft, ids: readonly (readonly [string, string])[], contracts: readonly TokenContract[]): void {
    for (const [source, id] of ids) {
      const key = `${source} ${id}`
      if (!this.#byId.has(key)) this.#byId.set(key, draft)
    }
    for (const contract of contracts) {
      const key = contractKey(contract)
      const known = this.#byContract.get(key)
      // A contract that two assets claim tells them not apart.
      this.#byContract.set(key, known === undefined || known === draft ? draft : null)
    }
  }

  learnName(draft: Draft, sighting: Sighting): void {
    const key = nameKey(sighting)
    const known = this.#byName.get(key) ?? []
    if (!known.includes(draft)) this.#byName.set(key, [...known, draft])
  }

  bySlug(slug: string): Draft | undefined {
    return this.#bySlug.get(slug)
  }

  byAnyId(ids: readonly (readonly [string, string])[]): Draft | undefined {
    for (const [source, id] of ids) {
      const draft = this.#byId.get(`${source} ${id}`)
      if (draft) return draft
    }
    return undefined
  }

  /** The one draft with one of these contracts that the source does not see yet. */
  byContracts(contracts: readonly TokenContract[], source: string): Draft | undefined {
    const found = new Set(contracts.map((contract) => this.#byContract.get(contractKey(contract))))
    found.delete(undefined)
    const [draft] = found
    return found.size === 1 && draft && !sees(draft, source) ? draft : undefined
  }

  /** The one draft of this symbol and name that may be the same asset. */
  byName(one: Sighted, source: string): Draft | undefined {
    const [draft, second] = this.#byName.get(nameKey(one.sighting)) ?? []
    if (!draft || second || sees(draft, source)) return undefined
    const agrees = draft.sighted.every(
      ({ sighting, contracts }) =>
        pricesAgree(sighting.price_usd, one.sighting.price_usd) && !contractsDiffer(contracts, one.contracts),
    )
    return agrees ? draft : undefined
  }
}
