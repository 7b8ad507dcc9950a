import { createHash } from 'node:crypto'
import * as z from 'zod'
import { Timestamp } from '../contract/words.ts'
import { type Finding, GATE, GATE_RULES } from './gate-rules.ts'
import { hoursSince, isoOf } from './time.ts'

/** The finding of one rule, as kept for the next run. */
const Refused = z.object({
  rule: z.enum(GATE_RULES),
  /** When it was first offered. */
  since: Timestamp,
  /** How many runs in a row offered it. */
  runs: z.int().positive(),
  /** It was confirmed, or accepted, and is refused no more while it is offered. */
  lifted: z.boolean(),
  /** Sample of what was first offered, see {@link sampleOf}. */
  sample: z.array(z.string()),
})

/** State of the gate between runs: what it refuses, and for how long the same data has been offered. */
export const GateRecord = z.object({ refused: z.array(Refused) })
export type GateRecord = z.infer<typeof GateRecord>
type Refused = z.infer<typeof Refused>

export const NOTHING_REFUSED: GateRecord = { refused: [] }

/** How many of an offer's items are remembered. */
const SAMPLE = 128

/** Two offers are the same if their samples share at least this part of their union. */
const SAME_SHARE = 0.5

/** Returns the items with the smallest hashes. Such samples of two sets show how much the sets share, whatever their size (MinHash). */
const sampleOf = (items: readonly string[]): string[] =>
  [...new Set(items)]
    .map((item) => createHash('sha256').update(item).digest('hex').slice(0, 12))
    .toSorted()
    .slice(0, SAMPLE)

/** Whether two samples are of about the same set. */
function isSame(a: readonly string[], b: readonly string[]): boolean {
  const [one, other] = [new Set(a), new Set(b)]
  const either = [...new Set([...a, ...b])].toSorted().slice(0, SAMPLE)
  const both = either.filter((hash) => one.has(hash) && other.has(hash)).length
  return both >= either.length * SAME_SHARE
}

/**
 * The findings as the next run remembers them: each with since when, and in how many runs, the same was offered, and
 * whether that is enough to believe it.
 *
 * @param lastRun time of the last publication in ms
 */
export function remembered(
  findings: readonly Finding[],
  record: GateRecord,
  { now, lastRun }: { readonly now: number; readonly lastRun: number },
): Refused[] {
  return findings.map((finding) => {
    const sample = sampleOf(finding.offer)
    const known = record.refused.find(({ rule, sample: first }) => rule === finding.rule && isSame(first, sample))
    const entry = known
      ? { ...known, runs: known.runs + 1 }
      : { rule: finding.rule, since: isoOf(now), runs: 1, lifted: false, sample }
    const stoodLong = finding.fades && now - lastRun >= GATE.stand_hours * 3_600_000
    return { ...entry, lifted: entry.lifted || stoodLong || isConfirmed(finding, entry, now) }
  })
}

function isConfirmed({ heals, witnessed }: Finding, { runs, since }: Refused, now: number): boolean {
  const hours = hoursSince(since, now)
  return (
    heals &&
    ((runs >= GATE.heal_runs && hours >= GATE.heal_hours) ||
      (witnessed && runs >= GATE.witnessed_runs && hours >= GATE.witnessed_hours))
  )
}
