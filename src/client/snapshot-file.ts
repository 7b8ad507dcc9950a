import type { ArchivedSnapshot } from '../contract/archive.ts'
import { lru } from '../contract/lru.ts'
import { once } from '../contract/once.ts'
import { parseJson } from '../contract/read-json.ts'
import {
  type FileEnd,
  HEAD_ENTRY,
  MOST_END_BYTES,
  MOST_SNAPSHOT_BYTES,
  isSnapshotHead,
  mostDocumentBytes,
} from '../contract/snapshot-file.ts'
import { sha256 } from '../contract/web-digest.ts'
import { type ZipEntry, contentOf, documentOf, entriesIn, entryOf } from '../contract/zip.ts'
import { SnapshotFileError } from './errors.ts'
import { type ReadRange, bytesOf } from './range.ts'

/** A snapshot file and how to read it. */
export interface SnapshotFile {
  /** For messages. */
  readonly name: string
  readonly bytes: number
  readonly end: FileEnd
  readonly read: ReadRange
  /** The snapshot that it is listed as; absent: any. */
  readonly of?: Pick<ArchivedSnapshot, 'time' | 'staleAfter' | 'snapshotId'>
}

/** An opened snapshot file. What reads it throws a SnapshotFileError. */
export type OpenSnapshot = Awaited<ReturnType<typeof openSnapshotFile>>

/** Number of entries whose texts are kept. A large one has 2 MB. */
const KEPT_TEXTS = 4

/** Opens a snapshot file. @throws SnapshotFileError if it is damaged, larger than one may be, or another snapshot */
export async function openSnapshotFile({ name, bytes, end, read, of }: SnapshotFile) {
  const from = bytes - end.bytes
  if (bytes > MOST_SNAPSHOT_BYTES)
    throw new SnapshotFileError(name, `it has ${bytes} bytes, and a snapshot file at most ${MOST_SNAPSHOT_BYTES}`)
  if (from < 0 || end.bytes > MOST_END_BYTES) throw new SnapshotFileError(name, 'its end is longer than one may be')
  const tail = await read(from, end.bytes)
  if (tail.byteLength !== end.bytes || (await sha256(new Uint8Array(tail))) !== end.sha256)
    throw new SnapshotFileError(name, 'its end does not have its SHA-256')
  const checked = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (cause) {
      throw new SnapshotFileError(name, cause instanceof Error ? cause.message : String(cause), cause)
    }
  }
  const entries = checked(() => entriesIn(tail, bytes))
  const last = entries.at(-1)
  if (last?.name !== HEAD_ENTRY || last.from < from) throw new SnapshotFileError(name, `it has no ${HEAD_ENTRY}`)
  if (entries.reduce((sum, { size }) => sum + size, 0) > mostDocumentBytes(bytes))
    throw new SnapshotFileError(name, 'its documents are too large')

  async function textIn(entry: ZipEntry, own: Uint8Array): Promise<string> {
    const deflated = checked(() => contentOf(entry, own))
    const stream = new Blob([new Uint8Array(deflated)]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    const content = await bytesOf(name, stream, entry.size).catch((cause: unknown) => {
      if (cause instanceof SnapshotFileError) throw cause
      throw new SnapshotFileError(name, `${entry.name} is not compressed as it should be`, cause)
    })
    if ((await sha256(new Uint8Array(content))) !== entry.comment)
      throw new SnapshotFileError(name, `${entry.name} does not have its SHA-256`)
    return new TextDecoder().decode(content)
  }
  const head = parseJson(await textIn(last, tail.subarray(last.from - from)))
  if (!isSnapshotHead(head)) throw new SnapshotFileError(name, `its ${HEAD_ENTRY} is not one of a snapshot`)
  const { generatedAt, staleAfter, snapshotId } = head
  if (of && (generatedAt !== of.time || staleAfter !== of.staleAfter || snapshotId !== of.snapshotId))
    throw new SnapshotFileError(name, `it is the snapshot ${snapshotId} of ${generatedAt}, which is not the listed one`)

  const texts = lru<() => Promise<string>>(KEPT_TEXTS)
  function text(entry: ZipEntry): Promise<string> {
    const reading =
      texts.get(entry.name) ?? once(async () => textIn(entry, await read(entry.from, entry.to - entry.from)))
    texts.put(entry.name, reading)
    return reading()
  }
  const documents = entries.slice(0, -1)
  return {
    head,
    /** The entries with documents. */
    entries: documents,
    text,
    /** Returns a document as published; null if the file does not have it. */
    async document(this: void, path: string): Promise<string | null> {
      const entry = entryOf(documents, path)
      return entry ? documentOf(entry, await text(entry), path) : null
    },
  }
}
