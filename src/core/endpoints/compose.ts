import { sha256Of } from '../contract/digest.ts'
import { type Key, answerMembersOf, fileOf, fileParameters } from '../contract/endpoint-spec.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import { type ManifestRow, type TableFile, isPart, manifestParts } from '../contract/manifest.ts'
import { by } from '../contract/order.ts'
import { OPENAPI_FILE, TABLE_LIST } from '../contract/paths.ts'
import { selectionOf } from '../contract/selection.ts'
import { entriesIn, print } from '../contract/text.ts'
import { type Attachments, type Endpoint, type PublicationData, type ComposedSoFar, composedBody } from './endpoint.ts'
import { manifest } from './operations.ts'

/** A file to publish. `content` is null if the file of the last publication is unchanged. */
export type Document = ManifestRow & { readonly content: string | Uint8Array | null }

/** A table for analysts: a file that changes once a day. */
export interface TableView extends TableFile {
  readonly reads: readonly string[] | undefined
  readonly content: () => Uint8Array
}

export interface Composition {
  readonly endpoints: readonly Endpoint[]
  readonly attachments: readonly Attachments[]
  readonly tables: (world: PublicationData) => readonly TableView[]
}

export interface LastFiles {
  /** The files of the last publication, by their path. */
  readonly documents: ReadonlyMap<string, ManifestRow>
  /** Whether a file is still there as it was published. */
  readonly holds: (row: ManifestRow) => boolean
  /** Names of what changed in the rows since; null: everything is composed again. */
  readonly changed: ReadonlySet<string> | null
}

export const NOTHING_COMPOSED: LastFiles = { documents: new Map(), holds: () => false, changed: null }

export const sealed = (path: string, content: string | Uint8Array, timestamp: string): Document => ({
  path,
  bytes: Buffer.byteLength(content),
  sha256: sha256Of(content),
  timestamp,
  content,
})

/**
 * Yields every document of every endpoint and every attachment, then the parts of the manifest, the manifest, the index and
 * its head. Unchanged documents keep their timestamp, and so their bytes. A document of which nothing that it reads changed
 * is not composed, and where no row changed, none is. Files are built one at a time to bound memory.
 *
 * @param tables returns the list of the tables of rows as a file, once all documents that the manifest lists are composed
 */
export function* compose(composition: Composition, world: PublicationData, last: LastFiles, tables: () => ManifestRow) {
  const { endpoints, attachments } = composition
  const rows: ManifestRow[] = []
  const byPath = new Map<string, ManifestRow>()
  const views = composition.tables(world)
  let openApi: string | null = null
  let parts = { length: 0, byName: new Map<string, readonly ManifestRow[]>() }
  const written: ComposedSoFar = {
    rows,
    row: (file) => byPath.get(file),
    parts() {
      if (parts.length !== rows.length) parts = { length: rows.length, byName: new Map(manifestParts(rows)) }
      return parts.byName
    },
    digest: (files) => sha256Of(files.map(({ path, sha256 }) => `${sha256} ${path}\n`).join('')).slice(0, 16),
    tables: views,
    openApi: () => openApi,
  }
  const noted = (document: Document, isListed = true): Document => {
    const { content: _, ...row } = document
    byPath.set(row.path, row)
    if (isListed) rows.push(row)
    return document
  }
  const composing = { world, last, written }
  function* ofEndpoints(own: readonly Endpoint[]): Generator<Document> {
    for (const endpoint of own)
      for (const key of endpoint.keys(world, written))
        for (const document of documentsOf(endpoint, key, composing))
          yield noted(document, !endpoint.stamped && !endpoint.covers)
  }
  const isListed = (path: string): boolean => !isPart(path) && path !== fileOf(manifest, {})
  const same = last.changed?.size === 0 ? unchangedFiles([...last.documents.keys()].filter(isListed), [], last) : []
  for (const document of same) yield noted(document)
  const isNew = same.length === 0
  for (const { path, reads, content } of isNew ? views : [])
    yield noted(unchangedFiles([path], reads, last)[0] ?? unlessSame(sealed(path, content(), world.at), last))
  yield* ofEndpoints(endpoints.filter(({ covers, stamped }) => !covers && (isNew || stamped)))
  for (const attached of isNew ? attachments : [])
    for (const { path, text } of attached(world, written)) {
      if (path === OPENAPI_FILE) openApi = text
      yield noted(unlessSame(sealed(path, text, world.at), last))
    }
  // The parts of the manifest, the manifest, which lists them, and the index, which has its digest.
  const listing = endpoints.filter((one) => one.covers && !one.stamped)
  yield* ofEndpoints(listing.toSorted(by(({ path }) => (path.includes(':') ? 0 : 1))))
  byPath.set(TABLE_LIST, tables())
  yield* ofEndpoints(endpoints.filter((one) => one.covers && one.stamped))
}

/** Returns files of the last publication, all of them if they are still there and nothing that they show has changed. */
function unchangedFiles(paths: readonly string[], reads: readonly string[] | undefined, last: LastFiles): Document[] {
  const { changed, documents, holds } = last
  if (changed === null || reads?.some((name) => changed.has(name)) !== false) return []
  const files = paths.flatMap((path) => documents.get(path) ?? [])
  return files.length === paths.length && files.every(holds) ? files.map((file) => ({ content: null, ...file })) : []
}

interface Composing {
  readonly world: PublicationData
  readonly last: LastFiles
  readonly written: ComposedSoFar
}

function* documentsOf(endpoint: Endpoint, key: Key, { world, last, written }: Composing): Generator<Document> {
  const path = fileOf(endpoint, key)
  const before = last.documents.get(path)
  const paths = [path, ...otherFiles(endpoint, key)]
  const unchanged = unchangedFiles(paths, endpoint.reads?.(world, key), last)
  yield* unchanged
  if (unchanged.length > 0) return
  const timestamp = endpoint.stamped ? world.at : (before?.timestamp ?? world.at)
  const { name, health } = endpoint
  const body = composedBody(endpoint, world, key, written)
  // An object literal that begins with a spread has a shape of its own in V8 11: it costs fifteen times as much.
  const members = { ok: true, product: world.site.product, endpoint: name, timestamp, ...health(world, key), ...body }
  const answer = answerMembersOf(endpoint)(members)
  const order = endpoint.order?.(world, key)
  const own = dated(print(answer, order), { path, timestamp }, world.at, before)
  for (const one of paths) yield unlessSame({ ...own, path: one }, last)
  if ('limit' in endpoint.parameters)
    for (const most of limitVariants(entriesIn(answer) ?? 0)) {
      const limited = print(selectionOf({ ...answer, timestamp: own.timestamp }, { most, order }), order)
      yield unlessSame(sealed(fileOf(endpoint, { ...key, limit: most }), limited, own.timestamp), last)
    }
}

/** Returns a document that is printed with the time of the last one, which it keeps if it is unchanged. */
function dated(text: string, own: Pick<Document, 'path' | 'timestamp'>, now: string, before?: ManifestRow): Document {
  const bytes = Buffer.byteLength(text)
  if (!before || (before.bytes === bytes && before.sha256 === sha256Of(text)))
    return { bytes, sha256: before?.sha256 ?? sha256Of(text), content: text, ...own }
  const content = text.replace(`\n"timestamp":"${own.timestamp}",`, `\n"timestamp":"${now}",`)
  return { path: own.path, bytes, sha256: sha256Of(content), timestamp: now, content }
}

/** Returns the file without a parameter that has its default: a plain file host answers the path without a query with it. */
const otherFiles = (endpoint: Endpoint, key: Key): string[] =>
  fileParameters(endpoint).flatMap(([name, parameter]) => {
    if (parameter.default === undefined || key[name] !== parameter.default) return []
    const { [name]: _, ...others } = key
    return [fileOf(endpoint, others)]
  })

/** Returns a document, or the file of the last publication if it has the same bytes and is still there. */
function unlessSame(document: Document, { documents, holds }: LastFiles): Document {
  const before = documents.get(document.path)
  if (before === undefined || before.sha256 !== document.sha256) return document
  return { content: holds(before) ? null : document.content, ...before }
}
