import { createHash } from 'node:crypto'
import { type Key, answerSchemaOf, cuttingParameter, fileOf } from '../contract/endpoint-spec.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { cut, entriesIn, print } from '../contract/text.ts'
import type { Attachments } from './attachment.ts'
import { type Endpoint, type World, type Written, enveloped } from './endpoint.ts'

/** A file to publish. `text` is null if the file of the last publication is unchanged. */
export interface Document extends ManifestRow {
  readonly text: string | null
}

/** An undamaged file of the last publication. */
export interface LastFile {
  readonly row: ManifestRow
  /** Whether the manifest lists it. An unlisted file is compared, never kept unread. */
  readonly isListed: boolean
}

/** Returns a file of the last publication, if it exists and is undamaged. */
export type Before = (file: string) => LastFile | undefined

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const sealed = (path: string, text: string, timestamp: string): Document => ({
  path,
  bytes: Buffer.byteLength(text),
  sha256: hashOf(text),
  timestamp,
  text,
})

/** Contents of a tree: the answers of the API, and the files beside them. */
export interface Composition {
  readonly endpoints: readonly Endpoint[]
  readonly attachments: readonly Attachments[]
}

/**
 * Yields every document of every endpoint, validated against its contract, and every attachment before the documents
 * that cover them all. Unchanged documents keep their timestamp, and so their bytes. Files are built one at a time to
 * bound memory.
 *
 * @throws ZodError if a body breaks its contract. That is a bug, and nothing may be published.
 */
export function* compose(
  { endpoints, attachments }: Composition,
  world: World,
  before: Before,
  product: string,
): Generator<Document> {
  const rows: ManifestRow[] = []
  const digests = new Map<string, string>()
  const written: Written = {
    rows,
    sha256: (file: string) => digests.get(file) ?? '',
    digest: () => hashOf(rows.map(({ path, sha256 }) => `${sha256} ${path}\n`).join('')).slice(0, 16),
  }
  const covers = endpoints.findIndex(({ covers }) => covers)
  for (const [place, endpoint] of endpoints.entries()) {
    if (place === covers)
      for (const attached of attachments)
        for (const { path, text } of attached(world, written)) {
          const document = attachmentOf(path, text, before(path)?.row, world.at)
          const { text: _, ...row } = document
          digests.set(path, row.sha256)
          rows.push(row)
          yield document
        }
    const answer = answerSchemaOf(endpoint)
    for (const key of endpoint.keys(world)) {
      for (const document of documentsOf(endpoint, key, answer, { world, before, product, written })) {
        const { text: _, ...row } = document
        digests.set(row.path, row.sha256)
        // The manifest and the index are built from `rows`, and both come after every document they cover.
        if (!endpoint.stamped) rows.push(row)
        yield document
      }
    }
  }
}

function attachmentOf(path: string, text: string, last: ManifestRow | undefined, at: string): Document {
  const document = sealed(path, text, at)
  return last && last.sha256 === document.sha256 ? { ...last, text: null } : document
}

/** Inputs of a document. */
interface Composing {
  readonly world: World
  readonly before: Before
  readonly product: string
  readonly written: Written
}

function* documentsOf(
  endpoint: Endpoint,
  key: Key,
  answer: ReturnType<typeof answerSchemaOf>,
  { world, before, product, written }: Composing,
): Generator<Document> {
  const path = fileOf(endpoint, key)
  const held = before(path)
  if (held?.isListed && endpoint.isUnchanged?.(world, key, written)) {
    yield { ...held.row, text: null }
    return
  }
  const body = endpoint.body(world, key, written)
  const last = held?.row
  const timestamp = endpoint.stamped ? world.at : (last?.timestamp ?? world.at)
  const first = print(
    answer.parse(enveloped(endpoint, key, { world, product, timestamp }, body)),
    endpoint.order?.(world, key),
  )
  const same = last && hashOf(first) === last.sha256
  const text = same || !last ? first : stamp(first, last.timestamp, world.at)
  const document = same ? { ...last, text } : sealed(path, text, world.at)
  yield same ? { ...last, text: null } : document

  const parameter = cuttingParameter(endpoint)
  const entries = entriesIn(body)
  if (parameter === undefined || entries === null) return
  for (const size of limitVariants(entries)) {
    const cutPath = fileOf(endpoint, { ...key, [parameter]: size })
    const standing = same ? before(cutPath) : undefined
    yield standing?.isListed ? { ...standing.row, text: null } : sealed(cutPath, cut(text, size), document.timestamp)
  }
}

/** Replaces the timestamp of the envelope. It precedes all outside text, so the first match is the right one. */
const stamp = (text: string, from: string, to: string): string =>
  text.replace(`\n"timestamp":"${from}",`, `\n"timestamp":"${to}",`)
