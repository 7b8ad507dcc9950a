import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import {
  HASH_BYTES,
  LOG,
  type LogEntry,
  type LogKey,
  type LogProof,
  TILE,
  hashesIn,
  parseEntry,
  parseKeys,
  parseProof,
  tileFile,
} from './log.ts'
import type { LogPolicy } from './log-policy.ts'
import { partFor } from './manifest-parts.ts'
import { leafHash, rootFrom, rootOf } from './merkle.ts'
import { API_FOLDER } from './prefix.ts'
import { isObject, parseJson } from './read-json.ts'
import {
  type Checkpoint,
  type VerifierKey,
  isSignedBy,
  parseCheckpoint,
  parseKey,
  printNote,
  toBase64,
} from './signed-note.ts'

/** Where a document is proven. */
export interface ProvenSite {
  /** Returns the bytes of a file of the site; null if there is none. */
  readonly read: (file: string) => Promise<Uint8Array | null>
  /** In ms since 1970. */
  readonly now: number
}

/** What this machine knows of a log: the last checkpoint that it saw, and the keys that it trusted then. */
export interface SeenLog {
  readonly checkpoint: string
  readonly keys: readonly LogKey[]
}

/** Returns what was kept of a log; null if it is nothing of that kind. */
export function parseSeen(text: string | null): SeenLog | null {
  const kept = parseJson(text ?? '')
  const checkpoint = isObject(kept) ? kept['checkpoint'] : null
  return typeof checkpoint === 'string' ? { checkpoint, keys: parseKeys(text) } : null
}

/** Whom a reader trusts: a policy, or else the keys of the first proof. */
interface Trust {
  readonly policy: LogPolicy | null
  readonly seen: SeenLog | null
}

/** A document that is not proven. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly fault: string
  /** The checkpoint that was seen before and the one that contradicts it, where they are the fault. */
  readonly checkpoints: readonly string[]

  constructor(fault: string, message: string, checkpoints: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.checkpoints = checkpoints
  }
}

function ensure(holds: boolean, fault: string, message: string, checkpoints?: readonly string[]): asserts holds {
  if (!holds) throw new ProofError(fault, message, checkpoints)
}

/** A document that is in the log of its site. */
export interface ProvenDocument {
  readonly bytes: Uint8Array
  readonly entry: LogEntry
  /** Number of the run in the log. */
  readonly run: number
  /** Names of the keys that signed, and of the witnesses that cosigned; none: the log is unsigned. */
  readonly signedBy: readonly string[]
  /** What to keep for the next proof. */
  readonly seen: SeenLog
}

/** How far the clock of a publisher may be ahead of this one. */
const AHEAD_MS = 5 * 60_000

const NOTHING = new Uint8Array()
const textOf = (bytes: Uint8Array | null): string => new TextDecoder().decode(bytes ?? NOTHING)

/**
 * Proves that a document of a site is what its last run published: that the document is in its part of the manifest, the
 * manifest in the entry of the run, and the entry in a log that is signed, and that has the log in it that this machine saw
 * before. Not that a source told the truth.
 *
 * @param file relative to the root of the site, such as `api/mkt/assets/bitcoin.json`
 * @throws ProofError
 */
export async function provenDocument(file: string, { policy, seen }: Trust, site: ProvenSite): Promise<ProvenDocument> {
  const { read, now } = site
  const [proofBytes = null, bytes = null] = await Promise.all([LOG.proof, file].map((one) => read(one)))
  ensure(proofBytes !== null, 'no_log', `The site has no ${LOG.proof}: its program does not keep a log.`)
  const proof = parseProof(textOf(proofBytes))
  const entry = proof && parseEntry(textOf(proof.entry))
  ensure(proof !== null && entry !== null, 'damaged', `${LOG.proof} is no proof.`)
  const { checkpoint, index } = proof
  const { origin, size, signatures } = checkpoint
  const keys = await trustedKeys(checkpoint, { policy, seen }, read)
  const signedBy = await signersOf(checkpoint, entry, { policy, keys })
  ensure(isIncluded(proof), 'not_included', 'The entry is not in the log of its checkpoint.', [printNote(checkpoint)])
  if (seen) await compareWithSeen(seen.checkpoint, checkpoint, read)
  ensure(index === size - 1, 'rolled_back', `The proof is of run ${index + 1} of ${size}, not of the last.`)
  const digest = await digestIn(file, proof.manifest, entry, read)
  ensure(bytes !== null && digestOf(bytes) === digest, 'differs', `${file} is not the file that the run published.`)
  const { generatedAt, staleAfter } = entry
  ensure(now <= Date.parse(staleAfter), 'stale', `The last run in the log was stale from ${staleAfter} on.`)
  const isAhead = Date.parse(generatedAt) > now + AHEAD_MS
  ensure(!isAhead, 'ahead', `The last run in the log is of ${generatedAt}, which is ahead of this clock.`)
  const known = { checkpoint: printNote(checkpoint), keys }
  // A new key is trusted once a known one has signed the list of keys.
  const isRotating = file !== LOG.keys && keys.length > 0 && signatures.some((one) => isNew(one, origin, keys))
  const list = isRotating ? (await provenDocument(LOG.keys, { policy, seen: known }, site)).bytes : null
  return { bytes, entry, run: size, signedBy, seen: list ? { ...known, keys: parseKeys(textOf(list)) } : known }
}

/** Returns the keys to trust without a policy: those of the last proof, or those of the site in the first. */
async function trustedKeys({ signatures }: Checkpoint, { policy, seen }: Trust, read: ProvenSite['read']) {
  if (policy !== null || signatures.length === 0) return seen?.keys ?? []
  return seen && seen.keys.length > 0 ? seen.keys : parseKeys(textOf(await read(LOG.keys)))
}

/** Whether the hashes of a proof lead from its entry to the root of its checkpoint. */
function isIncluded({ entry, index, path, checkpoint: { size, root } }: LogProof): boolean {
  const left = [...path]
  const next = () => left.shift() ?? NOTHING
  return (
    index < size && toBase64(rootFrom({ leaf: leafHash(entry), index }, [0, size], next)) === root && left.length === 0
  )
}

const isNew = ({ name, id }: Pick<VerifierKey, 'name' | 'id'>, origin: string, keys: readonly LogKey[]): boolean =>
  name === origin && !keys.some(({ key }) => key.split('+')[1] === id)

const digestOf = (bytes: Uint8Array): string => bytesToHex(sha256(bytes))

/** Returns the digest that an entry gives a file: by its manifest, a section if there are any, and its part. */
async function digestIn(
  file: string,
  manifest: Uint8Array,
  entry: LogEntry,
  read: ProvenSite['read'],
): Promise<string> {
  if (file === `${API_FOLDER}.json`) return entry.index
  let row: Row | undefined = { path: `${API_FOLDER}/manifest.json`, sha256: entry.manifest }
  for (let list: Uint8Array | null = manifest; row.path !== file;) {
    ensure(
      list !== null && digestOf(list) === row.sha256,
      'differs',
      `${row.path} is not that of the last run in the log.`,
    )
    const parsed = parseJson(textOf(list))
    const rows = isObject(parsed) && Array.isArray(parsed['rows']) ? parsed['rows'].filter(isRow) : []
    row = rows.find(({ path }) => path === file) ?? partFor(file, rows)
    ensure(row !== undefined, 'not_listed', `The manifest does not list ${file}.`)
    // eslint-disable-next-line no-await-in-loop -- a list names the next one
    list = row.path === file ? null : await read(row.path)
  }
  return row.sha256
}

interface Row {
  readonly path: string
  readonly from?: string
  readonly sha256: string
}

const isRow = (row: unknown): row is Row =>
  isObject(row) &&
  typeof row['path'] === 'string' &&
  typeof row['sha256'] === 'string' &&
  ['string', 'undefined'].includes(typeof row['from'])

/** Returns who signed and who cosigned a checkpoint. Lines of unknown keys are ignored. */
async function signersOf(
  checkpoint: Checkpoint,
  { generatedAt }: LogEntry,
  { policy, keys }: { readonly policy: LogPolicy | null; readonly keys: readonly LogKey[] },
): Promise<readonly string[]> {
  const signing = async (all: readonly VerifierKey[]): Promise<readonly VerifierKey[]> => {
    const signed = await Promise.all(all.map((key) => isSignedBy(key, checkpoint)))
    return all.filter((_, place) => signed[place])
  }
  const keysOf = (rows: readonly LogKey[]) => rows.flatMap(({ key }) => parseKey(key) ?? [])
  const isEnded = ({ until }: LogKey): boolean => until !== null && until < generatedAt
  const signers = await signing(policy?.logs ?? keysOf(keys.filter((row) => !isEnded(row))))
  if (signers.length === 0) {
    const former = await signing(keysOf(keys.filter(isEnded)))
    ensure(former.length === 0, 'retired_key', 'The checkpoint is signed by a key that another one has replaced.')
    const isUnsigned = policy === null && keys.length === 0 && checkpoint.signatures.length === 0
    ensure(isUnsigned, 'unsigned', 'No trusted key signed the checkpoint.')
  }
  const { origin } = checkpoint
  const isOwn = signers.every(({ name }) => name === origin)
  ensure(isOwn, 'origin', `The checkpoint is of ${origin}, and signed by a key of another log.`)
  const cosigners = await signing(policy?.witnesses ?? [])
  const isQuorum = policy === null || policy.isQuorum(new Set(cosigners))
  ensure(isQuorum, 'quorum', `${cosigners.length} witnesses cosigned the checkpoint, and the policy asks for more.`)
  return [...signers, ...cosigners].map(({ name }) => name)
}

/** Compares the log with the one that this machine saw before, which has to be the beginning of it. */
async function compareWithSeen(before: string, checkpoint: Checkpoint, read: ProvenSite['read']): Promise<void> {
  const seen = parseCheckpoint(before)
  if (seen === null || seen.size === 0) return
  const { size, root } = checkpoint
  const both = [before, printNote(checkpoint)]
  const shrunk = `The log has ${size} runs. It had ${seen.size} when this machine saw it last.`
  ensure(size >= seen.size, 'rolled_back', shrunk, both)
  const [old, now] = size === seen.size ? [root, root] : await rootsAt([seen.size, size], read)
  const rewritten = 'The log is not the one that this machine saw before: its past was rewritten.'
  ensure(old === seen.root && now === root, 'rewritten', rewritten, both)
}

/** Returns the roots of the same leaves at two sizes of a log, from its tiles. */
async function rootsAt(
  [before, size]: readonly [number, number],
  read: ProvenSite['read'],
): Promise<readonly string[]> {
  const tiles = new Map<string, Uint8Array>()
  const rootsBy = (tile: (name: string) => Uint8Array): readonly string[] => {
    const at = hashesIn((level, index) => tile(tileFile(level, index, size)), before)
    return [before, size].map((end) => toBase64(rootOf(0, end, at)))
  }
  // The first pass only collects the names of the tiles.
  rootsBy((name) => tiles.set(name, NOTHING).get(name) ?? NOTHING)
  await Promise.all([...tiles.keys()].map(async (name) => tiles.set(name, (await read(name)) ?? NOTHING)))
  for (const [name, { length }] of tiles) {
    const isWhole = length === Number(name.split('.p/')[1] ?? TILE) * HASH_BYTES
    ensure(isWhole, 'damaged', `${name} is missing or cut off: the log cannot be compared with the last one.`)
  }
  return rootsBy((name) => tiles.get(name) ?? NOTHING)
}
