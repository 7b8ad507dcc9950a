import { createHash } from 'node:crypto'
import { type Key, answerSchemaOf, cuttingParameter, fileOf } from '../contract/endpoint-spec.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { cut, print } from '../contract/text.ts'
import type { Attachments } from './attachment.ts'
import { type Endpoint, type World, type Written, enveloped } from './endpoint.ts'

/** A file to publish. `text` is null where the file of the last publication is right as it stands. */
export interface Document extends ManifestRow {
  readonly text: string | null
}

/** A whole file of the last publication. */
export interface LastFile {
  readonly row: ManifestRow
  /** Whether the manifest lists it. What a tree without a manifest holds is compared, and never taken unseen. */
  readonly isListed: boolean
}

/** What the last publication holds of a file, if it is there and whole. */
export type Before = (file: string) => LastFile | undefined

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const sealed = (path: string, text: string, timestamp: string): Document => ({
  path,
  bytes: Buffer.byteLength(text),
  sha256: hashOf(text),
  timestamp,
  text,
})

/** What a tree consists of: the answers of the API, and the files beside them. */
export interface Composition {
  readonly endpoints: readonly Endpoint[]
  readonly attachments: readonly Attachments[]
}

/**
 * Every document of every endpoint, each checked against its contract, and every attachment before the documents that
 * cover them all. What did not change keeps its timestamp, and so its bytes. Files are made one by one and never all
 * held.
 *
 * @throws when a body breaks its contract: that is a fault of the program, and nothing may be published then.
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
        // The bodies of the manifest and the index are made of `rows`, and both come after every document they cover.
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

/** What documents are composed of. */
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
  const first = print(answer.parse(enveloped(endpoint, key, { world, product, timestamp }, body)))
  const same = last && hashOf(first) === last.sha256
  const text = same || !last ? first : stamp(first, last.timestamp, world.at)
  const document = same ? { ...last, text } : sealed(path, text, world.at)
  yield same ? { ...last, text: null } : document

  const parameter = cuttingParameter(endpoint)
  const rows = 'rows' in body && Array.isArray(body.rows) ? body.rows.length : null
  if (parameter === undefined || rows === null) return
  for (const size of limitVariants(rows)) {
    const cutPath = fileOf(endpoint, { ...key, [parameter]: size })
    const standing = same ? before(cutPath) : undefined
    yield standing?.isListed ? { ...standing.row, text: null } : sealed(cutPath, cut(text, size), document.timestamp)
  }
}

/** The same text with another timestamp. The envelope's stands before anything that came from outside. */
const stamp = (text: string, from: string, to: string): string =>
  text.replace(`\n"timestamp":"${from}",`, `\n"timestamp":"${to}",`)
