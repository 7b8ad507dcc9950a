import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from '../contract/read-json.ts'
import { textAt } from '../tree/reader.ts'
import { GateRecord, NOTHING_REFUSED } from '../feed/gate-record.ts'

/** Stored beside the documents, because a refused run publishes nothing. No server serves dot files. */
const FILE = '.refused.json'

/** Returns the gate record of the last run. A lost record costs time, not data: the count of refusals starts again. */
export const readGateRecord = (root: string): GateRecord =>
  readJson(textAt(join(root, FILE)), GateRecord) ?? NOTHING_REFUSED

/** Writes the gate record for the next run, atomically by a rename. */
export function writeGateRecord(root: string, record: GateRecord): void {
  const path = join(root, FILE)
  if (record.refused.length === 0) {
    rmSync(path, { force: true })
    return
  }
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`)
  renameSync(`${path}.new`, path)
}
