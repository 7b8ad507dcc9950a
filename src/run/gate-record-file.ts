import { GateRecord, NOTHING_REFUSED } from '../feed/gate-record.ts'
import { dropKept, readKept, writeKept } from './kept-state.ts'

/** A refused run publishes nothing, so its record is kept beside what is published. */
const NAME = 'refused'

/** Returns the gate record of the last run. A lost record costs time, not data: the count of refusals starts again. */
export const readGateRecord = (root: string): GateRecord => readKept(root, NAME, GateRecord) ?? NOTHING_REFUSED

/** Keeps the gate record for the next run. */
export function writeGateRecord(root: string, record: GateRecord): void {
  if (record.refused.length === 0) dropKept(root, NAME)
  else writeKept(root, NAME, record)
}
