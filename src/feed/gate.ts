import * as z from 'zod'
import { HOUR_MS, hoursSince, isoOf } from '../contract/time.ts'
import { Timestamp } from '../contract/words.ts'
import { clockFindings, type Judged, growth, lastRun, losses } from './gate-findings.ts'
import { type Finding, GATE, GATE_RULES, type GateRule, type Refusal } from './gate-rules.ts'
import type { Previous } from './listing.ts'
import { median } from './statistics.ts'
import { AWAY, type OwnFigures, type PriceMove, ownFigures, priceMoves, testimonies } from './witnesses.ts'

/** The finding of one rule, as kept for the next run. */
const Found = z.object({
  rule: z.enum(GATE_RULES),
  /** When the first of the runs in a row found it. */
  since: Timestamp,
  /** How many runs in a row found it. */
  runs: z.int().positive(),
  /** It was confirmed, or accepted, and is refused no more while it is found. */
  lifted: z.boolean(),
})

/** State of the gate between runs: the rules that the last run broke, and since when. */
export const GateRecord = z.object({ refused: z.array(Found) })
export type GateRecord = z.infer<typeof GateRecord>
type Found = z.infer<typeof Found>

export const NOTHING_REFUSED: GateRecord = { refused: [] }

/** A move of the whole market that witnesses confirm. */
export interface MarketMove {
  /** Median move of the published prices since the last publication. */
  readonly percent: number
  readonly since: string
  /** How many sources confirm it in their own figures, of how many that were heard. */
  readonly confirmed: number
  readonly of: number
}

/** The decision of the gate. */
export interface Verdict {
  readonly refusals: readonly Refusal[]
  /** Findings that the run may publish all the same: they are confirmed, or accepted. */
  readonly lifted: readonly Refusal[]
  /** Null for moves too small to judge, and without witnesses. */
  readonly moved: MarketMove | null
  readonly record: GateRecord
}

/**
 * Whether a snapshot is to be published.
 *
 * @param record what the run before remembered
 * @param accept rules that this run may break
 */
export function gate(judged: Judged, record: GateRecord, accept: ReadonlySet<GateRule> = new Set()): Verdict {
  const { findings, moved } = found(judged)
  const times = { now: judged.now, lastRun: lastRun(judged.previous) }
  const all = findings.map((finding) => {
    const known = remembered(finding, record, times)
    const entry = { ...known, lifted: known.lifted || accept.has(finding.rule) }
    const { rule, message } = finding
    return { entry, refusal: { rule, message, since: entry.since, release: releaseOf(finding, entry, times) } }
  })
  const where = (lifted: boolean) => all.flatMap(({ entry, refusal }) => (entry.lifted === lifted ? [refusal] : []))
  const entries = all.map(({ entry }) => entry)
  return { refusals: where(false), lifted: where(true), moved, record: { refused: entries } }
}

/** What is wrong with a snapshot as a whole. The first one has no predecessor, so it only has to be large enough. */
function found(judged: Judged) {
  const { previous, reports, now } = judged
  if (previous.listings.size === 0) return { findings: tooFew(judged), moved: null }
  const own = ownFigures(reports)
  const { findings, moved } = moves(judged, own)
  const clock = clockFindings(reports, now, lastRun(previous))
  return { findings: [...losses(judged, own), ...growth(judged, own), ...findings, ...clock], moved }
}

function tooFew({ snapshot, leastListings = 0 }: Judged): Finding[] {
  const count = snapshot.listed.length
  if (count >= leastListings) return []
  return [
    {
      rule: 'listings_floor',
      message:
        `a first publication of ${count} listings, and the least is ${leastListings}: see which sources failed, or lower ` +
        'it with --least-listings',
      heals: false,
      fades: false,
    },
  ]
}

/** Two or more that are more than half. */
const isMajority = (count: number, of: number): boolean => count >= 2 && count * 2 > of

/** What the witnesses say of the move of the prices, and whether it may be published. */
function moves({ previous, snapshot }: Judged, own: OwnFigures) {
  const moves = priceMoves(previous, snapshot)
  if (moves.length < GATE.few_figures) return { findings: [], moved: null }
  const heard = testimonies(moves, own, { before: previous.rates, now: snapshot.rates })
  const against = heard.filter(({ away }) => away > AWAY).map(({ source_id }) => source_id)
  const confirmed = heard.length - against.length
  if (isMajority(confirmed, heard.length))
    return { findings: [], moved: told(moves, previous, confirmed, heard.length) }
  const percent = percentOf(median(moves.map((move) => Math.abs(logOf(move)))))
  const limit = GATE.median_move_percent
  const isContradicted = isMajority(against.length, heard.length)
  if (!isContradicted && percent <= limit) return { findings: [], moved: null }
  const why = isContradicted
    ? `against the own figures of ${against.length} of ${heard.length} witnesses: ${against.join(', ')}`
    : `which ${confirmed} of ${heard.length} witnesses confirm; without a majority of two the limit is ${limit} %`
  const message = `prices moved by a median of ${percent} % since the last publication, ${why}`
  const finding: Finding = { rule: 'median_move', message, heals: !isContradicted, fades: true }
  return { findings: [finding], moved: null }
}

/** Returns a move that is worth telling. */
function told(moves: readonly PriceMove[], previous: Previous, confirmed: number, of: number): MarketMove | null {
  const percent = percentOf(median(moves.map(logOf)))
  return Math.abs(percent) < GATE.told_move_percent ? null : { percent, since: isoOf(lastRun(previous)), confirmed, of }
}

const logOf = ({ from, to }: PriceMove): number => Math.log(to / from)

/** Percent with one decimal. */
const percentOf = (log: number): number => Math.round((Math.exp(log) - 1) * 1000) / 10

/** A run's clock, and the time of the last publication, in ms. */
interface RunTimes {
  readonly now: number
  readonly lastRun: number
}

/** A finding as the next run remembers it: since when and in how many runs it was found, and whether that ends it. */
function remembered(finding: Finding, { refused }: GateRecord, { now, lastRun }: RunTimes): Found {
  const { rule, heals, fades } = finding
  const before = refused.find((known) => known.rule === rule)
  const { since, lifted } = before ?? { since: isoOf(now), lifted: false }
  const runs = (before?.runs ?? 0) + 1
  const isConfirmed = heals && runs >= GATE.heal_runs && hoursSince(since, now) >= GATE.heal_hours
  const isOutlived = fades && now - lastRun >= GATE.stand_hours * HOUR_MS
  return { rule, since, runs, lifted: lifted || isConfirmed || isOutlived }
}

function releaseOf({ rule, heals, fades }: Finding, { since, runs }: Found, { lastRun }: RunTimes): string {
  const healed = isoOf(Date.parse(since) + GATE.heal_hours * HOUR_MS)
  const ways = [
    ...(heals ? [`${GATE.heal_runs} runs in a row that find the same (${runs} so far), from ${healed} on`] : []),
    ...(fades ? [`no publication until ${isoOf(lastRun + GATE.stand_hours * HOUR_MS)}`] : []),
    ...(rule === 'listings_floor' ? ['more listings'] : []),
    `--accept ${rule}`,
  ]
  return `It ends by data that does not break the rule, or by ${ways.join(', or by ')}`
}
