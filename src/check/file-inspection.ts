import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import * as z from 'zod'
import { blockOf, documentIn, filesIn, folderOfBlock } from '../contract/blocks.ts'
import { sha256Of } from '../contract/digest.ts'
import { type EndpointSpec, answerSchemaOf } from '../contract/endpoint-spec.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { labelOf } from '../contract/product.ts'
import { checked, parseJson } from '../contract/read-json.ts'
import { head } from '../endpoints/api-index.ts'
import type { DocumentRequest } from '../service/documents.ts'
import { resolve } from '../service/resolve.ts'
import { LAYOUT, isDocument } from '../tree/layout.ts'
import type { PublishedIndex } from '../tree/published-documents.ts'
import { MOST_FILE_BYTES, filesBelow, type TreeReader } from '../tree/reader.ts'
import { type RemoteOptions, askSite, bytesOf, fileOnSite } from '../tree/remote.ts'
import { RestoreError, isCode } from '../tree/tree-error.ts'
import type { Comparison } from './deviation.ts'
import { FILES_AT_ONCE } from './published-tree.ts'

/** The files of a tree that is checked: in a folder, on a site, at a git revision, or in memory. */
export interface CheckedFiles {
  /** Returns the bytes of a file as they are; null if it is missing, or the reason why it cannot be read. */
  bytes(file: string): Promise<Uint8Array | Unreadable | null>
  /** Every file of the tree; null: the place cannot list its files. */
  readonly list: readonly string[] | null
  /** Folder of this machine that has the tree, with its lock and journal; null: it is elsewhere. */
  readonly root: string | null
}

/** Returns the bytes of a file; null if it is missing or cannot be read. */
export async function bytesAt(files: CheckedFiles, file: string): Promise<Uint8Array | null> {
  const bytes = await files.bytes(file)
  return bytes instanceof Uint8Array ? bytes : null
}

/** Returns a reader of the texts of files. */
export const textsOf =
  (files: CheckedFiles): TreeReader =>
  async (file) => {
    const bytes = await bytesAt(files, file)
    return bytes && new TextDecoder().decode(bytes)
  }

interface Unreadable {
  readonly reason: 'folder' | 'not_permitted'
}

/** Returns the files of a tree in a folder. */
export const filesInFolder = (root: string): CheckedFiles => ({
  bytes: async (file) => bytesIn(join(root, file)),
  // Names that begin with a dot are of the program, and hosts do not serve them.
  list: filesBelow(root, '').filter((file) => !file.split('/').some((name) => name.startsWith('.'))),
  root,
})

/**
 * Returns the files of a tree on a site.
 *
 * The reader throws RestoreError `unreachable` if the site does not answer, because it may have the file.
 */
export const filesOnSite = (site: string, options: RemoteOptions): CheckedFiles => ({
  async bytes(file) {
    const url = fileOnSite(site, file)
    const answer = await askSite(url, (body) => bytesOf(body, MOST_FILE_BYTES), options)
    if ('value' in answer) return answer.value
    if (answer.reason === 'absent') return null
    throw new RestoreError('unreachable', `${url.href} ${answer.why}`, { cause: answer.cause })
  },
  list: null,
  root: null,
})

function bytesIn(path: string): Uint8Array | Unreadable | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return { reason: 'folder' }
    return stats?.isFile() && stats.size <= MOST_FILE_BYTES ? readFileSync(path) : null
  } catch (error) {
    if (isCode(error, 'EACCES') || isCode(error, 'EPERM')) return { reason: 'not_permitted' }
    if (isCode(error, 'ENOTDIR') || isCode(error, 'ELOOP') || isCode(error, 'ENAMETOOLONG')) return null
    throw error
  }
}

/** What to do about a file that is not as it was published. */
export interface Repair {
  readonly rebuild: string
  ofMissing(file: string, reason: Unreadable['reason'] | null): string
  ofDamaged(file: string): string
}

/** Documents that a run extends: what is in them cannot be collected again. */
const PAST = /(?:^|\/)(?:history|candles|closes|changes)(?:\/|\.json$)|^tokenlist\.json$/

/**
 * Returns the advice for files of a tree in this folder; null: the tree is on a site or in a repository. No advice deletes a
 * file that holds the past: a run takes it from the checkpoint, and without that only a copy has it.
 */
export function repairOf(root: string | null, label: string | null): Repair {
  const sample = label === labelOf('sample') ? ' --sources sample' : ''
  const rebuild = root === null ? 'npm run snapshot and publish again' : `npm run snapshot -- --out ${root}${sample}`
  const made = (file: string) =>
    PAST.test(file)
      ? 'which takes it from the checkpoint if that has it. Otherwise put a copy back first: it holds the past.'
      : 'which composes it again.'
  if (root === null) return { rebuild, ofMissing: () => REMOTE, ofDamaged: () => REMOTE }
  return {
    rebuild,
    ofMissing: (file, reason) => {
      if (reason === 'folder') return `Move the folder away, then run ${rebuild}, ${made(file)}`
      if (reason === 'not_permitted') return 'Give this user the right to read it, or check as its owner.'
      return `Run ${rebuild}, ${made(file)}`
    },
    // A run trusts a file of the listed size and time, and reads it again after a touch.
    ofDamaged: (file) => `Run touch ${root}/${file}, then ${rebuild}, ${made(file)}`,
  }
}

const REMOTE = 'Publish the tree again, or purge the cache of the host.'

/** What is known of a tree before its other files are read. */
export interface PublishedLists {
  readonly index: (PublishedIndex & { readonly product: string }) | null
  /** The parts of the manifest, and the files in them. */
  readonly rows: readonly ManifestRow[]
  /** Parts that are missing or damaged. */
  readonly lost: readonly ManifestRow[]
}

/** Digest and size that a file should have; null: the file is listed without. */
interface Listed {
  readonly sha256: string | null
  readonly bytes: number | null
  readonly timestamp: string | null
}

interface Inspecting extends PublishedLists {
  readonly specs: readonly EndpointSpec[]
  readonly repair: Repair
  readonly digests: Comparison
  readonly schemas: Comparison
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
  readonly #files: CheckedFiles
  readonly #by: Inspecting
  readonly #listed: ReadonlyMap<string, Listed>
  readonly #passed = new Set<string>()

  constructor(files: CheckedFiles, by: Inspecting) {
    this.#files = files
    this.#by = by
    const { index, rows } = by
    const unlisted = (sha256: string | undefined): Listed => ({ sha256: sha256 ?? null, bytes: null, timestamp: null })
    this.#listed = new Map([
      [LAYOUT.index, unlisted(undefined)],
      [LAYOUT.manifest, unlisted(index?.sha256.manifest)],
      [LAYOUT.collector, unlisted(index?.sha256.collector)],
      // A tree of an earlier program has none.
      ...(index?.endpoints.some(({ endpoint }) => endpoint === head.name)
        ? [[LAYOUT.head, unlisted(undefined)] as const]
        : []),
      ...rows.map((row) => [row.path, row] as const),
    ])
  }

  /** Whether the index or the manifest names a file, or a lost part of the manifest would. */
  isListed(file: string): boolean {
    return this.#listed.has(file) || this.#by.lost.length > 0
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
      const advice = this.#by.repair.ofMissing(file, isRead || bytes === null ? null : bytes.reason)
      this.#by.digests.add({ document: file, member: '', published, recomputed: 'a file', rule: LISTED, advice })
    }
    return text
  }

  /** Reads the listed files that no other check has read, unless a thousand files are missing or damaged. */
  async readRest(): Promise<void> {
    const limit = pLimit(FILES_AT_ONCE)
    const rest = [...this.#listed.keys()].filter((file) => !this.#passed.has(file))
    await Promise.all(rest.map((file) => limit(() => (this.#by.digests.isFull ? null : this.read(file)))))
  }

  #inspect(file: string, { bytes, text }: { readonly bytes: Uint8Array; readonly text: string }, listed: Listed): void {
    const { digests, repair } = this.#by
    const own = { sha256: `sha256 ${sha256Of(bytes)}`, bytes: bytes.length }
    const expected =
      listed.sha256 === null ? own : { sha256: `sha256 ${listed.sha256}`, bytes: listed.bytes ?? own.bytes }
    // A file with another digest has often another size, too: that is one finding.
    const [published, recomputed] =
      own.sha256 === expected.sha256 ? [own.bytes, expected.bytes] : [own.sha256, expected.sha256]
    digests.same(file, '', { published, recomputed, rule: LISTED, advice: repair.ofDamaged(file) })
    if (folderOfBlock(file) === null) this.#document(file, text, listed.timestamp)
    else this.#block(file, text)
  }

  /** Compares a document with its schema, its name, its counts, and the time in the manifest. */
  #document(file: string, text: string, timestamp: string | null): void {
    const { specs, repair, schemas } = this.#by
    const found = isDocument(file) ? resolve(specs, 'GET', new URL(`/${file}`, 'http://tree')) : null
    if (found === null || found.kind !== 'document') return
    const advice = repair.ofDamaged(file)
    const json = parseJson(text)
    const [issue] = checked(json, answerSchemaOf(found.spec)).error?.issues ?? []
    const { data: head } = Head.safeParse(json)
    schemas.same(file, issue?.path.map(String).join('.') ?? '', {
      published: issue?.message,
      recomputed: undefined,
      rule: 'schema',
      advice,
    })
    if (!issue && head) this.#head(file, head, found, timestamp)
  }

  #head(file: string, head: z.infer<typeof Head>, { spec, key }: DocumentRequest, timestamp: string | null): void {
    const { index, repair, schemas } = this.#by
    const compare = schemas.membersOf(file, head, '', { advice: repair.ofDamaged(file) })
    compare({ endpoint: spec.name }, 'the endpoint of this file')
    if (index) compare({ product: index.product }, 'the name of the service in the index')
    if (timestamp !== null) compare({ timestamp }, 'the time of the file in the manifest')
    if (head.count !== undefined && head.rows) compare({ count: head.rows.length }, 'rows of the document')
    if (head.total !== undefined && index) compare({ total: index.listings }, 'listings in the index')
    for (const [name, value] of Object.entries(key))
      if (['string', 'number'].includes(typeof head[name])) compare({ [name]: value }, 'the name of the file')
  }

  #block(file: string, text: string): void {
    const { index, schemas } = this.#by
    for (const document of filesIn(text)) {
      const recomputed = blockOf(index?.layout ?? null, document)
      schemas.same(file, document, { published: file, recomputed, rule: 'where the layout of the index puts it' })
      this.#document(document, documentIn(text, document) ?? '', null)
    }
  }
}

const LISTED = 'the file that the manifest lists'
const FAULTS = { folder: 'a folder', not_permitted: 'a file that this user may not read' } as const
