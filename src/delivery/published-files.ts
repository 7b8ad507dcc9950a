import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { TABLES_FILE, TABLES_FOLDER, tablesIn } from '../contract/tables.ts'
import { LAYOUT, UNLISTED } from '../tree/layout.ts'
import { PublishedManifest, rowsListedBy } from '../tree/published-documents.ts'
import { partsOf } from '../tree/published-head.ts'
import { folderReader, textAt } from '../tree/reader.ts'
import { DeliveryError } from './delivery-error.ts'

/** A file of a tree, with the digest that the tree states. */
export type PublishedFile = Pick<ManifestRow, 'path' | 'sha256'>

/** Returns the documents of a tree, the index and the manifest among them. @throws DeliveryError if it is not complete */
export async function documentsAt(root: string): Promise<readonly PublishedFile[]> {
  const read = async (file: string): Promise<string> => {
    const text = await folderReader(root)(file)
    if (text !== null) return text
    throw new DeliveryError(`${root} holds no complete tree: ${file} is missing. Run npm run snapshot first.`)
  }
  const rows = await rowsIn(await read(LAYOUT.manifest), ({ path }) => folderReader(root)(path))
  if (!rows) throw new DeliveryError(`${root} holds a damaged manifest. Run npm run snapshot to rebuild it.`)
  return [...rows, ...(await Promise.all(UNLISTED.map(async (path) => ({ path, sha256: sha256Of(await read(path)) }))))]
}

/** Returns the tables beside a tree. */
export const tablesAt = (root: string): readonly PublishedFile[] =>
  tablesIn(textAt(join(root, TABLES_FILE))).rows.filter(({ path }) => existsSync(join(root, path)))

/** Returns the bytes of a file. @throws DeliveryError if they are not what the tree states */
export async function bodyOf(root: string, { path, sha256 }: PublishedFile): Promise<Buffer> {
  const body = await readFile(join(root, path)).catch(() => Buffer.alloc(0))
  if (sha256Of(body) === sha256) return body
  const [list, command] = path.startsWith(`${TABLES_FOLDER}/`) ? ['/tables', 'tables'] : ['the manifest', 'snapshot']
  throw new DeliveryError(
    `${join(root, path)} does not match ${list}, so the publication stopped. Run npm run ${command}, then publish again.`,
  )
}

/** Returns everything that a manifest lists; null if it or a part of it is missing or damaged. */
export async function rowsIn(
  text: string | null,
  read: (part: ManifestRow) => Promise<string | null>,
): Promise<readonly ManifestRow[] | null> {
  const manifest = readJson(text, PublishedManifest)
  if (manifest === null) return null
  const parts = await partsOf(manifest, read)
  const { rows, lost } = rowsListedBy(manifest, (part) => parts.get(part) ?? null)
  return lost.length > 0 ? null : rows
}
