import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import pLimit from 'p-limit'
import { sha256Of } from '../contract/digest.ts'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { TABLES_FILE, tablesIn } from '../contract/tables.ts'
import { STATE_VERSION } from '../contract/words.ts'
import { rowsDigest } from '../endpoints/compose.ts'
import { HOSTS } from '../service/hosts.ts'
import { Checkpoint, digestOfPart, partsOf } from '../tree/checkpoint.ts'
import { isUnfinished } from '../tree/journal.ts'
import { LAYOUT, WORK, CHECKPOINT, ENCODINGS } from '../tree/layout.ts'
import { lockHolder } from '../tree/lock.ts'
import type { PublishedManifest } from '../tree/published-documents.ts'
import type { Comparison } from './deviation.ts'
import {
  type CheckedFiles,
  type FileInspection,
  type PublishedLists,
  type Repair,
  bytesAt,
  textsOf,
} from './file-inspection.ts'

/** A tree that is checked. */
export interface CheckedTree extends PublishedLists {
  readonly files: CheckedFiles
  readonly inspection: FileInspection
  readonly manifest: PublishedManifest | null
  readonly manifestText: string | null
  readonly specs: readonly EndpointSpec[]
  readonly repair: Repair
  /** Time of the check in ms since 1970. */
  readonly now: number
}

/** Looks for a running, killed or interrupted build of a tree in a folder, and at the version and the age of the tree. */
export function compareBuild(
  { files: { root }, index, now, repair: { rebuild } }: CheckedTree,
  comparison: Comparison,
): void {
  const builder = root === null ? null : lockHolder(root, now)
  if (builder)
    comparison.add({
      document: WORK.lock,
      member: '',
      published: `${builder.isAlive ? 'held' : 'left'} by ${builder.who}`,
      recomputed: null,
      rule: 'no build runs',
      advice: builder.isAlive ? 'Wait until it ends, then check again.' : 'Nothing to do: the next build removes it.',
      severity: 'notice',
    })
  if (root !== null && isUnfinished(root))
    comparison.add({
      document: WORK.journal,
      member: '',
      published: 'an interrupted publication',
      recomputed: null,
      rule: 'a publication is whole',
      advice: `Run ${rebuild} or npm run serve: whichever opens the tree next completes it.`,
    })
  if (index === null) return
  comparison.same(LAYOUT.index, 'stateVersion', {
    published: index.stateVersion,
    recomputed: STATE_VERSION,
    rule: 'the version that this program writes; of another one only digests are compared',
    advice:
      index.stateVersion < STATE_VERSION
        ? 'Verify it with the commit that published it.'
        : 'Update this program: it refuses to extend this tree.',
  })
  if (now > Date.parse(index.staleAfter))
    comparison.add({
      document: LAYOUT.index,
      member: 'staleAfter',
      published: `built at ${index.generatedAt}`,
      recomputed: `a tree built after ${index.staleAfter}`,
      rule: 'stale since staleAfter',
      advice: `Run ${rebuild}, and check why the scheduler did not.`,
      severity: 'notice',
    })
}

/**
 * Compares the digests that cover other digests: the manifest with its own rows, and the id of the snapshot in the index with
 * the manifest. Whoever changes a file and its row in the manifest also has to change both, so the id is that of another
 * snapshot, which mirrors and the next manifest contradict.
 */
export function compareChain({ index, manifest, manifestText, repair }: CheckedTree, comparison: Comparison): void {
  for (const [document, published] of [
    [LAYOUT.index, index],
    [LAYOUT.manifest, manifest],
  ] as const)
    comparison.same(document, '', {
      published: published === null ? 'missing or damaged' : 'a document of its schema',
      recomputed: 'a document of its schema',
      rule: 'every tree has one',
      advice: repair.ofMissing(document, null),
    })
  if (index === null || manifest === null || manifestText === null) return
  const { rows } = manifest
  const own = { path: LAYOUT.manifest, sha256: sha256Of(manifestText) }
  const ofIndex = comparison.membersOf(LAYOUT.index, index, '', { advice: repair.ofDamaged(LAYOUT.index) })
  ofIndex({ snapshotId: rowsDigest([...rows, own]) }, 'digest of the manifest and its rows')
  const ofManifest = comparison.membersOf(LAYOUT.manifest, manifest, '', { advice: repair.ofDamaged(LAYOUT.manifest) })
  // The first releases did not write it.
  if (manifest.rowsDigest !== '') ofManifest({ rowsDigest: rowsDigest(rows) }, 'digest of the rows')
}

const CHECKED_AT_ONCE = 8

const sealOf = (bytes: Uint8Array): string => `${bytes.length} bytes, sha256 ${sha256Of(bytes)}`

/** Compares each table with its size and digest in `/tables`. A machine that begins empty has none until they are written. */
export async function compareTableFiles({ files, inspection }: CheckedTree, comparison: Comparison): Promise<void> {
  for (const { path, bytes, sha256 } of tablesIn(await inspection.read(TABLES_FILE)).rows) {
    // eslint-disable-next-line no-await-in-loop -- a table may be 24 MiB, and one at a time is all that is held
    const table = await bytesAt(files, path)
    const values = {
      published: table && sealOf(table),
      recomputed: `${bytes} bytes, sha256 ${sha256}`,
      rule: 'a table that /tables lists',
      advice: 'Run npm run publish -- --tables, which writes it again.',
    }
    comparison.same(path, '', table === null ? { ...values, severity: 'notice' } : values)
  }
}

/** Compares the parts of the checkpoint with their names, which are their digests, and with the index. */
export async function compareCheckpoint({ files, index, repair }: CheckedTree, comparison: Comparison): Promise<void> {
  const text = await textsOf(files)(CHECKPOINT.pointer)
  if (text === null) return
  const advice = `Run ${repair.rebuild}, which writes the checkpoint again.`
  const pointer = readJson(text, Checkpoint)
  if (pointer === null) {
    comparison.same(CHECKPOINT.pointer, '', { published: 'damaged', recomputed: 'a pointer', rule: 'schema', advice })
    return
  }
  // A run whose checkpoint could not be written has published all the same, and says so.
  const compare = comparison.membersOf(CHECKPOINT.pointer, pointer, '', { advice, severity: 'notice' })
  if (index) compare({ snapshotId: index.snapshotId }, 'the snapshot of the index')
  for (const { file, bytes } of partsOf(pointer)) {
    const path = `${CHECKPOINT.folder}/${file}`
    // eslint-disable-next-line no-await-in-loop -- a part may be 16 MiB, and one at a time is all that is held
    const part = await bytesAt(files, path)
    comparison.same(path, '', {
      published: part && sealOf(part),
      recomputed: `${bytes} bytes, sha256 ${digestOfPart(file)}`,
      rule: 'a part that state/latest.json names',
      advice,
    })
  }
}

const DECODERS: Readonly<Record<(typeof ENCODINGS)[number], (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  '.gz': promisify(gunzip),
  '.br': promisify(brotliDecompress),
}

/** Compares the content of each compressed file with that of the uncompressed file. */
export async function compareEncodings({ files, repair }: CheckedTree, comparison: Comparison): Promise<void> {
  const limit = pLimit(CHECKED_AT_ONCE)
  const compare = async (file: string, suffix: (typeof ENCODINGS)[number]) => {
    const [plain, encoded] = await Promise.all([bytesAt(files, file.slice(0, -suffix.length)), bytesAt(files, file)])
    const decoded = encoded && (await DECODERS[suffix](encoded).catch(() => null))
    comparison.same(file, '', {
      published: decoded && sealOf(decoded),
      recomputed: plain && sealOf(plain),
      rule: `the content of ${file.slice(0, -suffix.length)}`,
      advice: `Run ${repair.rebuild}, which makes it again.`,
    })
  }
  await Promise.all(
    (files.list ?? []).flatMap((file) => {
      const suffix = ENCODINGS.find((one) => file.endsWith(one))
      return suffix === undefined ? [] : [limit(() => compare(file, suffix))]
    }),
  )
}

/** Texts that `npm run config -- --host` puts into a tree, by path. They do not depend on the site. */
const hostFiles = (specs: readonly EndpointSpec[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const site = { specs, tree: 'dist', server: '127.0.0.1:8787', port: 80, brotli: false, database: null }
  const texts = new Map<string, Set<string>>()
  for (const { files } of Object.values(HOSTS))
    for (const { path, text, place } of files?.(site) ?? [])
      if (place === 'tree') texts.set(path, (texts.get(path) ?? new Set()).add(text))
  return texts
}

/** Names every file that neither the manifest, nor the tables, nor a host knows. */
export async function compareUnlisted(
  { files, inspection, specs }: CheckedTree,
  comparison: Comparison,
): Promise<void> {
  if (files.list === null) return
  const [tables, pointer] = await Promise.all([inspection.read(TABLES_FILE), textsOf(files)(CHECKPOINT.pointer)])
  const checkpoint = readJson(pointer, Checkpoint)
  const known = new Set([
    CHECKPOINT.pointer,
    ...tablesIn(tables).rows.map(({ path }) => path),
    ...(checkpoint ? partsOf(checkpoint).map(({ file }) => `${CHECKPOINT.folder}/${file}`) : []),
  ])
  const ofHosts = hostFiles(specs)
  for (const file of files.list) {
    const plain = file.slice(0, file.length - (ENCODINGS.find((suffix) => file.endsWith(suffix)) ?? '').length)
    if (inspection.isListed(plain) || known.has(plain)) continue
    const expected = ofHosts.get(file)
    if (expected) {
      // eslint-disable-next-line no-await-in-loop -- there are three of these
      const text = await textsOf(files)(file)
      if (text !== null && expected.has(text)) continue
    }
    comparison.add({
      document: file,
      member: '',
      published: expected ? 'an edited file' : 'a file',
      recomputed: expected ? 'the file of a host' : 'no such file',
      rule: 'only what the manifest, /tables, state/latest.json and npm run config -- --host know',
      advice: expected
        ? 'Run npm run config -- --host again.'
        : 'Delete it if you did not put it there. A run removes unlisted documents of the API and nothing else.',
    })
  }
}
