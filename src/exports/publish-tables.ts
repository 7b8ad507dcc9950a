import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { answerSchemaOf, fileOf } from '../contract/endpoint-spec.ts'
import { LOG } from '../contract/log.ts'
import { partOf } from '../contract/manifest-parts.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { parseJson } from '../contract/read-json.ts'
import { TABLES_FILE, type Tables } from '../contract/tables.ts'
import { print } from '../contract/text.ts'
import { isoOf } from '../contract/time.ts'
import { type Document, rowsDigest, sealed } from '../endpoints/compose.ts'
import { headOf } from '../endpoints/api-index.ts'
import { manifestPart } from '../endpoints/manifest.ts'
import { tables as spec } from '../endpoints/operations.ts'
import { CHECKPOINT, LAYOUT } from '../tree/layout.ts'
import { type LogSigner, lastEntry, nextLog } from '../tree/run-log.ts'
import { rowsListedBy } from '../tree/published-documents.ts'
import type { Tree } from '../tree/tree.ts'
import { writeCheckpoint } from '../tree/write-checkpoint.ts'
import { HEALTHY } from '../contract/envelope.ts'

const List = z.object({ rows: z.array(ManifestRow) })
const Index = z.object({
  product: z.string(),
  timestamp: z.string(),
  sha256: z.object({ manifest: z.string(), collector: z.string() }),
})

/** Returns the members of a document in their order, which a schema of some of them would change. */
const membersOf = (text: string | null) => z.record(z.string(), z.unknown()).parse(parseJson(text ?? ''))

/** Returns the rows with this one in place of that of the same file. */
const withRow = (rows: readonly ManifestRow[], { text: _, ...row }: Document): readonly ManifestRow[] =>
  rows.map((one) => (one.path === row.path ? row : one))

/**
 * Publishes the list of tables in a tree that was composed before they were written: its document, its part of the manifest,
 * the manifest and the index with its head, dated a second later. All other documents keep their bytes, and the snapshot its
 * time. Returns false, without a change, if the tree has this list already, or was written by a version without it or with a
 * manifest in one document. The log gets an entry of its own, and a checkpoint is written again.
 *
 * @throws TreeError if the folder cannot be written
 * @throws ZodError if the index, the manifest or the collector document is damaged
 */
export async function publishTables(tree: Tree, tables: Tables, signers: readonly LogSigner[] = []): Promise<boolean> {
  const part = fileOf(manifestPart, { part: partOf(sha256Of(TABLES_FILE)) })
  const [indexMembers, manifestMembers] = [LAYOUT.index, LAYOUT.manifest].map((file) => membersOf(tree.read(file)))
  const [index, manifest] = [Index.parse(indexMembers), List.parse(manifestMembers)]
  if (!manifest.rows.some(({ path }) => path === part)) return false
  const partMembers = membersOf(tree.read(part))
  const { rows } = List.parse(partMembers)
  // The manifest does not list it.
  const collector = z.string().parse(tree.read(LAYOUT.collector))
  const listOf = (timestamp: string): Document => {
    const envelope = { ok: true, product: index.product, endpoint: spec.name, timestamp, ...HEALTHY }
    return sealed(TABLES_FILE, print(answerSchemaOf(spec).parse({ ...envelope, ...tables })), timestamp)
  }
  const former = rows.find(({ path }) => path === TABLES_FILE)
  if (former === undefined || former.sha256 === listOf(former.timestamp).sha256) return false

  // Later than every document of the snapshot: a `Last-Modified` belongs to one body.
  const timestamp = isoOf(Date.parse(index.timestamp) + 1000)
  const own = listOf(timestamp)
  const listing = sealed(part, print({ ...partMembers, timestamp, rows: withRow(rows, own) }), timestamp)
  const parts = withRow(manifest.rows, listing)
  const listed = print({ ...manifestMembers, timestamp, rowsDigest: rowsDigest(parts), rows: parts })
  const list = sealed(LAYOUT.manifest, listed, timestamp)
  const sha256 = { ...index.sha256, manifest: list.sha256 }
  const snapshotId = rowsDigest([...parts, list])
  const indexed = sealed(LAYOUT.index, print({ ...indexMembers, timestamp, snapshotId, sha256 }), timestamp)
  const kept = rowsListedBy(manifest, (file) => tree.read(file)).rows
  const others = kept.filter(({ path }) => path !== TABLES_FILE && path !== part)
  const head = sealed(LAYOUT.head, headOf(indexed.text) ?? '', timestamp)
  const last = lastEntry(tree.root)
  const entry = last && { ...last, manifest: list.sha256, index: indexed.sha256 }
  const documents = [
    ...others.map((one): Document => ({ ...one, text: null })),
    own,
    listing,
    sealed(LAYOUT.collector, collector, index.timestamp),
    list,
    indexed,
    head,
  ]
  tree.publish(documents, undefined, () =>
    entry ? nextLog(tree.root, entry, { signers, keys: tree.read(LOG.keys) }) : [],
  )
  // The next run goes on from the checkpoint, so it has to hold the manifest that readers see.
  if (existsSync(join(tree.root, CHECKPOINT.pointer))) writeCheckpoint(tree)
  return true
}
