import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { answerSchemaOf } from '../contract/endpoint-spec.ts'
import { partFor } from '../contract/manifest-parts.ts'
import { parseJson } from '../contract/read-json.ts'
import { TABLES_FILE, type Tables } from '../contract/tables.ts'
import { print } from '../contract/text.ts'
import { isoOf } from '../contract/time.ts'
import { type Document, rowsDigest, sealed } from '../endpoints/compose.ts'
import { headOf } from '../endpoints/api-index.ts'
import { tables as spec } from '../endpoints/operations.ts'
import { CHECKPOINT, LAYOUT } from '../tree/layout.ts'
import { PublishedPart, rowsListedBy } from '../tree/published-documents.ts'
import type { Tree } from '../tree/tree.ts'
import { writeCheckpoint } from '../tree/write-checkpoint.ts'
import { HEALTHY } from '../contract/envelope.ts'

const Index = z.object({
  product: z.string(),
  timestamp: z.string(),
  sha256: z.object({ manifest: z.string(), collector: z.string() }),
})

/** Returns the members of a document in their order, which a schema of some of them would change. */
const membersOf = (text: string | null) => z.record(z.string(), z.unknown()).parse(parseJson(text ?? ''))

/** Returns the lists of the manifest that lead to a file: its part, then a section if there is one, then the manifest. */
function listsTo(file: string, tree: Tree): readonly string[] {
  const lists = [LAYOUT.manifest]
  for (let list: string | undefined = LAYOUT.manifest; list !== undefined;) {
    list = partFor(file, PublishedPart.parse(membersOf(tree.read(list))).rows)?.path
    if (list !== undefined) lists.unshift(list)
  }
  return lists
}

/**
 * Publishes the list of tables in a tree that was composed before they were written: its document, its part of the manifest,
 * the manifest and the index with its head. The list has the time of the snapshot, and all other documents keep their bytes. Returns false, without a change, if the tree has this list already, or was written by a version without it or with another
 * manifest. A checkpoint is written again.
 *
 * @throws TreeError if the folder cannot be written
 * @throws ZodError if the index, the manifest or the collector document is damaged
 */
export async function publishTables(tree: Tree, tables: Tables): Promise<boolean> {
  const indexMembers = membersOf(tree.read(LAYOUT.index))
  const index = Index.parse(indexMembers)
  const manifest = PublishedPart.parse(membersOf(tree.read(LAYOUT.manifest)))
  const { rows } = rowsListedBy(manifest, (file) => tree.read(file))
  // The manifest does not list it.
  const collector = z.string().parse(tree.read(LAYOUT.collector))
  const listOf = (timestamp: string): Document => {
    const envelope = { ok: true, product: index.product, endpoint: spec.name, timestamp, ...HEALTHY }
    return sealed(TABLES_FILE, print(answerSchemaOf(spec).parse({ ...envelope, ...tables })), timestamp)
  }
  const former = rows.find(({ path }) => path === TABLES_FILE)
  if (former === undefined || former.sha256 === listOf(former.timestamp).sha256) return false

  const own = listOf(index.timestamp)
  // They may keep their size, and a host makes the `ETag` from size and time.
  const timestamp = isoOf(Date.parse(index.timestamp) + 1000)
  const lists = listsTo(TABLES_FILE, tree)
  if (lists.length === 1) return false
  const changed = [own]
  let snapshotId = ''
  for (const file of lists) {
    const members = membersOf(tree.read(file))
    const { text: _, ...row } = changed.at(-1) ?? own
    const listed = PublishedPart.parse(members).rows.map((one) => (one.path === row.path ? { ...one, ...row } : one))
    const digest = file === LAYOUT.manifest ? { rowsDigest: rowsDigest(listed) } : {}
    const list = sealed(file, print({ ...members, timestamp, ...digest, rows: listed }), timestamp)
    changed.push(list)
    snapshotId = rowsDigest([...listed, list])
  }
  const list = changed.at(-1) ?? own
  const sha256 = { ...index.sha256, manifest: list.sha256 }
  const indexed = sealed(LAYOUT.index, print({ ...indexMembers, timestamp, snapshotId, sha256 }), timestamp)
  const others = rows.filter(({ path }) => changed.every((one) => one.path !== path))
  const head = sealed(LAYOUT.head, headOf(indexed.text) ?? '', timestamp)
  const documents = [
    ...others.map((one): Document => ({ ...one, text: null })),
    ...changed,
    sealed(LAYOUT.collector, collector, index.timestamp),
    indexed,
    head,
  ]
  tree.publish(documents)
  // The next run goes on from the checkpoint, so it has to hold the manifest that readers see.
  if (existsSync(join(tree.root, CHECKPOINT.pointer))) writeCheckpoint(tree)
  return true
}
