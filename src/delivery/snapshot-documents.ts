import { join } from 'node:path'
import { PROOFS, withoutDigests } from '../contract/archived-proof.ts'
import { documentIn, filesIn, folderOfBlock } from '../contract/blocks.ts'
import { LOG } from '../contract/log.ts'
import { isPart, isSection } from '../contract/manifest-parts.ts'
import { HEAD_ENTRY, type SnapshotHead } from '../contract/snapshot-file.ts'
import { readJson } from '../contract/read-json.ts'
import { limitEntries } from '../contract/text.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { LAYOUT, isDocument, limitVariantOf } from '../tree/layout.ts'
import { PublishedIndex } from '../tree/published-documents.ts'
import { textAt } from '../tree/reader.ts'
import type { Tree } from '../tree/tree.ts'
import { ZipFile, type ZipText, deflate, grouped } from '../tree/write-zip.ts'
import { ArchiveError } from './archive-store.ts'
import { sha256Of } from '../contract/digest.ts'

/** Documents that hold their own past. */
const SERIES = ['history', 'candles', 'closes', 'daily', 'rates/years'].map((folder) => `${API_FOLDER}/${folder}`)

const isSeries = (path: string): boolean => SERIES.some((own) => path === `${own}.json` || path.startsWith(`${own}/`))

const Head = PublishedIndex.pick({ generatedAt: true, staleAfter: true, nextBuildAt: true, snapshotId: true })

export type ArchivableSnapshot = ReturnType<typeof snapshotDocuments>

/**
 * Reads the documents of a published tree that a snapshot file holds: all but series, which hold their own past, and the
 * `limit` variants that are the beginning of a list, byte for byte, which its head names. Of the manifest it holds what
 * proves the others.
 *
 * @throws ArchiveError if the tree has no snapshot, or a document differs from the manifest
 */
export function snapshotDocuments(tree: Tree) {
  const read = (path: string): string => {
    const text = tree.read(path)
    if (text !== null) return text
    throw new ArchiveError(
      `${tree.root}: ${path} is missing or differs from the manifest, so the snapshot is not archived. Run npm run snapshot again.`,
    )
  }
  const head = readJson(read(LAYOUT.index), Head)
  if (head === null) throw new ArchiveError(`${tree.root} has no valid index. Run npm run snapshot again.`)
  const texts = new Map<string, string>([LAYOUT.index, LAYOUT.collector, LAYOUT.head].map((path) => [path, read(path)]))
  for (const path of tree.files) {
    const folder = folderOfBlock(path)
    if (folder !== null && !isSeries(`${API_FOLDER}/${folder}/`)) {
      const block = read(path)
      for (const file of filesIn(block)) texts.set(file, documentIn(block, file) ?? '')
    } else if (folder === null && isDocument(path) && path !== LAYOUT.manifest && !isPart(path) && !isSeries(path))
      texts.set(path, read(path))
  }
  const limits = new Map<string, number[]>()
  const documents = [...texts].flatMap(([path, text]) => {
    const variant = limitVariantOf(path)
    const list = variant ? texts.get(variant.of) : undefined
    if (!variant || list === undefined || limitEntries(list, variant.rows) !== text) return [{ path, text }]
    limits.set(variant.of, [...(limits.get(variant.of) ?? []), variant.rows])
    return []
  })
  const sorted = [...limits].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const variants = sorted.map(([list, rows]) => [list, rows.toSorted((a, b) => a - b)] as const)
  return { head: { ...head, limits: variants }, documents: [...documents, ...proofsOf(tree, documents)] }
}

/** Returns what proves the documents of a tree, as one more of them; none if the tree has no log. */
function proofsOf(tree: Tree, documents: readonly ZipText[]): readonly ZipText[] {
  const proof = textAt(join(tree.root, LOG.proof))
  const archived = new Set(documents.map(({ path }) => path))
  const lists = new Map<string, string>()
  // A section follows the parts that it lists.
  for (const part of tree.files.filter(isPart).toSorted((a, b) => Number(isSection(a)) - Number(isSection(b)))) {
    const text = tree.read(part) ?? ''
    const list = withoutDigests(text, (path) => archived.has(path))
    if (list !== text || [...lists.keys()].some((one) => text.includes(`"${one}"`))) lists.set(part, list)
  }
  const files = Object.fromEntries([...(proof === null ? [] : [[LOG.proof, proof]]), ...lists])
  return proof === null ? [] : [{ path: PROOFS, text: `${JSON.stringify(files)}\n` }]
}

/** Writes the documents of a snapshot as a file. Equal documents give equal bytes. */
export function writeSnapshot(
  { generatedAt, staleAfter, snapshotId, limits }: SnapshotHead,
  documents: readonly ZipText[],
) {
  const zip = new ZipFile()
  const add = (entry: ZipText) => zip.add(deflate(entry, 9), sha256Of(entry.text))
  for (const entry of grouped(documents.toSorted((a, b) => (a.path < b.path ? -1 : 1)))) add(entry)
  const from = zip.bytes
  add({ path: HEAD_ENTRY, text: `${JSON.stringify({ generatedAt, staleAfter, snapshotId, limits })}\n` })
  const bytes = zip.end()
  const end = bytes.subarray(from)
  return { bytes, end: { bytes: end.length, sha256: sha256Of(end) } }
}
