import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../../src/contract/digest.ts'
import { isPart, isSection, partFor } from '../../src/contract/manifest-parts.ts'
import type { ListedRow, ManifestRow } from '../../src/contract/manifest.ts'
import { print } from '../../src/contract/text.ts'
import { rowsDigest } from '../../src/endpoints/compose.ts'
import { headOf } from '../../src/endpoints/api-index.ts'
import { LAYOUT } from '../../src/tree/layout.ts'
import { PublishedManifest, rowsListedBy } from '../../src/tree/published-documents.ts'

const Members = z.record(z.string(), z.unknown())

/** Returns everything that the manifest of a tree lists, its parts included. */
export const rowsIn = (textOf: (file: string) => string): readonly ListedRow[] =>
  rowsListedBy(PublishedManifest.parse(JSON.parse(textOf(LAYOUT.manifest))), textOf).rows

/** Returns the text of a file of a tree in a folder. */
export const textsOf =
  (root: string) =>
  (file: string): string =>
    readFileSync(join(root, file), 'utf8')

/**
 * Returns the parts, the manifest, the index and the head of a tree that lists these files, as someone leaves them who changes
 * files and then writes right digests of them.
 */
export function manifestTexts(
  textOf: (file: string) => string,
  files: readonly ManifestRow[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  const put = (file: string, members: Readonly<Record<string, unknown>>): string => {
    const text = print({ ...Members.parse(JSON.parse(textOf(file))), ...members })
    texts.set(file, text)
    return text
  }
  const lists = rowsIn(textOf).filter(({ path }) => isPart(path))
  const before = new Set(lists.map(({ path, sha256 }) => `${path} ${sha256}`))
  const [parts, sections] = [lists.filter(({ path }) => !isSection(path)), lists.filter(({ path }) => isSection(path))]
  const relisted = (list: ListedRow, own: readonly ManifestRow[]): ListedRow => {
    const text = put(list.path, { count: own.length, rows: own })
    return { ...list, bytes: Buffer.byteLength(text), sha256: sha256Of(text) }
  }
  const within = (list: ListedRow, all: readonly ListedRow[], path: string) => partFor(path, all)?.path === list.path
  const added = files.filter(({ path, sha256 }) => !before.has(`${path} ${sha256}`))
  const first = parts.map((part) =>
    relisted(
      part,
      added.filter(({ path }) => within(part, parts, path)),
    ),
  )
  const second = sections.map((section) =>
    relisted(
      section,
      first.filter(({ from }) => within(section, sections, from ?? '')),
    ),
  )
  const rows = second.length > 0 ? second : first
  const manifest = sha256Of(put(LAYOUT.manifest, { rowsDigest: rowsDigest(rows), count: rows.length, rows }))
  const index = put(LAYOUT.index, {
    snapshotId: rowsDigest([...rows, { path: LAYOUT.manifest, sha256: manifest }]),
    sha256: { manifest, collector: sha256Of(textOf(LAYOUT.collector)) },
  })
  return texts.set(LAYOUT.head, headOf(index) ?? '')
}
