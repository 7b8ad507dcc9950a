import { isDeepStrictEqual } from 'node:util'
import { roundMoney } from '../contract/numbers.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Asset, SupplyBasis, SupplyField } from '../contract/asset.ts'
import { type Ms, hoursSince } from '../contract/time.ts'
import type { Sighting } from '../sources/source.ts'
import { heardAtOf, lastFigures } from './carry.ts'
import { type SourceHealth } from './freshness.ts'
import { heldRow } from './holds.ts'
import type { Identity } from './identify.ts'
import { LIMITS } from './methodology.ts'
import { factorBetween, isWithin } from './statistics.ts'

const REGISTRY = 'registry'

type SupplyWitness = SupplyBasis['witnesses'][number]

const near = (a: number, b: number): boolean => factorBetween(a, b) <= 1 + LIMITS.same_percent / 100

type Supplies = Readonly<Pick<Asset, SupplyField>>

/** Whether a maximum is below no supply there is; unknown ones are possible. */
export const isPossibleMaximum = ({ circulating_supply, total_supply, max_supply }: Supplies): boolean =>
  max_supply === null || max_supply >= Math.max(circulating_supply ?? 0, total_supply ?? 0)

/** Returns the coins that a fully diluted valuation counts, never fewer than circulate; null: unknown. */
export const dilutedSupply = ({ circulating_supply, total_supply, max_supply }: Supplies): number | null =>
  max_supply ?? (total_supply && Math.max(total_supply, circulating_supply ?? 0))

interface SupplyDecision {
  readonly method: SupplyBasis['method']
  /** The witness whose value counts; null if the last published one stays, or none is known. */
  readonly witness: SupplyWitness | null
}

export function decideSupply(witnesses: readonly SupplyWitness[], last: SupplyBasis['last']): SupplyDecision {
  const [first] = witnesses
  if (!first) return { method: last === null ? 'none' : 'kept', witness: null }
  const agreed = witnesses.find(
    (one) =>
      one.source_id === REGISTRY ||
      (last !== null && near(one.value, last.value)) ||
      witnesses.some((other) => other !== one && near(one.value, other.value)),
  )
  if (agreed) return { method: 'agreed', witness: agreed }
  if (last !== null) return { method: 'kept', witness: null }
  if (witnesses.length === 1) return { method: 'alone', witness: first }
  const lowest = witnesses.reduce((low, one) => (one.value < low.value ? one : low))
  return witnesses.some(({ value }) => value / lowest.value >= LIMITS.dispute_factor)
    ? { method: 'lowest', witness: lowest }
    : { method: 'first', witness: first }
}

interface ReportedSupply extends SupplyWitness {
  readonly contradiction: string | null
  /** The figure that is held back with it: the market cap, where that implies the supply. */
  readonly figure: { readonly field: HeldSupply['field']; readonly value: number }
}

function reportsOf({ sighted }: Identity, field: SupplyField): ReportedSupply[] {
  const reports = sighted.flatMap(({ source, sighting }): ReportedSupply[] => {
    const { market_cap_usd: cap, price_usd: price } = sighting
    const isImplied = field === 'circulating_supply' && cap !== null && price !== null && price > 0
    const implied = isImplied ? cap / price : null
    const own = sighting[field]
    const value = roundMoney(own ?? implied ?? 0)
    if (value <= 0) return []
    const contradiction = field === 'circulating_supply' ? contradictionOf(value, implied, sighting) : null
    const figure =
      own === null && cap !== null ? { field: 'market_cap_usd' as const, value: roundMoney(cap) } : { field, value }
    return [{ source_id: source.id, value, is_implied: own === null, contradiction, figure }]
  })
  return [...reports.filter((one) => !one.is_implied), ...reports.filter((one) => one.is_implied)]
}

function contradictionOf(supply: number, implied: number | null, { max_supply }: Sighting): string | null {
  if (implied !== null && factorBetween(supply, implied) >= LIMITS.jump_factor)
    return 'its market cap is not this supply times its price'
  const isAbove = max_supply !== null && supply > max_supply && !near(supply, max_supply)
  return isAbove ? 'this supply is above its own maximum' : null
}

/** `held` is what is held back, without the value that is published instead. */
export type Supply = ReturnType<typeof supplyOf>

type HeldSupply = Omit<QuarantineRow, 'field'> & { readonly field: SupplyField | 'market_cap_usd' }

export function suppliesOf(identity: Identity, hearing: SourceHealth, price_usd: number | null) {
  const of = (field: SupplyField) => supplyOf(identity, field, hearing, price_usd)
  return {
    circulating_supply: of('circulating_supply'),
    total_supply: of('total_supply'),
    max_supply: of('max_supply'),
  }
}

function supplyOf(identity: Identity, field: SupplyField, hearing: SourceHealth, price_usd: number | null) {
  const { slug, entry, before } = identity
  const reports = reportsOf(identity, field)
  const reviewed = field === 'max_supply' ? (entry?.max_supply ?? null) : null
  const witnesses = witnessesAmong(reports, reviewed)
  const last = lastValueOf(identity, field, { witnesses, isOmitted: reports.length === 0 }, hearing)
  const decision = decideSupply(witnesses, last)
  const [offered] = reports
  const run = { slug, field, before, now: hearing.now, witnesses, last, value: valueOf(decision, last), ...decision }
  const isRefused = offered !== undefined && isDoubtful(offered, run)
  const held = isRefused && !isRedenominated(offered.value, run, price_usd) ? heldOffer(offered, run) : null
  // A lone report that nothing holds back any more.
  const persisted: SupplyDecision | false = isRefused && !held && { method: 'persisted', witness: offered }
  const decided = persisted || decision
  const basis = { method: decided.method, value: valueOf(decided, last), witnesses, last }
  return { basis, witness: decided.witness, held }
}

const valueOf = ({ witness }: SupplyDecision, last: SupplyBasis['last']): number | null =>
  witness?.value ?? last?.value ?? null

/** Those who do not contradict themselves, and after them the registry. */
function witnessesAmong(reports: readonly ReportedSupply[], reviewed: number | null): SupplyWitness[] {
  const registry = reviewed === null ? [] : [{ source_id: REGISTRY, value: roundMoney(reviewed), is_implied: false }]
  const sources = reports.filter(({ contradiction }) => contradiction === null)
  return [...sources.map(({ source_id, value, is_implied }) => ({ source_id, value, is_implied })), ...registry]
}

/**
 * Returns the last value as a witness: what was published, if witnesses agreed on it or it is a day old; else the value
 * before that, so that one source alone cannot move a supply step by step.
 */
function lastValueOf(
  identity: Identity,
  field: SupplyField,
  { witnesses, isOmitted }: { readonly witnesses: readonly SupplyWitness[]; readonly isOmitted: boolean },
  hearing: SourceHealth,
): SupplyBasis['last'] {
  const asset = identity.before?.asset
  const basis = asset?.supply_basis[field]
  // Without news nothing changes, not even what the first run had no last value for.
  if (!asset || (basis?.last === null && isDeepStrictEqual(basis.witnesses, witnesses))) return null
  const published = publishedSupply(identity, field, hearing)
  if (published === null) return null
  // What all sources leave out that answered is no longer known.
  const isWithdrawn = isOmitted && !Object.keys(asset.external_ids).some(hearing.isSilent)
  const hours = isWithdrawn ? LIMITS.carry_hours : LIMITS.fact_hours
  if (hoursSince(published.as_of, hearing.now) > hours) return null
  const isTaken =
    !basis?.last || (published.value !== basis.last.value && isSettled(basis, published.value, hearing.now))
  return isTaken ? published : basis.last
}

function publishedSupply(identity: Identity, field: SupplyField, hearing: SourceHealth): SupplyBasis['last'] {
  const published = lastFigures(identity, hearing)(field)
  const value = published?.value ?? identity.before?.asset.supply_basis[field]?.value ?? 0
  const as_of = published?.seenAt ?? heardAtOf(identity, hearing)
  return value === 0 || as_of === null ? null : { value, as_of }
}

/** Whether a published value has taken the place of the last one: witnesses agreed on it, or the last one is a day old. */
const isSettled = ({ method, witnesses, last }: SupplyBasis, value: number, now: Ms): boolean =>
  method === 'persisted' ||
  witnesses.filter((one) => near(one.value, value)).length > 1 ||
  (last !== null && hoursSince(last.as_of, now) >= LIMITS.carry_hours)

interface SupplyRun extends SupplyBasis, Pick<Identity, 'slug' | 'before'> {
  readonly field: SupplyField
  readonly now: Ms
}

const isDoubtful = (report: ReportedSupply, run: SupplyRun): boolean =>
  run.value === null || (!near(report.value, run.value) && !isOldDifference(report, run.value, run))

/** Whether a supply is the last one in another unit: the price has moved by the inverse of its factor, and the market cap not. */
function isRedenominated(value: number, { before, last }: SupplyRun, price_usd: number | null): boolean {
  const cap = before?.asset.market_cap_usd ?? null
  const unit = before?.asset.circulating_supply ?? last?.value ?? null
  if (cap === null || unit === null || price_usd === null || last === null) return false
  const move = (price_usd * unit) / cap
  return (
    factorBetween(move, 1) >= LIMITS.jump_factor && isWithin(LIMITS.confirmed_percent, (value / last.value) * move, 1)
  )
}

/** Whether a source is outvoted that always counts differently: only one that begins to is held back. */
function isOldDifference(report: ReportedSupply, value: number, { field, before, method }: SupplyRun): boolean {
  if (method === 'kept' || factorBetween(report.value, value) >= LIMITS.dispute_factor) return false
  const { supply_basis, held } = before?.asset ?? {}
  const earlier = supply_basis?.[field]?.witnesses.find((one) => one.source_id === report.source_id)
  const begins = earlier !== undefined && near(earlier.value, value)
  return !begins && !held?.some((row) => row.field === report.figure.field)
}

/** Holds a report back that is not believed; null when it was offered for long enough. */
function heldOffer({ source_id, contradiction, figure, value }: ReportedSupply, run: SupplyRun): HeldSupply | null {
  const { now, method, witnesses, value: counted } = run
  const others = witnesses.filter((one) => one.source_id !== source_id && !near(one.value, value))
  const against = others.map((one) => one.source_id)
  const isDisputed = others.some((one) => factorBetween(one.value, value) >= LIMITS.dispute_factor)
  const hours = method === 'kept' && contradiction === null && !isDisputed ? LIMITS.carry_hours : null
  const differs =
    counted === null ? '' : `It differs by a factor of ${Number(factorBetween(value, counted).toPrecision(3))}: `
  const why = contradiction
    ? `${source_id} contradicts itself, because ${contradiction}.`
    : `${source_id} alone reports it${against.length > 0 ? `, against ${against.join(' and ')}` : ''}.`
  const waiting = hours === null ? '' : `, or the same report for ${hours} hours`
  return heldRow(run, now, {
    field: figure.field,
    held_value: null,
    offered_value: figure.value,
    rule: 'lone_supply',
    source_ids: [source_id],
    reason: `${differs}${why}`,
    release: `Another source or the registry within ${LIMITS.same_percent} % of it${waiting}.`,
    hours,
    // The market cap that is held back moves with the price.
    isSame: (old) => typeof old === 'number' && factorBetween(old, figure.value) < LIMITS.jump_factor,
  })
}
