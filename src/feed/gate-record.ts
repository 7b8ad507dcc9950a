import * as z from 'zod'
import { hoursSince, isoOf, HOUR_MS } from '../contract/time.ts'
import { Timestamp } from '../contract/words.ts'
import { type Finding, GATE, GATE_RULES } from './gate-rules.ts'

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

/** A run's clock, and the time of the last publication, in ms. */
interface RunTimes {
  readonly now: number
  readonly lastRun: number
}

/** A finding as the next run remembers it: since when and in how many runs it was found, and whether that ends it. */
export function remembered(finding: Finding, { refused }: GateRecord, { now, lastRun }: RunTimes): Found {
  const { rule, heals, fades } = finding
  const before = refused.find((known) => known.rule === rule)
  const { since, lifted } = before ?? { since: isoOf(now), lifted: false }
  const runs = (before?.runs ?? 0) + 1
  const isConfirmed = heals && runs >= GATE.heal_runs && hoursSince(since, now) >= GATE.heal_hours
  const isOutlived = fades && now - lastRun >= GATE.stand_hours * HOUR_MS
  return { rule, since, runs, lifted: lifted || isConfirmed || isOutlived }
}

/** What ends the refusal of a finding, as a sentence. */
export function releaseOf({ rule, heals, fades }: Finding, { since, runs }: Found, { lastRun }: RunTimes): string {
  const healed = isoOf(Date.parse(since) + GATE.heal_hours * HOUR_MS)
  const ways = [
    ...(heals ? [`${GATE.heal_runs} runs in a row that find the same (${runs} so far), from ${healed} on`] : []),
    ...(fades ? [`no publication until ${isoOf(lastRun + GATE.stand_hours * HOUR_MS)}`] : []),
    ...(rule === 'listings_floor' ? ['more listings'] : []),
    `--accept ${rule}`,
  ]
  return `It ends by data that does not break the rule, or by ${ways.join(', or by ')}`
}
