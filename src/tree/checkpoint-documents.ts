import { join } from 'node:path'
import { brotliDecompressSync, inflateRawSync } from 'node:zlib'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { readJson } from '../contract/read-json.ts'
import { contentOf, documentsOf, entriesIn, entryOf } from '../contract/zip.ts'
import { Checkpoint, type CheckpointParts } from './checkpoint.ts'
import { CHECKPOINT } from './layout.ts'
import { bytesAt, textAt } from './reader.ts'

/** A path and its text. */
type CheckpointDocument = readonly [path: string, text: string]

/**
 * Yields the documents of parts, in order.
 *
 * @param read returns the bytes of a part
 * @param wanted paths; entries that have none of them are not unpacked
 * @throws Error if a part is damaged
 */
export function* documentsInParts(
  parts: CheckpointParts,
  read: (file: string) => Buffer,
  wanted?: readonly string[],
): Generator<CheckpointDocument> {
  if (parts.some(({ file }) => file.endsWith('.part'))) {
    yield* documentsInStream(Buffer.concat(parts.map(({ file }) => read(file))))
    return
  }
  for (const { file } of parts) yield* documentsInZip(read(file), wanted)
}

/** Yields the documents of a ZIP file; see {@link documentsInParts}. @throws Error if it is damaged */
export function* documentsInZip(bytes: Uint8Array, wanted?: readonly string[]): Generator<CheckpointDocument> {
  const entries = entriesIn(bytes, bytes.length)
  const chosen = wanted ? new Set(wanted.flatMap((path) => entryOf(entries, path) ?? [])) : entries
  for (const entry of chosen) {
    const deflated = contentOf(entry, bytes.subarray(entry.from, entry.to))
    const content = inflateRawSync(deflated, { maxOutputLength: Math.max(entry.size, 1) })
    yield* documentsOf(entry, content.toString('utf8'))
  }
}

/** Maximum length of an unpacked stream: checkpoints of that form were of fewer than 10,000 listings. */
const MOST_STREAM_BYTES = 2 ** 31 - 1

const Line = z.object({ path: z.string(), text: z.string() })

/** Yields the documents of a brotli stream, a line of JSON each: checkpoints were one before they were ZIP files. */
function* documentsInStream(packed: Buffer): Generator<CheckpointDocument> {
  const text = brotliDecompressSync(packed, { maxOutputLength: MOST_STREAM_BYTES })
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const line = readJson(text.toString('utf8', from, end), Line)
    if (end < 0 || line === null) throw new SyntaxError('a line of it is not a document')
    yield [line.path, line.text]
    from = end + 1
  }
}

/**
 * Returns those files that the checkpoint beside a tree holds, checked against their digests, which `lost` has by path. A
 * part that cannot be read holds none.
 */
export function filesInCheckpoint(root: string, lost: ReadonlyMap<string, string>): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  const checkpoint = readJson(textAt(join(root, CHECKPOINT.pointer)), Checkpoint)
  const read = (file: string) => bytesAt(join(root, CHECKPOINT.folder, file)) ?? Buffer.alloc(0)
  const isStream = checkpoint?.parts.some(({ file }) => file.endsWith('.part')) === true
  const all = checkpoint === null ? [] : [checkpoint, ...checkpoint.months].map(({ parts }) => parts)
  for (const parts of isStream ? all : all.flatMap((each) => each.map((part) => [part])))
    try {
      for (const [path, text] of documentsInParts(parts, read, [...lost.keys()]))
        if (sha256Of(text) === lost.get(path)) found.set(path, Buffer.from(text))
    } catch {
      // Missing or damaged: its documents stay lost, and are reported so.
    }
  return found
}
