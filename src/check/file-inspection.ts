import pLimit from 'p-limit'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { blockOf, documentIn, filesIn, folderOfBlock } from '../contract/blocks.ts'
import { type EndpointSpec, type Key, answerSchemaOf } from '../contract/endpoint-spec.ts'
import { parseJson } from '../contract/read-json.ts'
import { resolve } from '../service/resolve.ts'
import { head } from '../endpoints/head.ts'
import { LAYOUT, isDocument } from '../tree/layout.ts'
import type { PublishedIndex, PublishedManifest } from '../tree/published-documents.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { CheckedFiles } from './checked-files.ts'
import { Comparison } from './deviation.ts'
import { FILES_AT_ONCE } from './published-tree.ts'
import type { Repair } from './repair.ts'

/** What is known of a tree before its other files are read. */
export interface PublishedLists {
  readonly index: (PublishedIndex & { readonly product: string }) | null
  readonly manifest: PublishedManifest | null
}

/** Digest and size that a file should have; null: the file is listed without. */
interface Listed {
  readonly sha256: string | null
  readonly bytes: number | null
  readonly timestamp: string | null
}

const Head = z.looseObject({
  product: z.string().optional(),
  endpoint: z.string().optional(),
  timestamp: z.string().optional(),
  count: z.number().optional(),
  total: z.number().optional(),
  rows: z.array(z.unknown()).optional(),
})

/**
 * Compares each file of a tree with its digest in the manifest, and each document with its schema and its name, when the
 * file is read for the first time. So the checks that recompute figures and this one read every file once.
 */
export class FileInspection {
  readonly digests = new Comparison()
  readonly schemas = new Comparison()
  readonly #files: CheckedFiles
  readonly #lists: PublishedLists
  readonly #specs: readonly EndpointSpec[]
  readonly #repair: Repair
  readonly #listed: ReadonlyMap<string, Listed>
  readonly #passed = new Set<string>()

  constructor(
    files: CheckedFiles,
    { lists, specs, repair }: { lists: PublishedLists; specs: readonly EndpointSpec[]; repair: Repair },
  ) {
    this.#files = files
    this.#lists = lists
    this.#specs = specs
    this.#repair = repair
    const { index, manifest } = lists
    const unlisted = (sha256: string | undefined): Listed => ({ sha256: sha256 ?? null, bytes: null, timestamp: null })
    this.#listed = new Map([
      [LAYOUT.index, unlisted(undefined)],
      [LAYOUT.manifest, unlisted(index?.sha256.manifest)],
      [LAYOUT.collector, unlisted(index?.sha256.collector)],
      // A tree of an earlier program has none.
      ...(index?.endpoints.some(({ endpoint }) => endpoint === head.name)
        ? [[LAYOUT.head, unlisted(undefined)] as const]
        : []),
      ...(manifest?.rows.map((row) => [row.path, row] as const) ?? []),
    ])
  }

  /** Whether the index or the manifest names a file. */
  isListed(file: string): boolean {
    return this.#listed.has(file)
  }

  /** Reads a file as it is, and inspects it the first time. */
  readonly read: TreeReader = async (file) => {
    const bytes = await this.#files.bytes(file)
    const isRead = bytes instanceof Uint8Array
    const text = isRead ? new TextDecoder().decode(bytes) : null
    const listed = this.#listed.get(file)
    if (listed === undefined || this.#passed.has(file)) return text
    this.#passed.add(file)
    if (text !== null && isRead) this.#inspect(file, { bytes, text }, listed)
    else {
      const published = isRead || bytes === null ? 'no such file' : FAULTS[bytes.reason]
      const advice = this.#repair.ofMissing(file, isRead || bytes === null ? null : bytes.reason)
      this.digests.add({ document: file, member: '', published, recomputed: 'a file', rule: LISTED, advice })
    }
    return text
  }

  /** Reads the listed files that no other check has read. */
  async readRest(): Promise<void> {
    const limit = pLimit(FILES_AT_ONCE)
    const rest = [...this.#listed.keys()].filter((file) => !this.#passed.has(file))
    await Promise.all(rest.map((file) => limit(() => this.read(file))))
  }

  #inspect(file: string, { bytes, text }: { readonly bytes: Uint8Array; readonly text: string }, listed: Listed): void {
    const advice = this.#repair.ofDamaged(file)
    const same = (member: string, published: unknown, recomputed: unknown, rule: string) =>
      recomputed === null || this.digests.same({ document: file, member }, { published, recomputed, rule, advice })
    const isIntact = same('', `sha256 ${sha256Of(bytes)}`, listed.sha256 && `sha256 ${listed.sha256}`, LISTED)
    if (isIntact) same('', bytes.length, listed.bytes, 'its size in the manifest')
    if (folderOfBlock(file) === null) this.#document(file, text, listed.timestamp)
    else this.#block(file, text)
  }

  /** Compares a document with its schema, its name, its counts, and the time in the manifest. */
  #document(file: string, text: string, timestamp: string | null): void {
    const found = isDocument(file) ? resolve(this.#specs, 'GET', new URL(`/${file}`, 'http://tree')) : null
    if (found === null || found.kind !== 'document') return
    const advice = this.#repair.ofDamaged(file)
    const same = (member: string, published: unknown, recomputed: unknown, rule: string) =>
      this.schemas.same({ document: file, member }, { published, recomputed, rule, advice })
    const json = parseJson(text)
    const [issue] = answerSchemaOf(found.spec).safeParse(json).error?.issues ?? []
    if (issue) same(issue.path.map(String).join('.'), issue.message, 'a document of its schema', 'schema')
    if (!issue) this.#head(found, json, { timestamp, same })
  }

  #head(
    { spec, key }: { readonly spec: EndpointSpec; readonly key: Key },
    json: unknown,
    {
      timestamp,
      same,
    }: {
      readonly timestamp: string | null
      readonly same: (member: string, published: unknown, recomputed: unknown, rule: string) => boolean
    },
  ): void {
    const { data: head } = Head.safeParse(json)
    if (!head) return
    const { index } = this.#lists
    same('endpoint', head.endpoint, spec.name, 'the endpoint of this file')
    if (index) same('product', head.product, index.product, 'the name of the service in the index')
    if (timestamp !== null) same('timestamp', head.timestamp, timestamp, 'the time of the file in the manifest')
    if (head.count !== undefined && head.rows) same('count', head.count, head.rows.length, 'rows of the document')
    if (head.total !== undefined && index) same('total', head.total, index.listings, 'listings in the index')
    for (const [name, value] of Object.entries(key))
      if (['string', 'number'].includes(typeof head[name])) same(name, head[name], value, 'the name of the file')
  }

  #block(file: string, text: string): void {
    const layout = this.#lists.index?.layout ?? null
    for (const document of filesIn(text)) {
      this.schemas.same(
        { document: file, member: document },
        { published: file, recomputed: blockOf(layout, document), rule: 'where the layout of the index puts it' },
      )
      this.#document(document, documentIn(text, document) ?? '', null)
    }
  }
}

const LISTED = 'the file that the manifest lists'
const FAULTS = { folder: 'a folder', not_permitted: 'a file that this user may not read' } as const
