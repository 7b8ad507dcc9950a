import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { readJson } from '../contract/read-json.ts'
import { hashOf } from '../endpoints/compose.ts'
import { ArchiveLine, ArchivePointer, type ArchiveParts } from './archive-pointer.ts'
import { ARCHIVE } from './layout.ts'
import { bytesAt, textAt } from './reader.ts'

const NEWLINE = 10
/** Begins every line of an archive, before the path. */
const HEAD = '{"path":"'

/**
 * Returns those files that the state archive beside a tree holds, checked against their digests, which `lost` has by path.
 * An archive that cannot be read holds none. It is unpacked in memory, so this is for damage, not for a restore.
 */
export function archivedFiles(root: string, lost: ReadonlyMap<string, string>): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  const pointer = readJson(textAt(join(root, ARCHIVE.pointer)), ArchivePointer)
  const streams = pointer === null ? [] : [pointer, ...pointer.months]
  for (const { parts } of streams)
    for (const bytes of linesIn(root, parts)) {
      const path = bytes.toString('utf8', HEAD.length, bytes.indexOf('"', HEAD.length))
      const sha256 = lost.get(path)
      const line = sha256 === undefined ? null : readJson(bytes.toString('utf8'), ArchiveLine)
      if (line !== null && hashOf(line.text) === sha256) found.set(path, Buffer.from(line.text))
    }
  return found
}

function* linesIn(root: string, parts: ArchiveParts): Generator<Buffer> {
  const text = unpacked(parts.map(({ file }) => bytesAt(join(root, ARCHIVE.folder, file)) ?? Buffer.alloc(0)))
  let from = 0
  for (let to = text.indexOf(NEWLINE); to >= 0; to = text.indexOf(NEWLINE, from)) {
    yield text.subarray(from, to)
    from = to + 1
  }
}

function unpacked(parts: readonly Buffer[]): Buffer {
  try {
    return brotliDecompressSync(Buffer.concat(parts))
  } catch {
    // A part is missing or damaged, or the text is too long for memory: the document stays lost, and is reported so.
    return Buffer.alloc(0)
  }
}
