import type { TokenContract, VerificationStatus } from '../contract/asset.ts'
import { compare, ensured, groupBy } from '../contract/order.ts'
import type { Ms } from '../contract/time.ts'
import type { Entry, Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Sighting } from '../sources/source.ts'
import { contractKey, contractsDiffer, shareContract } from './contracts.ts'
import type { ExchangeListing } from './exchange-listings.ts'
import { EXCHANGES, type Listing, type Previous, youngPrice } from './listing.ts'
import { freeSlug } from '../contract/names.ts'
import { LIMITS } from './methodology.ts'
import { factorBetween } from './statistics.ts'

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
  /** Data under the asset's id that describes another asset. It is not used. */
  readonly withheld: readonly Sighted[]
  /** Slugs of other listings of the last publication that turn out to be this one. */
  readonly merged?: readonly string[]
  /** Whether the directory knows no other asset of the symbol; of listings that exchanges alone know. */
  readonly isOnlyOne?: boolean
}

/** What the registry, the sources of this run and the last publication call an asset, in this order. */
export const namesOf = ({ entry, sighted, before }: Pick<Identity, 'entry' | 'sighted' | 'before'>) => [
  ...(entry ? [entry] : []),
  ...sighted.map(({ sighting }) => sighting),
  ...(before ? [before.asset] : []),
]

type Ids = readonly (readonly [source: string, id: string])[]

interface IdentityBuilder extends Pick<Identity, 'entry'> {
  slug: string | null
  before: Listing | null
  sighted: Sighted[]
  withheld: Sighted[]
  merged: string[]
  isOnlyOne?: boolean
}

/**
 * Says which sightings are of one asset. Slugs are stable: the registry's and the last publication's external ids
 * decide before anything else, so a rename upstream or a new twin changes no listing's slug. The order of sources is the order of
 * the reports; the order of rows within one does not matter.
 */
export function identify(
  reports: readonly Report[],
  registry: Registry,
  previous: Previous,
  { now, traded = [] }: { readonly now: Ms; readonly traded?: readonly ExchangeListing[] },
) {
  const drafts = new Drafts()
  for (const entry of registry.assets) {
    const last = previous.listings.get(entry.slug) ?? null
    const ids = registry.externalIds(entry)
    const contracts = registry.contractsOf(entry)
    // A slug that was given up has no listing: the one that replaced it takes it back.
    const before = last?.asset.replaced_by ? null : last
    const own = isStranger({ ...entry, ids, contracts }, last) ? { entry } : { slug: entry.slug, entry, before }
    const draft = drafts.add(own)
    drafts.learn(draft, ids, contracts, true)
    drafts.byPublishedName.set(nameKey(entry), draft)
  }
  for (const before of previous.listings.values()) {
    const { slug, replaced_by, external_ids, contracts } = before.asset
    if (replaced_by !== null) continue
    const ids = Object.entries(external_ids)
    const draft = drafts.bySlug.get(slug) ?? drafts.byAnyId(ids) ?? drafts.add({ slug })
    draft.before ??= before
    drafts.learn(draft, ids, contracts, true)
    drafts.learnPublished(draft, before)
  }
  for (const report of reports) place(report, registry, drafts, now)
  for (const draft of drafts.all) believe(draft)
  placeTraded(traded, drafts)
  return named(drafts.all, previous)
}

/**
 * Whether an entry is another asset than the delisted one that had its slug: a slug is for ever, so it gets one of its own,
 * unless a reviewer decided that it is the same asset.
 */
function isStranger(
  { ids, contracts, relisted, ...names }: Entry & { readonly ids: Ids; readonly contracts: readonly TokenContract[] },
  last: Listing | null,
): boolean {
  if (relisted || last?.asset.listing_status !== 'delisted' || last.asset.replaced_by !== null) return false
  const isSame =
    ids.some(([source, id]) => last.asset.external_ids[source] === id) ||
    shareContract(contracts, last.asset.contracts) ||
    (nameKey(names) === nameKey(last.asset) && !contractsDiffer(contracts, last.asset.contracts))
  return !isSame
}

/** Two sources that describe the same other asset are believed: it is the listing that changed. */
function believe(draft: IdentityBuilder): void {
  const names = new Set(draft.withheld.map(({ sighting }) => nameKey(sighting)))
  if (draft.withheld.length < 2 || names.size > 1) return
  draft.sighted.push(...draft.withheld)
  draft.withheld = []
}

/**
 * Whether a sighting describes another asset than the listing that has its id: its symbol or its contract, its name and
 * its price all differ; where the name is that of another listing, the price decides nothing. The contracts come from a
 * list of the same source by the same id, so they can accuse the row and never vouch for it. So looks an aggregator that
 * swaps two ids, or gives one away again.
 */
function describesAnother(draft: IdentityBuilder, one: Sighted, isOfAnother: boolean, now: Ms): boolean {
  const { before } = draft
  const accused = before !== null && contractsDiffer(one.contracts, before.asset.contracts)
  if (hasName(draft, one.sighting) || (hasSymbol(draft, one.sighting) && !accused)) return false
  if (isOfAnother) return true
  return before?.asset.listing_status === 'delisted' || pricesRefute(draft, one, now)
}

/** Whether a sighting that was found by contract has nothing else of the listing: neither symbol nor name nor price. */
const isUnlike = (draft: IdentityBuilder, one: Sighted, now: Ms): boolean =>
  !hasName(draft, one.sighting) && !hasSymbol(draft, one.sighting) && pricesRefute(draft, one, now)

const knownNames = (draft: IdentityBuilder) => namesOf({ ...draft, sighted: [] })

const hasName = (draft: IdentityBuilder, { name }: Sighting): boolean =>
  knownNames(draft).some((known) => nameKeyOf(known.name) === nameKeyOf(name))

const hasSymbol = (draft: IdentityBuilder, { symbol }: Sighting): boolean =>
  knownNames(draft).some((known) => known.symbol.toLowerCase() === symbol.toLowerCase())

function pricesRefute({ before }: IdentityBuilder, { source, sighting }: Sighted, now: Ms): boolean {
  if (!before || youngPrice(before, now) === null) return false
  const { price_usd, price_basis } = before.asset
  const own = [...price_basis.sources, ...price_basis.excluded].filter(({ source_id }) => source_id === source.id)
  return [{ price_usd }, ...own].every((last) => !pricesAgree(last.price_usd, sighting.price_usd))
}

function place({ source, sightings }: Report, registry: Registry, drafts: Drafts, now: Ms): void {
  const ids = new Set<string>()
  const sighted = sightings
    // A row that comes twice makes no second listing.
    .filter(({ id }) => !ids.has(id) && ids.add(id))
    .toSorted((a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || compare(a.id, b.id))
    .map((sighting): Sighted => ({
      source,
      sighting,
      contracts: registry.contractsSeen(source.id, sighting.contracts),
    }))
  const twins = groupBy(sighted, ({ sighting }) => nameKey(sighting))

  // Everyone known by id first, so that no stranger takes the place of one who comes later in the list.
  const strangers = sighted.filter((one) => {
    const draft = drafts.byAnyId([[source.id, one.sighting.id]])
    if (!draft || sees(draft, source.id)) return true
    const owner = drafts.byPublishedName.get(nameKey(one.sighting)) ?? draft
    if (!describesAnother(draft, one, owner !== draft, now)) drafts.put(draft, one)
    else if (draft.before?.asset.listing_status === 'delisted') return true
    else draft.withheld.push(one)
    return false
  })
  for (const one of strangers) {
    const ofContract = drafts.byContracts(one.contracts, source.id)
    const match =
      (ofContract && !isUnlike(ofContract, one, now) ? ofContract : undefined) ??
      (twins.get(nameKey(one.sighting))?.length === 1 ? drafts.byName(one, source.id) : undefined) ??
      drafts.byTrade(one)
    drafts.put(match ?? drafts.add({}), one)
  }
}

/** Places assets that exchanges trade and no aggregator lists: on their earlier listing, or on a new one. */
function placeTraded(traded: readonly ExchangeListing[], drafts: Drafts): void {
  for (const { sighting, contracts, isOnlyOne } of traded) {
    const one: Sighted = { source: { id: EXCHANGES, label: EXCHANGES }, sighting, contracts }
    const ofSymbol = drafts.ofSymbol(sighting.symbol)
    const known =
      drafts.byAnyId([[EXCHANGES, sighting.id]]) ??
      ofSymbol.find((draft) => shareContract(contracts, contractsIn(draft)))
    if (known && known.sighted.length + known.withheld.length === 0 && isOfExchanges(known.before)) {
      known.sighted.push(one)
      known.isOnlyOne = isOnlyOne
    }
    // Of two assets with one symbol nothing but their contracts says that they are two.
    if (known || ofSymbol.some((draft) => !contractsDiffer(contracts, contractsIn(draft)))) continue
    drafts.put(drafts.add({ isOnlyOne: isOnlyOne && ofSymbol.length === 0 }), one)
  }
}

const contractsIn = ({ before, sighted }: IdentityBuilder): TokenContract[] => [
  ...sighted.flatMap(({ contracts }) => contracts),
  ...(before?.asset.contracts ?? []),
]

const isOfExchanges = (listing: Listing | null): boolean =>
  listing !== null && Object.keys(listing.asset.external_ids).join() === EXCHANGES

/** Gives each new listing its slug, best ranked first, so that of two with one name the larger has the plain one. */
function named(drafts: readonly IdentityBuilder[], previous: Previous): Identity[] {
  const taken = new Set([...previous.listings.keys(), ...drafts.flatMap(({ slug }) => slug ?? [])])
  const rank = ({ sighted }: IdentityBuilder) => Math.min(...sighted.map(({ sighting }) => sighting.rank ?? Infinity))
  const id = ({ sighted }: IdentityBuilder) => sighted[0]?.sighting.id ?? ''
  const called = ({ name, symbol }: Pick<Sighting, 'name' | 'symbol'>) => `${name} ${symbol}`
  const added = drafts.filter(({ slug }) => slug === null)
  for (const draft of added.toSorted((a, b) => rank(a) - rank(b) || compare(id(a), id(b)))) {
    const texts = draft.sighted.flatMap(({ sighting: one }) => [...one.slugs, one.id, called(one)])
    const own = draft.entry ? [draft.entry.name, called(draft.entry)] : []
    draft.slug = freeSlug([...own, ...texts], taken)
    taken.add(draft.slug)
  }
  return drafts.map(({ slug, ...draft }) => ({ slug: slug ?? '', ...draft }))
}

const nameKeyOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const nameKey = ({ symbol, name }: { readonly symbol: string; readonly name: string }): string =>
  `${symbol.toLowerCase()} ${nameKeyOf(name)}`

const sees = (draft: IdentityBuilder, source: string): boolean => draft.sighted.some((one) => one.source.id === source)

const pricesAgree = (a: number | null, b: number | null): boolean =>
  a === null || b === null || factorBetween(a, b) <= 1 + LIMITS.same_percent / 100

class Drafts {
  readonly all: IdentityBuilder[] = []
  readonly bySlug = new Map<string, IdentityBuilder>()
  /** By the symbols and names of the registry and the last publication. */
  readonly byPublishedName = new Map<string, IdentityBuilder>()
  readonly #byId = new Map<string, IdentityBuilder>()
  readonly #byContract = new Map<string, IdentityBuilder | null>()
  readonly #owned = new Set<string>()
  readonly #byName = new Map<string, IdentityBuilder[]>()
  readonly #ofExchanges: IdentityBuilder[] = []
  #bySymbol: ReadonlyMap<string, readonly IdentityBuilder[]> | null = null

  add(own: Partial<IdentityBuilder>): IdentityBuilder {
    const draft = { slug: null, entry: null, before: null, sighted: [], withheld: [], merged: [], ...own }
    this.all.push(draft)
    if (draft.slug !== null) this.bySlug.set(draft.slug, draft)
    return draft
  }

  put(draft: IdentityBuilder, one: Sighted): void {
    const { source, sighting, contracts } = one
    draft.sighted.push(one)
    this.learn(draft, [[source.id, sighting.id]], contracts)
    this.learnName(draft, sighting)
  }

  /** @param areOwn they are of the registry, or of the last publication: no sighting takes such a contract away */
  learn(draft: IdentityBuilder, ids: Ids, contracts: readonly TokenContract[], areOwn = false): void {
    for (const key of ids.map((one) => one.join(' '))) if (!this.#byId.has(key)) this.#byId.set(key, draft)
    for (const key of contracts.map(contractKey)) {
      if (areOwn) this.#owned.add(key)
      else if (this.#owned.has(key)) continue
      const known = this.#byContract.get(key)
      // A contract claimed by two assets identifies neither.
      this.#byContract.set(key, known === undefined || known === draft ? draft : null)
    }
  }

  learnPublished(draft: IdentityBuilder, listing: Listing): void {
    const { asset } = listing
    this.byPublishedName.set(nameKey(asset), draft)
    if (asset.listing_status === 'delisted') return
    if (draft.before !== listing) draft.merged.push(asset.slug)
    this.learnName(draft, asset)
    if (isOfExchanges(listing)) this.#ofExchanges.push(draft)
  }

  learnName(draft: IdentityBuilder, sighting: Pick<Sighting, 'symbol' | 'name'>): void {
    const known = ensured(this.#byName, nameKey(sighting), () => [])
    if (!known.includes(draft)) known.push(draft)
  }

  byAnyId(ids: Ids): IdentityBuilder | undefined {
    const known = ids.find(([source, id]) => this.#byId.has(`${source} ${id}`))
    return known && this.#byId.get(known.join(' '))
  }

  /** The one draft with one of these contracts that the source does not see yet. */
  byContracts(contracts: readonly TokenContract[], source: string): IdentityBuilder | undefined {
    const found = new Set(contracts.map((contract) => this.#byContract.get(contractKey(contract))))
    found.delete(undefined)
    const [draft] = found
    return found.size === 1 && draft && !sees(draft, source) ? draft : undefined
  }

  ofSymbol(symbol: string): readonly IdentityBuilder[] {
    this.#bySymbol ??= groupBy(
      this.all.filter(({ before }) => before?.asset.listing_status !== 'delisted'),
      (draft) => (namesOf(draft)[0]?.symbol ?? '').toUpperCase(),
    )
    return this.#bySymbol.get(symbol.toUpperCase()) ?? []
  }

  /** The one listing of exchanges that has the symbol of a sighting, and its id or its price. */
  byTrade({ sighting, contracts }: Sighted): IdentityBuilder | undefined {
    const symbol = sighting.symbol.toUpperCase()
    const [draft, ...others] = this.#ofExchanges.filter(
      ({ before, sighted }) => sighted.length === 0 && before?.asset.symbol.toUpperCase() === symbol,
    )
    const asset = draft?.before?.asset
    if (!draft || !asset || others.length > 0) return undefined
    // The directory has CoinGecko's ids. Its contracts may be older than the source's.
    if (asset.external_ids[EXCHANGES] === sighting.id && pricesAgree(asset.price_usd, sighting.price_usd)) return draft
    const isNamesake = nameKey(asset) === nameKey(sighting)
    if (!isNamesake && contractsDiffer(contracts, asset.contracts)) return undefined
    if (asset.price_usd === null || sighting.price_usd === null) return undefined
    const factor = factorBetween(asset.price_usd, sighting.price_usd)
    return factor <= 1 + LIMITS.tolerance_percent / 100 ? draft : undefined
  }

  /** The one draft of this symbol and name that may be the same asset. */
  byName(one: Sighted, source: string): IdentityBuilder | undefined {
    const [draft, second] = this.#byName.get(nameKey(one.sighting)) ?? []
    if (!draft || second || sees(draft, source)) return undefined
    const seen = draft.sighted.map(({ sighting: { price_usd }, contracts }) => ({ price_usd, contracts }))
    // A listing that no source has named yet in this run is identified by what was published.
    const known = seen.length > 0 || draft.before === null ? seen : [draft.before.asset]
    const isSame = known.every(
      ({ price_usd, contracts }) =>
        pricesAgree(price_usd, one.sighting.price_usd) && !contractsDiffer(contracts, one.contracts),
    )
    return isSame ? draft : undefined
  }
}

/** How far it is certain that a listing is what it says it is. */
export function verificationOf(identity: Identity): VerificationStatus {
  const { entry, before, sighted, withheld } = identity
  if (entry) return entry.verification_status
  // A source that describes another asset under its id does not outweigh one that still recognizes it.
  if (withheld.length > 0 && sighted.length === 0) return 'flagged'
  if (conflictOf(identity)) return 'flagged'
  if (sighted.length >= 2) return 'verified'
  const known = Object.keys(before?.asset.external_ids ?? {}).length
  return before && known > sighted.length ? before.asset.verification_status : 'unverified'
}

/** Whether two sources name one contract each on some chain, and not the same. The registry's word ends all doubt. */
export function conflictOf({ entry, sighted }: Identity): boolean {
  if (entry) return false
  const byChain = ({ chain }: TokenContract) => chain
  const named = sighted.flatMap(({ contracts }) => [...groupBy(contracts, byChain).values()])
  const alone = groupBy(named.filter(({ length }) => length === 1).flat(), byChain)
  return [...alone.values()].some(([first, ...others]) => others.some(({ address }) => address !== first?.address))
}
