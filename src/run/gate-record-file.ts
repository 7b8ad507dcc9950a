import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GateRecord, NOTHING_REFUSED } from '../feed/gate-record.ts'

/** Beside the documents, because a refused run publishes nothing. No server shows dot files. */
const FILE = '.refused.json'

/** What the gate of the last run remembered; nothing where there is no record, or one that cannot be read. */
export function readGateRecord(root: string): GateRecord {
  try {
    return GateRecord.parse(JSON.parse(readFileSync(join(root, FILE), 'utf8')))
  } catch {
    // A record that is lost costs time, not data: what is refused is counted from one again.
    return NOTHING_REFUSED
  }
}

/** Keeps what the gate remembers for the next run, in one rename. */
export function writeGateRecord(root: string, record: GateRecord): void {
  const path = join(root, FILE)
  if (record.refused.length === 0) {
    rmSync(path, { force: true })
    return
  }
  writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`)
  renameSync(`${path}.new`, path)
}
