import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readJson } from '../contract/read-json.ts'
import { GateRecord, NOTHING_REFUSED } from '../feed/gate-record.ts'
import { ARCHIVE } from '../tree/layout.ts'
import { textAt } from '../tree/reader.ts'

/**
 * Stored beside the state archive, because a refused run publishes nothing, and a machine that is thrown away keeps this
 * folder alone. No server serves dot files.
 */
const FILE = `${ARCHIVE.folder}/.refused.json`

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
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`)
  renameSync(`${path}.new`, path)
}
