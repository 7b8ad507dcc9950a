import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  HASH_BYTES,
  LOG,
  type LogEntry,
  type LogKey,
  type LogProof,
  TILE,
  hasTexts,
  hashesIn,
  parseProof,
  printProof,
  tileFile,
} from './log.ts'
import type { LogPolicy } from './log-policy.ts'
import { partFor } from './manifest-parts.ts'
import { leafHash, rootFrom, rootOf } from './merkle.ts'
import { API_FOLDER } from './prefix.ts'
import { isObject, parseJson } from './read-json.ts'
import { type Checkpoint, type VerifierKey, parseKey, printNote, signedBy, toBase64 } from './signed-note.ts'

/** Returns the bytes of a file; null if there is none. */
export type ReadFile = (file: string) => Promise<Uint8Array | null>

export interface Reader {
  readonly read: ReadFile
  /** In ms since 1970. */
  readonly now: number
  /** Whose signatures count; null: the keys of the log that was seen, or of the first proof. */
  readonly policy: LogPolicy | null
  /** The last proof that this machine saw of the log, from which on its past is known; null: none. */
  readonly seen: string | null
}

const FAULTS = {
  no_log: `The site has no ${LOG.proof}: its program does not keep a log.`,
  damaged: 'A file of the log is missing, cut off or invalid',
  unsigned: 'No trusted key of the log signed its checkpoint',
  retired_key: 'The checkpoint is signed by a key that another one has replaced.',
  quorum: 'The policy asks for more cosignatures than those of',
  not_included: 'The entry is not in the log of its checkpoint.',
  rolled_back: 'The log ends before its last run',
  rewritten: 'The log is not the one that was seen before: its past was rewritten.',
  stale: 'The last run in the log was stale from then on',
  ahead: 'The last run in the log is ahead of this clock',
  not_listed: 'The manifest does not list the file',
  differs: 'The file is not the one that the run published',
} as const

/** A document that is not proven. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly fault: keyof typeof FAULTS
  /** The checkpoint that was seen before and the one that contradicts it, where they are the fault. */
  readonly checkpoints: readonly string[]

  constructor(fault: keyof typeof FAULTS, of: string | null, checkpoints: readonly string[]) {
    super(of === null ? FAULTS[fault] : `${FAULTS[fault]}: ${of}.`)
    this.fault = fault
    this.checkpoints = checkpoints
  }
}

/** Throws a {@link ProofError} unless a condition holds. @param of what the fault is in, such as a file */
function ensure(
  holds: boolean,
  fault: keyof typeof FAULTS,
  of: string | null = null,
  checkpoints: readonly string[] = [],
): asserts holds {
  if (!holds) throw new ProofError(fault, of, checkpoints)
}

export interface ProvenDocument {
  readonly bytes: Uint8Array
  readonly entry: LogEntry
  /** Number of the run in the log. */
  readonly run: number
  /** Names of the keys that signed, and of the witnesses that cosigned; none: the log is unsigned. */
  readonly signedBy: readonly string[]
  /** The last proof of the log, to be kept for the next time. */
  readonly seen: string
}

/** How far the clock of a publisher may be ahead of this one. */
const AHEAD_MS = 5 * 60_000

const NOTHING = new Uint8Array()
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const digestOf = (bytes: Uint8Array): string => bytesToHex(sha256(bytes))

/**
 * Proves that a document of a site is what its last run published: that the document is in its part of the manifest, the
 * manifest in the entry of the run, and the entry in a log that is signed, and that has the log in it that this machine saw
 * before. Not that a source told the truth.
 *
 * @param file relative to the root of the site, such as `api/mkt/assets/bitcoin.json`
 * @param past reads the files of an archived run, whose proof is then the one that the site's log has to continue
 * @throws ProofError
 */
export async function provenDocument(
  file: string,
  { read, now, policy, seen }: Reader,
  past?: ReadFile,
): Promise<ProvenDocument> {
  const last = await lastRun(read)
  const { checkpoint, entry } = last
  const before = parseProof(seen ?? '')
  const signedBy = await signersOf(last, policy, before?.entry.keys.length ? before.entry.keys : entry.keys)
  if (before) await ensureContinues(before.checkpoint, checkpoint, read)
  ensure(now <= Date.parse(entry.staleAfter), 'stale', entry.staleAfter)
  ensure(Date.parse(entry.generatedAt) <= now + AHEAD_MS, 'ahead', entry.generatedAt)
  const run = past ? await lastRun(past) : last
  if (past) await ensureContinues(run.checkpoint, checkpoint, read)
  const digest = await digestIn(file, run, past ?? read)
  const bytes = await (past ?? read)(file)
  ensure(bytes !== null && digestOf(bytes) === digest, 'differs', file)
  return { bytes, entry: run.entry, run: run.checkpoint.size, signedBy, seen: printProof(last) }
}

/** Returns the proof of the last run of a log, which is consistent in itself. */
async function lastRun(read: ReadFile): Promise<LogProof> {
  const bytes = await read(LOG.proof)
  ensure(bytes !== null, 'no_log')
  const proof = parseProof(textOf(bytes))
  ensure(proof !== null, 'damaged', LOG.proof)
  const { index, checkpoint } = proof
  const { size, root } = checkpoint
  const left = [...proof.path]
  const leaf = leafHash(utf8ToBytes(proof.leaf))
  const found = index < size ? rootFrom({ leaf, index }, [0, size], () => left.shift() ?? NOTHING) : NOTHING
  ensure(toBase64(found) === root && left.length === 0, 'not_included', null, [printNote(checkpoint)])
  ensure(index === size - 1, 'rolled_back', `the proof is of run ${index + 1} of ${size}`)
  return proof
}

interface Row {
  readonly path: string
  readonly from?: string
  readonly sha256: string
}

const isRow = (row: unknown): row is Row =>
  hasTexts(row, ['path', 'sha256']) && ['string', 'undefined'].includes(typeof row['from'])

/** Returns the rows of a list of the manifest, or the digests that the index has. */
function rowsIn(list: unknown): readonly Row[] {
  if (!isObject(list)) return []
  const digests = isObject(list['sha256']) ? Object.entries(list['sha256']) : []
  const rows = Array.isArray(list['rows'])
    ? list['rows']
    : digests.map(([name, sha256]) => ({ path: fileOf(name), sha256 }))
  return rows.filter(isRow)
}

const fileOf = (name: string): string => `${API_FOLDER}/${name}.json`

/** Returns the digest that a run gives a file: by its index, or its manifest, a section if there are any, and its part. */
async function digestIn(file: string, { entry, manifest }: LogProof, read: ReadFile): Promise<string> {
  const index = { path: `${API_FOLDER}.json`, sha256: entry.index }
  const first = { path: fileOf('manifest'), from: '', sha256: entry.manifest }
  let rows: readonly Row[] = file === fileOf('collector') ? [{ ...index, from: '' }] : [index, first]
  for (;;) {
    const row = rows.find(({ path }) => path === file) ?? partFor(file, rows)
    ensure(row !== undefined, 'not_listed', file)
    if (row.path === file) return row.sha256
    // eslint-disable-next-line no-await-in-loop -- a list names the next one
    const list = row === first ? utf8ToBytes(manifest) : await read(row.path)
    ensure(list !== null && digestOf(list) === row.sha256, 'differs', row.path)
    rows = rowsIn(parseJson(textOf(list)))
  }
}

/** Returns who signed and who cosigned a checkpoint. Lines of unknown keys are ignored. */
async function signersOf(
  { checkpoint, entry: { generatedAt } }: LogProof,
  policy: LogPolicy | null,
  known: readonly LogKey[],
): Promise<readonly string[]> {
  const signing = async (keys: readonly VerifierKey[]): Promise<readonly VerifierKey[]> => {
    const lines = await Promise.all(keys.map((key) => signedBy(key, checkpoint)))
    return keys.filter((_, place) => lines[place]?.length)
  }
  const ofLog = (rows: readonly LogKey[]) => rows.flatMap(({ key }) => parseKey(key) ?? [])
  const isEnded = ({ until }: LogKey): boolean => until !== null && until < generatedAt
  if (policy === null && known.length === 0 && checkpoint.signatures.length === 0) return []
  const trusted = policy?.logs ?? ofLog(known.filter((row) => !isEnded(row)))
  const signers = await signing(trusted.filter(({ name }) => name === checkpoint.origin))
  const former = signers.length > 0 ? [] : await signing(ofLog(known.filter(isEnded)))
  ensure(former.length === 0, 'retired_key')
  ensure(signers.length > 0, 'unsigned', checkpoint.origin)
  const all = [...signers, ...(await signing(policy?.witnesses ?? []))]
  const names = all.map(({ name }) => name)
  ensure(policy?.isQuorum(new Set(all)) ?? true, 'quorum', names.join())
  return names
}

/** Ensures that a log has an earlier one as its beginning, by its tiles. */
async function ensureContinues(before: Checkpoint, last: Checkpoint, read: ReadFile): Promise<void> {
  const both = [before, last].map(printNote)
  const sizes = [before.size, last.size] as const
  ensure(last.size >= before.size, 'rolled_back', `it has ${last.size} runs, and had ${before.size}`, both)
  const [old, now] = last.size === before.size ? [last.root, last.root] : await rootsAt(sizes, read)
  ensure(old === before.root && now === last.root, 'rewritten', null, both)
}

/** Returns the roots of the same leaves at two sizes of a log, from its tiles. */
async function rootsAt([before, size]: readonly [number, number], read: ReadFile): Promise<readonly string[]> {
  const tiles = new Map<string, Uint8Array>()
  const rootsBy = (tile: (name: string) => Uint8Array): readonly string[] => {
    const at = hashesIn((level, index) => tile(tileFile(level, index, size)), before)
    return [before, size].map((end) => toBase64(rootOf(0, end, at)))
  }
  // The first pass only collects the names of the tiles.
  rootsBy((name) => tiles.set(name, NOTHING).get(name) ?? NOTHING)
  await Promise.all([...tiles.keys()].map(async (name) => tiles.set(name, (await read(name)) ?? NOTHING)))
  for (const [name, { length }] of tiles)
    ensure(length === Number(name.split('.p/')[1] ?? TILE) * HASH_BYTES, 'damaged', name)
  return rootsBy((name) => tiles.get(name) ?? NOTHING)
}
