import { type BlockLayout, printBlock } from '../contract/blocks.ts'
import { sha256Of } from '../contract/digest.ts'
import { type Key, answerSchemaOf, limitParameter, fileOf } from '../contract/endpoint-spec.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import { manifestLists } from '../contract/manifest-parts.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { by } from '../contract/order.ts'
import { OPENAPI_FILE } from '../contract/paths.ts'
import { limitEntries, entriesIn, print, stamped } from '../contract/text.ts'
import { type Block, blocksOf, hasOwnFiles } from './compose-blocks.ts'
import { type Attachments, type Endpoint, type World, type Written, enveloped } from './endpoint.ts'

/** A file to publish. `text` is null if the file of the last publication is unchanged. */
export interface Document extends ManifestRow {
  readonly text: string | null
}

/** An undamaged document of the last publication. */
export interface LastFile {
  readonly timestamp: string
  /** Returns its row of the manifest, or the one that it would have. */
  row(this: void): ManifestRow
  /** Whether its text is this one. */
  isText(this: void, text: string): boolean
  /** Whether the manifest lists it. An unlisted file is compared, never kept unread. */
  readonly isListed: boolean
  /** Whether it is in a block, and has no file of its own. */
  readonly isInBlock: boolean
}

/** Returns a file of the last publication, if it exists and is undamaged. */
type Before = (file: string) => LastFile | undefined

/** Returns one digest of rows of a manifest, in order. */
export const rowsDigest = (rows: readonly Pick<ManifestRow, 'path' | 'sha256'>[]): string =>
  sha256Of(rows.map(({ path, sha256 }) => `${sha256} ${path}\n`).join('')).slice(0, 16)

/** Returns a document with the size and digest of its text. */
export const sealed = (path: string, text: string, timestamp: string): Document => ({
  path,
  bytes: Buffer.byteLength(text),
  sha256: sha256Of(text),
  timestamp,
  text,
})

/** Contents of a tree: the answers of the API, and the files beside them. */
export interface Composition {
  readonly endpoints: readonly Endpoint[]
  readonly attachments: readonly Attachments[]
}

/** What documents are printed for, and the publication that they extend. */
interface Edition {
  readonly product: string
  /** Which documents are in blocks; null: none. */
  readonly layout: BlockLayout | null
  readonly before: Before
  /** Where the parts of the last manifest begin. */
  readonly starts: readonly string[]
  /** What other documents say of the files of this publication, where it is composed a second time to compare them. */
  readonly published?: Written
}

/**
 * Yields every document of every endpoint, validated against its contract, and every attachment before the documents
 * that cover them all: the parts of the manifest, the manifest, then the index. Otherwise the order of the endpoints has no meaning. Documents that
 * have no files of their own are in blocks. Unchanged documents keep their timestamp, and so their bytes. Files are
 * built one at a time to bound memory.
 *
 * @throws ZodError if a body breaks its contract. That is a bug, and nothing may be published.
 */
export function* compose({ endpoints, attachments }: Composition, world: World, edition: Edition): Generator<Document> {
  const { layout, before, starts } = edition
  const rows: ManifestRow[] = []
  const covering = new Map<string, ManifestRow>()
  let lists: ReturnType<typeof manifestLists<ManifestRow>> = { all: [], top: [] }
  const digests = new Map<string, string>()
  let openApi: string | null = null
  const written: Written = {
    layout,
    rows,
    lists: () => lists.all,
    topLists: () => lists.top,
    covering(file) {
      const row = covering.get(file)
      if (row === undefined) throw new Error(`${file} is not composed yet`)
      return row
    },
    sha256: (file: string) => digests.get(file) ?? '',
    digest: () => rowsDigest([...covering.values()].slice(lists.all.length - lists.top.length)),
    openApi: () => openApi,
    ...edition.published,
  }
  const noted = (document: Document, { stamped, covers }: Pick<Endpoint, 'stamped' | 'covers'> = {}): Document => {
    const { text: _, ...row } = document
    digests.set(row.path, row.sha256)
    if (stamped) return document
    if (covers) covering.set(row.path, row)
    else rows.push(row)
    return document
  }
  const composing = { world, before, product: edition.product, written }
  function* ofEndpoint(endpoint: Endpoint): Generator<Document> {
    if (!hasOwnFiles(endpoint, layout)) return
    for (const key of endpoint.keys(world, written))
      for (const composed of documentsOf(endpoint, key, composing)) yield noted(withOwnFile(composed, world), endpoint)
  }
  if (layout !== null)
    for (const block of blocksOf({ endpoints, layout, world })) yield noted(blockDocument(block, composing))
  for (const endpoint of endpoints) if (!endpoint.covers) yield* ofEndpoint(endpoint)
  for (const attached of attachments)
    for (const { path, text } of attached(world, written)) {
      if (path === OPENAPI_FILE) openApi = text
      yield noted(unlessSame(sealed(path, text, world.at), before))
    }
  lists = manifestLists(rows.toSorted(by(({ path }) => path)), starts)
  const last = endpoints.filter(({ covers }) => covers)
  // The manifest lists its parts, and the index has the digest of the manifest.
  const rank = ({ stamped, path }: Endpoint): number => (stamped ? 2 : path.includes(':') ? 0 : 1)
  for (const endpoint of last.toSorted((a, b) => rank(a) - rank(b))) yield* ofEndpoint(endpoint)
}

/** A composed document: unchanged since the last publication, where `last` is set, and then not always printed. */
type Composed = { readonly path: string; readonly timestamp: string } & (
  { readonly text: string; readonly last: null } | { readonly text: string | null; readonly last: LastFile }
)

/** Returns the file of a document. One that was in a block so far has its text, since it had no file. */
function withOwnFile({ path, text, timestamp, last }: Composed, world: World): Document {
  if (last === null) return sealed(path, text, timestamp)
  return { ...last.row(), text: last.isInBlock ? (text ?? world.last(path)) : null }
}

/** Returns a block with the time of its newest document. */
function blockDocument({ file, members }: Block, composing: Composing): Document {
  const { world, before } = composing
  let newest = ''
  const documents = members.flatMap(({ endpoint, key }) =>
    [...documentsOf(endpoint, key, composing)].map(({ path, text, timestamp }) => {
      if (timestamp > newest) newest = timestamp
      const whole = text ?? world.last(path)
      if (whole === null) throw new Error(`${path} is unchanged, but ${file} does not hold it`)
      return [path, whole] as const
    }),
  )
  return unlessSame(sealed(file, printBlock(documents), newest), before)
}

/** Returns a document, or the file of the last publication if it has the same bytes. */
function unlessSame(document: Document, before: Before): Document {
  const last = before(document.path)?.row()
  return last && last.sha256 === document.sha256 ? { ...last, text: null } : document
}

interface Composing {
  readonly world: World
  readonly before: Before
  readonly product: string
  readonly written: Written
}

function* documentsOf(endpoint: Endpoint, key: Key, composing: Composing): Generator<Composed> {
  const { world, before, written } = composing
  const path = fileOf(endpoint, key)
  const last = before(path)
  if (last?.isListed && endpoint.isUnchanged?.(world, key, written)) {
    yield { path, timestamp: last.timestamp, text: null, last }
    return
  }
  const body = endpoint.body(world, key, written)
  const timestamp = endpoint.stamped ? world.at : (last?.timestamp ?? world.at)
  const text = printedAnswer(endpoint, key, { body, timestamp }, composing)
  const document = dated(path, text, last, world.at)
  yield document
  const parameter = limitParameter(endpoint)
  const entries = entriesIn(body)
  if (parameter === undefined || entries === null) return
  for (const size of limitVariants(entries))
    yield variantOf(document, fileOf(endpoint, { ...key, [parameter]: size }), size, before)
}

/** Returns the text of an answer. @throws ZodError if the body breaks its contract */
function printedAnswer(
  endpoint: Endpoint,
  key: Key,
  { body, timestamp }: { readonly body: Readonly<Record<string, unknown>>; readonly timestamp: string },
  { world, product }: Pick<Composing, 'world' | 'product'>,
): string {
  const lines = endpoint.lines?.(world, key)
  const checked = enveloped(endpoint, key, { world, product, timestamp }, lines ? { ...body, rows: [] } : body)
  return print(answerSchemaOf(endpoint).parse(checked), endpoint.order?.(world, key), lines)
}

/** Returns a `limit` variant of a document. One that the manifest lists is unchanged if the document is. */
function variantOf({ last, text, timestamp }: Dated, path: string, size: number, before: Before): Composed {
  const variant = last === null ? undefined : before(path)
  return variant?.isListed
    ? { path, timestamp: variant.timestamp, text: null, last: variant }
    : { path, timestamp, text: limitEntries(text, size), last: null }
}

type Dated = Composed & { readonly text: string }

/** Dates a document that was printed with its last timestamp: unchanged it keeps that, otherwise it gets the time of the run. */
function dated(path: string, text: string, last: LastFile | undefined, at: string): Dated {
  if (last === undefined) return { path, timestamp: at, text, last: null }
  if (last.isText(text)) return { path, timestamp: last.timestamp, text, last }
  return { path, timestamp: at, text: stamped(text, last.timestamp, at), last: null }
}
