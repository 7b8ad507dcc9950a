import pLimit from 'p-limit'
import type * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { isPart, isSection } from '../contract/manifest-parts.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { headOf } from '../endpoints/api-index.ts'
import { LAYOUT, UNLISTED } from './layout.ts'
import { PublishedIndex, PublishedManifest, PublishedPart, rowsListedBy } from './published-documents.ts'
import type { TreeReader } from './reader.ts'
import { RestoreError } from './tree-error.ts'

export const MOST_DOCUMENT_BYTES = 64 * 2 ** 20
/** Maximum size of a manifest with its parts, of some 190,000 files. One of 20,000 listings has 16,000. */
const MOST_MANIFEST_BYTES = 32 * 2 ** 20
const PARTS_AT_ONCE = 16
/** Maximum size of a tree. One of 100,000 assets is smaller. */
const MOST_TREE_BYTES = 8 * 2 ** 30
/** File systems allow 255 bytes. The rest is for the suffixes of precompressed and temporary files. */
const MOST_NAME_BYTES = 240
const MOST_PATH_BYTES = 1024

const RestoredIndex = PublishedIndex.pick({ sha256: true, timestamp: true, generatedAt: true })

/** Returns the texts of the parts of a manifest by path, as far as they are there, and none of more than their size. */
export async function partsOf(
  { rows }: Pick<PublishedManifest, 'rows'>,
  read: (part: ManifestRow) => Promise<string | null>,
): Promise<ReadonlyMap<string, string>> {
  const limit = pLimit(PARTS_AT_ONCE)
  let left = MOST_MANIFEST_BYTES
  const texts = new Map<string, string>()
  const readAll = async (listed: readonly ManifestRow[]): Promise<void> => {
    const sections = await Promise.all(
      listed.map((row) =>
        limit(async () => {
          if (!isPart(row.path) || texts.has(row.path)) return []
          left -= row.bytes
          const text = left < 0 ? null : await read(row)
          if (text !== null) texts.set(row.path, text)
          return isSection(row.path) ? (readJson(text, PublishedPart)?.rows ?? []) : []
        }),
      ),
    )
    if (sections.flat().length > 0) await readAll(sections.flat())
  }
  await readAll(rows)
  return texts
}

/**
 * Reads the index, the two documents whose digests it has, and the parts of the manifest. Returns null if there is no index,
 * and `changing` if they are not of one publication. The head is what the index says: a tree of an earlier version has none.
 *
 * @throws RestoreError `damaged` if one of them is invalid, or the manifest lists files that a folder cannot hold
 */
export async function publishedHead(read: TreeReader) {
  const index = await read(LAYOUT.index, MOST_DOCUMENT_BYTES)
  if (index === null) return null
  const { sha256, timestamp, generatedAt } = parsed(RestoredIndex, index, LAYOUT.index)
  const [manifest, collector] = await Promise.all([
    read(LAYOUT.manifest, MOST_MANIFEST_BYTES),
    read(LAYOUT.collector, MOST_DOCUMENT_BYTES),
  ])
  if (manifest === null || collector === null) return 'changing' as const
  if (sha256Of(manifest) !== sha256.manifest || sha256Of(collector) !== sha256.collector) return 'changing' as const
  const head = headOf(index)
  const texts = [
    [LAYOUT.collector, collector],
    [LAYOUT.manifest, manifest],
    [LAYOUT.index, index],
    ...(head === null ? [] : [[LAYOUT.head, head] as const]),
  ] as const
  const list = parsed(PublishedManifest, manifest, LAYOUT.manifest)
  const parts = await partsOf(list, ({ path, bytes }) => read(path, bytes))
  const listed = rowsListedBy(list, (part) => parts.get(part) ?? null)
  for (const { path, sha256 } of listed.lost) if (sha256Of(parts.get(path) ?? '') === sha256) throw damaged(path)
  if (listed.lost.length > 0) return 'changing' as const
  refuseUnfit(listed.rows)
  const unlisted = texts.map(([path, text]) => ({ path, text, sha256: sha256Of(text), timestamp }))
  return {
    generatedAt,
    rows: listed.rows.filter(({ path }) => !isPart(path)),
    index,
    /** The parts, and the documents that the manifest does not list, in order of publication. */
    covering: [
      ...listed.rows.flatMap((row) => (isPart(row.path) ? [{ ...row, text: parts.get(row.path) ?? '' }] : [])),
      ...unlisted,
    ],
  }
}

const damaged = (file: string) => new RestoreError('damaged', `${file} there is not a document of a published tree`)

function parsed<Schema extends z.ZodType>(schema: Schema, text: string, file: string): z.infer<Schema> {
  const document = readJson(text, schema)
  if (document !== null) return document
  throw damaged(file)
}

/** Refuses a manifest with duplicate files, a file and a folder of one name, too long names, or too large files. */
function refuseUnfit(rows: readonly ManifestRow[]): void {
  const refuse = (what: string) => {
    throw new RestoreError('damaged', `the manifest there lists ${what}`)
  }
  const files = new Set(UNLISTED)
  const folders = new Set([...files].flatMap(foldersOf))
  let bytes = 0
  for (const row of rows) {
    const short = row.path.slice(0, 100)
    if (Buffer.byteLength(row.path) > MOST_PATH_BYTES) refuse(`a path too long, ${short}`)
    if (row.path.split('/').some((name) => Buffer.byteLength(name) > MOST_NAME_BYTES))
      refuse(`a name too long, ${short}`)
    // Some file systems ignore case.
    const path = row.path.toLowerCase()
    if (files.has(path)) refuse(`${short} twice`)
    files.add(path)
    for (const folder of foldersOf(path)) folders.add(folder)
    if (row.bytes > MOST_DOCUMENT_BYTES)
      refuse(`${short} with ${row.bytes} bytes, more than the ${MOST_DOCUMENT_BYTES} a file may have`)
    bytes += row.bytes
  }
  if (bytes > MOST_TREE_BYTES) refuse(`${bytes} bytes, more than the ${MOST_TREE_BYTES} a tree may have`)
  const clash = [...files].find((file) => folders.has(file))
  if (clash !== undefined) refuse(`${clash} as a file and as a folder`)
}

/** `a/b/c.json` -> `a`, `a/b` */
const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'))
