import type { FileEnd, SnapshotHead } from '../contract/snapshot-file.ts'
import { HEAD_ENTRY } from '../contract/snapshot-file.ts'
import { sha256Of } from '../contract/digest.ts'
import { ZipFile, type ZipText, deflate, grouped } from '../tree/write-zip.ts'

/** The bytes of a snapshot file and how to find its directory. */
export interface WrittenSnapshot {
  readonly bytes: Buffer
  readonly end: FileEnd
}

/** Writes the documents of a snapshot as a file. Equal documents give equal bytes. */
export function writeSnapshot(
  { generatedAt, staleAfter, snapshotId, limits }: SnapshotHead,
  documents: readonly ZipText[],
): WrittenSnapshot {
  const zip = new ZipFile()
  const add = (entry: ZipText) => zip.add(deflate(entry, 9), sha256Of(entry.text))
  for (const entry of grouped(documents.toSorted((a, b) => (a.path < b.path ? -1 : 1)))) add(entry)
  const from = zip.bytes
  add({ path: HEAD_ENTRY, text: `${JSON.stringify({ generatedAt, staleAfter, snapshotId, limits })}\n` })
  const bytes = zip.end()
  const end = bytes.subarray(from)
  return { bytes, end: { bytes: end.length, sha256: sha256Of(end) } }
}
