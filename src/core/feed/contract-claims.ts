import { min } from 'd3-array'
import { by, groupBy } from '../contract/order.ts'
import type { TokenContract } from '../contract/asset.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { namesAlike } from '../registry/name-words.ts'
import type { Registry } from '../registry/registry.ts'
import type { ReportedCurrency } from '../sources/source.ts'
import { byContract, contractKey, contractsDiffer, distinct, ownersOf, shareContract } from './contracts.ts'
import { EXCHANGES } from './listing.ts'
import type { SourceHealth } from './freshness.ts'
import { heldRow } from './holds.ts'
import { type Identity, namesOf } from './identify.ts'
import type { KnownSymbols } from './match.ts'
import { LIMITS } from './methodology.ts'

interface ContractEvidence extends Pick<SourceHealth, 'now' | 'isSilent'> {
  readonly registry: Registry
  readonly lists: ReadonlyMap<string, ReadonlyMap<string, ReportedCurrency>>
}

type Described = Pick<Identity, 'slug' | 'entry' | 'before' | 'sighted'>

/** Decides which contracts each listing has; by slug. The order of the identities and of the sightings does not matter. */
export function judgeContracts(identities: readonly Described[], evidence: ContractEvidence) {
  const weighing = { ...evidence, ...claimsOf(identities, evidence) }
  return new Map(identities.map((identity) => [identity.slug, judged(identity, weighing)] as const))
}

type Weighing = ContractEvidence & ReturnType<typeof claimsOf>

function judged(identity: Described, weighing: Weighing) {
  const { entry, before, sighted } = identity
  const reviewed = entry ? weighing.registry.contractsOf(entry) : []
  const published = before?.asset.contracts ?? []
  const named = distinct(sighted.flatMap(({ contracts }) => contracts))
  const own = [...reviewed, ...published]
  if (named.length === 0) {
    const held = (before?.asset.held ?? []).filter(({ field }) => field === 'contracts')
    return { contracts: distinct(own), held }
  }
  const offered = named.map((contract) => ({ contract, row: heldAddition(identity, contract, own, weighing) }))
  const namedKeys = new Set([...reviewed, ...named].map(contractKey))
  const missing = published
    .filter((contract) => !namedKeys.has(contractKey(contract)))
    .map((contract) => ({ contract, row: heldRemoval(identity, contract, weighing) }))
  const accepted = offered.filter(({ row }) => row === null).map(({ contract }) => contract)
  const kept = missing.filter(({ row }) => row !== null).map(({ contract }) => contract)
  const held = [...offered, ...missing].flatMap(({ row }) => (row === null || row === 'silent' ? [] : [row]))
  return {
    contracts: distinct([...reviewed, ...accepted, ...kept]),
    held: held.toSorted(by(({ held_value, offered_value }) => `${offered_value ?? ''} ${held_value ?? ''}`)),
  }
}

function heldAddition(identity: Described, contract: TokenContract, own: readonly TokenContract[], weighing: Weighing) {
  const { otherOwner, otherReviewed, namedBy, now } = weighing
  const { slug } = identity
  const key = contractKey(contract)
  const owner = otherOwner(key, slug)
  const sameChain = own.filter(({ chain }) => chain === contract.chain).map(contractKey)
  if (sameChain.includes(key) || (owner === null && sameChain.length === 0)) return null
  const isReviewed = otherReviewed(key, slug) !== null
  const source_ids = namedBy(key, identity)
  if (!isReviewed && source_ids.length >= LIMITS.sources) return null
  return heldRow(identity, now, {
    field: 'contracts',
    held_value: sameChain[0] ?? null,
    offered_value: key,
    rule: 'contract_moved',
    source_ids,
    reason:
      owner === null
        ? 'The asset has another contract on this chain, and one source alone names this one.'
        : `It is a contract of ${owner}, and one source alone names it here.`,
    release: isReviewed ? 'An entry of the registry.' : CONFIRMATION,
    hours: isReviewed ? null : LIMITS.forget_hours,
  })
}

/**
 * The row of a published contract that the sources of its listing no longer name; null where it is removed. It stays
 * without a row while one of the sources is silent.
 */
function heldRemoval(
  identity: Described,
  contract: TokenContract,
  { movesFrom, isSilent, now }: Weighing,
): QuarantineRow | 'silent' | null {
  const { slug, before, sighted } = identity
  const key = contractKey(contract)
  if (movesFrom(key, slug)) return null
  const isSame = (offered: QuarantineRow['offered_value'], held: QuarantineRow['held_value']) =>
    offered === null && held === key
  if (Object.keys(before?.asset.external_ids ?? {}).some(isSilent))
    return before?.asset.held.find(({ offered_value, held_value }) => isSame(offered_value, held_value)) ?? 'silent'
  return heldRow(identity, now, {
    field: 'contracts',
    held_value: key,
    offered_value: null,
    rule: 'contract_moved',
    source_ids: sighted.flatMap(({ source, contracts }) => (contracts.length > 0 ? source.id : [])).toSorted(),
    reason: 'The sources of the asset no longer name it, and no two name it for another.',
    release: CONFIRMATION,
    hours: LIMITS.forget_hours,
    isSame,
  })
}

const CONFIRMATION = `A second source, an entry of the registry, or ${LIMITS.forget_hours} hours in which the sources repeat it.`

function claimsOf(identities: readonly Described[], { lists, registry }: ContractEvidence) {
  const reviewed = byContract(identities, ({ entry }) => (entry ? registry.contractsOf(entry) : []))
  const published = byContract(identities, ({ before }) => before?.asset.contracts ?? [])
  const claimants = byContract(identities, ({ sighted }) => sighted.flatMap(({ contracts }) => contracts))
  const rows = [...lists].flatMap(([venue, own]) => [...own.values()].map((row) => ({ venue, row })))
  const listed = byContract(rows, ({ venue, row }) => registry.contractsSeen(venue, row.contracts))
  const others = (owners: readonly Described[] = [], slug: string) => owners.filter((owner) => owner.slug !== slug)

  const namedBy = (key: string, identity: Described): string[] => {
    const aggregators = identity.sighted.flatMap(({ source, contracts }) =>
      source.id !== EXCHANGES && contracts.some((contract) => contractKey(contract) === key) ? [source.id] : [],
    )
    const known = namesOf(identity)
    const isKnown = ({ symbol, name }: ReportedCurrency) =>
      known.some((one) => one.symbol.toUpperCase() === symbol && (name === null || namesAlike(one.name, name)))
    const venues = (listed.get(key) ?? []).flatMap(({ venue, row }) => (isKnown(row) ? [venue] : []))
    return [...new Set([...aggregators, ...venues])].toSorted()
  }
  const otherReviewed = (key: string, slug: string): string | null => others(reviewed.get(key), slug)[0]?.slug ?? null
  return {
    namedBy,
    otherReviewed,
    otherOwner: (key: string, slug: string): string | null =>
      otherReviewed(key, slug) ?? min(others(published.get(key), slug), (owner) => owner.slug) ?? null,
    movesFrom: (key: string, slug: string): boolean =>
      otherReviewed(key, slug) !== null ||
      others(claimants.get(key), slug).some((other) => namedBy(key, other).length >= LIMITS.sources),
  }
}

export function venueLists(
  identities: readonly Identity[],
  contractsOf: (slug: string) => readonly TokenContract[],
  registry: Registry,
  lists: ContractEvidence['lists'],
): Pick<KnownSymbols, 'identified' | 'contradicts'> {
  const all = identities.map((identity) => {
    const known = namesOf(identity)
    const symbol = (known[0]?.symbol ?? '').toUpperCase()
    return { slug: identity.slug, symbol, names: known.map(({ name }) => name), contracts: contractsOf(identity.slug) }
  })
  const bySlug = new Map(all.map((one) => [one.slug, one]))
  const bySymbol = groupBy(all, ({ symbol }) => symbol)
  const byContract = ownersOf(all, ({ contracts }) => contracts)
  const rowOf = (venue: string, symbol: string) => {
    const row = lists.get(venue)?.get(symbol)
    return row ? { row, contracts: registry.contractsSeen(venue, row.contracts) } : null
  }
  return {
    identified(venue, symbol) {
      const own = rowOf(venue, symbol)
      if (own === null) return null
      const { row, contracts } = own
      const holders = new Set(contracts.flatMap((contract) => byContract.get(contractKey(contract)) ?? []))
      // A contract of another name and symbol is a wrapped form, or a mistake, and no evidence.
      const [holder, ...more] = [...holders].filter((one) => one.symbol === symbol || isNamed(row, one.names))
      if (holder) return more.length > 0 ? null : { slug: holder.slug, matched_by: 'contract' }
      if (holders.size > 0) return null
      const [only, ...others] = (bySymbol.get(symbol) ?? []).filter(
        (one) => isNamed(row, one.names) && !contractsDiffer(contracts, one.contracts),
      )
      return only && others.length === 0 ? { slug: only.slug, matched_by: 'name' } : null
    },
    contradicts(venue, symbol, slug) {
      const own = rowOf(venue, symbol)
      const asset = bySlug.get(slug)
      if (own === null || asset === undefined) return false
      if (shareContract(own.contracts, asset.contracts)) return false
      if (contractsDiffer(own.contracts, asset.contracts)) return true
      const names = asset.names.filter((one) => one.toUpperCase() !== symbol)
      return own.row.name !== null && names.length > 0 && !isNamed(own.row, names)
    },
  }
}

const isNamed = ({ name }: ReportedCurrency, names: readonly string[]): boolean =>
  name !== null && names.some((one) => namesAlike(name, one))
