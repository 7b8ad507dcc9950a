import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sha256Of, hashing } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { type Checkpoint, type CheckpointParts, digestOfPart, partsOf, documentsInZip } from './checkpoint.ts'
import { type IncomingFiles, incomingFiles } from './incoming-files.ts'
import { CHECKPOINT, LAYOUT, WORK } from './layout.ts'
import type { Place } from './remote.ts'
import { MOST_DOCUMENT_BYTES, publishedHead } from './published-head.ts'
import { folderReader } from './reader.ts'
import { type Restored, restore } from './restore.ts'
import { RestoreError, asTreeError } from './tree-error.ts'
import type { Tree } from './tree.ts'

/**
 * Restores a tree from a checkpoint. All parts are downloaded and checked against their digests before the first is unpacked,
 * and every document is checked against the manifest in it.
 *
 * @throws RestoreError if a part is missing or damaged, or the checkpoint is of another publication than it states
 * @throws TreeError if the folder cannot be written
 */
export async function restoreCheckpoint(tree: Tree, place: Place, checkpoint: Checkpoint): Promise<Restored> {
  const folder = join(tree.root, WORK.parts)
  try {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const part of partsOf(checkpoint)) await download(place, part, join(folder, part.file))
    const fetched = await unpack(tree, checkpoint, (file) => readFileSync(join(folder, file)))
    const pauseNever = () => Promise.reject(new RestoreError('damaged', 'the checkpoint is inconsistent'))
    return { ...(await restore(tree, folderReader(tree.incoming), pauseNever)), fetched, resumed: 0 }
  } catch (cause) {
    const why = `the checkpoint cannot be read: ${cause instanceof Error ? cause.message : 'unknown'}`
    if (cause instanceof RestoreError) throw cause
    throw asTreeError(tree.root, cause) ?? new RestoreError('damaged', why, { cause })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function download(place: Place, { file, bytes }: CheckpointParts[number], to: string): Promise<void> {
  const name = `${CHECKPOINT.folder}/${file}`
  const answer = await place.ask(name, async (body) => {
    const hash = hashing()
    let taken = 0
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          taken += chunk.byteLength
          if (taken > bytes) throw new RestoreError('damaged', `${name} is longer than ${CHECKPOINT.pointer} says`)
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(to),
    )
    return hash.digest('hex')
  })
  if ('why' in answer) throw new RestoreError('unreachable', `${name} ${answer.why}`, { cause: answer.cause })
  if (answer.value !== digestOfPart(file)) throw new RestoreError('damaged', `${name} is damaged or incomplete`)
}

/** Writes the documents of a checkpoint to the folder of incoming files. Returns their number. */
async function unpack(tree: Tree, checkpoint: Checkpoint, read: (file: string) => Buffer): Promise<number> {
  const incoming = incomingFiles(tree.incoming)
  const first = new Map<string, string>()
  let rows: Map<string, ManifestRow> | null = null
  let count = 0
  let held = 0
  for (const { file } of partsOf(checkpoint))
    for (const [path, text] of documentsInZip(read(file))) {
      count++
      if (rows === null) {
        first.set(path, text)
        held += text.length
        if (held > MOST_DOCUMENT_BYTES) throw new RestoreError('damaged', 'the checkpoint does not begin as one does')
        if (first.has(LAYOUT.collector)) rows = await headIn(first, checkpoint.generatedAt, incoming)
        continue
      }
      const row = rows.get(path)
      // What no document refers to is not restored.
      if (row === undefined) continue
      if (sha256Of(text) !== row.sha256)
        throw new RestoreError('damaged', `${path.slice(0, 100)} in the checkpoint does not match its manifest`)
      incoming.put(row, text)
      rows.delete(path)
    }
  if (rows === null) throw new RestoreError('damaged', 'the checkpoint is empty')
  return count
}

async function headIn(
  first: ReadonlyMap<string, string>,
  generatedAt: string,
  incoming: IncomingFiles,
): Promise<Map<string, ManifestRow>> {
  const head = await publishedHead(async (file, most = Infinity) => {
    const text = first.get(file)
    return text === undefined || text.length > most ? null : text
  })
  if (head === null || head === 'changing' || head.generatedAt !== generatedAt)
    throw new RestoreError('damaged', 'the checkpoint belongs to another publication than it states')
  for (const file of head.covering) incoming.put(file, file.text)
  return new Map(head.rows.map((row) => [row.path, row]))
}
