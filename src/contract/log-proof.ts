import { HASH_BYTES, LOG, type LogEntry, type LogKey, TILE, hashesIn, parseEntry, parseProof, tileFile } from './log.ts'
import type { LogPolicy } from './log-policy.ts'
import { partFor } from './manifest-parts.ts'
import { type Sha256, consistencyProof, leafHash, rootFromInclusion, rootsFromConsistency } from './merkle.ts'
import { API_FOLDER } from './prefix.ts'
import { isObject, parseJson } from './read-json.ts'
import {
  type LogHead,
  SIGNATURE,
  type SignedNote,
  type VerifierKey,
  fromBase64,
  hexOf,
  parseHead,
  parseKey,
  parseNote,
  toBase64,
} from './signed-note.ts'

/** What a proof needs of the world. */
export interface ProofPorts {
  /** Returns the bytes of a file of the site; null if there is none. */
  readonly read: (file: string) => Promise<Uint8Array | null>
  readonly sha256: Sha256
  readonly isSigned: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>
  /** In ms since 1970. */
  readonly now: number
}

/** What this machine knows of a log: the last checkpoint that it saw, and the keys that it trusted then. */
export interface SeenLog {
  readonly checkpoint: string
  readonly keys: readonly LogKey[]
}

/** Why a document is not proven. */
export type ProofFault =
  | 'no_log'
  | 'damaged'
  | 'origin'
  | 'unsigned'
  | 'retired_key'
  | 'quorum'
  | 'not_included'
  | 'rolled_back'
  | 'rewritten'
  | 'not_listed'
  | 'differs'
  | 'stale'
  | 'ahead'

/** A document that is not proven. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
  readonly fault: ProofFault
  /** The checkpoint that was seen before and the one that contradicts it, where they are the fault. */
  readonly checkpoints: readonly string[]

  constructor(fault: ProofFault, message: string, checkpoints: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.checkpoints = checkpoints
  }
}

/** A document that is in the log of its site. */
export interface ProvenDocument {
  readonly bytes: Uint8Array
  readonly entry: LogEntry
  readonly size: number
  /** Names of the keys that signed, and of the witnesses that cosigned; none: the log is unsigned. */
  readonly signedBy: readonly string[]
  /** What to keep for the next proof. */
  readonly seen: SeenLog
}

/** How far the clock of a publisher may be ahead of this one. */
const AHEAD_MS = 5 * 60_000

const NOTHING = new Uint8Array()
const textOf = (bytes: Uint8Array | null | undefined): string => new TextDecoder().decode(bytes ?? NOTHING)
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/**
 * Proves that a document of a site is what its last run published: that the document is in its part of the manifest, the
 * part in the list, the list in the entry of the run, and the entry in a log that is signed, and that has the log in it that
 * this machine saw before. Not that a source told the truth.
 *
 * @param file relative to the root of the site, such as `api/mkt/assets/bitcoin.json`
 * @param policy whose signatures count; null: the keys of the first proof
 * @throws ProofError
 */
export async function provenDocument(
  file: string,
  { policy, seen }: { readonly policy: LogPolicy | null; readonly seen: SeenLog | null },
  ports: ProofPorts,
): Promise<ProvenDocument> {
  const { sha256 } = ports
  const [proofBytes = null, bytes = null] = await Promise.all([LOG.proof, file].map((one) => ports.read(one)))
  const { proof, head, entry } = parsed(proofBytes)
  const { note, checkpoint } = proof
  const keys = policy ? [] : await trustedKeys(note, seen, ports)
  const signedBy = await signersOf(note, { head, entry, policy, keys }, ports)
  const root = rootFromInclusion(
    leafHash(proof.entry, sha256),
    { ...proof, size: head.size, proof: proof.path },
    sha256,
  )
  if (root === null || toBase64(root) !== head.root)
    throw new ProofError('not_included', 'The entry is not in the log of its checkpoint.', [checkpoint])
  if (seen) await compareWithSeen(seen.checkpoint, { head, checkpoint }, ports)
  if (proof.index !== head.size - 1)
    throw new ProofError('rolled_back', `The proof is of run ${proof.index + 1} of ${head.size}, not of the last.`)
  const digest = await digestIn(file, { manifest: proof.manifest, entry }, ports)
  if (bytes === null || hexOf(sha256(bytes)) !== digest)
    throw new ProofError('differs', `${file} is not the file that the run published.`)
  refuseOther(entry, ports.now)
  const known = { checkpoint, keys }
  const rotated = file !== LOG.keys && isRotating(note, head, keys)
  const list = rotated ? (await provenDocument(LOG.keys, { policy, seen: known }, ports)).bytes : null
  return {
    bytes,
    entry,
    size: head.size,
    signedBy,
    seen: list ? { checkpoint, keys: keysIn(parseJson(textOf(list))) } : known,
  }
}

/** Refuses a run that is stale, or that this clock has not reached. */
function refuseOther({ generatedAt, staleAfter }: LogEntry, now: number): void {
  if (now > Date.parse(staleAfter))
    throw new ProofError('stale', `The last run in the log was stale from ${staleAfter} on.`)
  if (Date.parse(generatedAt) > now + AHEAD_MS)
    throw new ProofError('ahead', `The last run in the log is of ${generatedAt}, which is ahead of this clock.`)
}

function parsed(bytes: Uint8Array | null) {
  if (bytes === null) throw new ProofError('no_log', `The site has no ${LOG.proof}: its program does not keep a log.`)
  const proof = parseProof(textOf(bytes))
  const head = proof && parseHead(proof.note.text)
  const entry = proof && parseEntry(textOf(proof.entry))
  if (!proof || !head || !entry) throw new ProofError('damaged', `${LOG.proof} is no proof.`)
  return { proof, head, entry }
}

/** Whether a key of the log signed that is not known yet. It is trusted once a known key has signed the list of keys. */
const isRotating = ({ signatures }: SignedNote, { origin }: LogHead, keys: readonly LogKey[]): boolean =>
  keys.length > 0 &&
  signatures.some(({ name, id }) => name === origin && !keys.some(({ key }) => key.split('+')[1] === id))

/** Returns the digest that the entry gives a file by its manifest, a section if there is one, and its part. */
async function digestIn(
  file: string,
  { manifest, entry }: { readonly manifest: Uint8Array; readonly entry: LogEntry },
  { read, sha256 }: ProofPorts,
): Promise<string> {
  // The entry has these digests itself.
  const known = { [`${API_FOLDER}.json`]: entry.index, [`${API_FOLDER}/manifest.json`]: entry.manifest }[file]
  if (known !== undefined) return known
  let list: { readonly path: string; readonly sha256: string } = { path: 'The manifest', sha256: entry.manifest }
  for (let bytes: Uint8Array | null = manifest; ;) {
    if (bytes === null || hexOf(sha256(bytes)) !== list.sha256)
      throw new ProofError('differs', `${list.path} is not that of the last run in the log.`)
    const rows = rowsIn(textOf(bytes))
    const own = rows.find(({ path }) => path === file)
    if (own) return own.sha256
    const next = partFor(file, rows)
    if (next === undefined) throw new ProofError('not_listed', `The manifest does not list ${file}.`)
    list = next
    // eslint-disable-next-line no-await-in-loop -- a list names the next one
    bytes = await read(next.path)
  }
}

function rowsIn(text: string): readonly { readonly path: string; readonly from?: string; readonly sha256: string }[] {
  const parsed = parseJson(text)
  const rows: unknown = isObject(parsed) ? parsed['rows'] : null
  return (Array.isArray(rows) ? rows : []).flatMap((row: unknown) => {
    const { path, from, sha256 } = isObject(row) ? row : {}
    if (typeof path !== 'string' || typeof sha256 !== 'string') return []
    return typeof from === 'string' ? [{ path, from, sha256 }] : [{ path, sha256 }]
  })
}

/** Returns the keys to trust without a policy: those of the last proof, or those of the site in the first. */
async function trustedKeys(note: SignedNote, seen: SeenLog | null, ports: ProofPorts): Promise<readonly LogKey[]> {
  if (seen && seen.keys.length > 0) return seen.keys
  if (note.signatures.length === 0) return []
  return keysIn(parseJson(textOf(await ports.read(LOG.keys))))
}

/** Returns the keys in a parsed list of keys, of those rows that are one. */
export function keysIn(parsed: unknown): readonly LogKey[] {
  const rows: unknown = isObject(parsed) ? parsed['keys'] : null
  return (Array.isArray(rows) ? rows : []).flatMap((row: unknown): LogKey[] => {
    const { key, from, until } = isObject(row) ? row : {}
    const isEnd = until === null || typeof until === 'string'
    return typeof key === 'string' && typeof from === 'string' && isEnd ? [{ key, from, until }] : []
  })
}

/** What the signatures of a checkpoint are compared with. */
interface Trust {
  readonly head: LogHead
  readonly entry: LogEntry
  readonly policy: LogPolicy | null
  readonly keys: readonly LogKey[]
}

const linesOf = ({ signatures }: SignedNote, key: VerifierKey) =>
  signatures.filter(({ name, id }) => name === key.name && id === key.id)

/** Returns who signed and who cosigned a checkpoint. Lines of unknown keys are ignored. */
async function signersOf(note: SignedNote, trust: Trust, ports: ProofPorts): Promise<readonly string[]> {
  const { head, entry, policy, keys } = trust
  const known = keys.flatMap((row) => {
    const key = parseKey(row.key, ports.sha256)
    return key && linesOf(note, key).length > 0 ? [{ key, isEnded: (row.until ?? '9') < entry.generatedAt }] : []
  })
  const own = policy?.logs ?? known.flatMap(({ key, isEnded }) => (isEnded ? [] : key))
  const signers = await signing(note, own, ports)
  if (signers.length === 0 && known.some(({ isEnded }) => isEnded))
    throw new ProofError('retired_key', 'The checkpoint is signed by a key that another one has replaced.')
  if (signers.length === 0 && (policy !== null || keys.length > 0 || note.signatures.length > 0))
    throw new ProofError('unsigned', 'No trusted key signed the checkpoint.')
  if (signers.some(({ name }) => name !== head.origin))
    throw new ProofError('origin', `The checkpoint is of ${head.origin}, and signed by a key of another log.`)
  const cosigners = await signing(note, policy?.witnesses ?? [], ports)
  if (policy && !policy.isQuorum(new Set(cosigners)))
    throw new ProofError(
      'quorum',
      `${cosigners.length} witnesses cosigned the checkpoint, and the policy asks for more.`,
    )
  return [...signers, ...cosigners].map(({ name }) => name)
}

/** Returns those of some keys that signed a note, each of its kind. */
async function signing(
  note: SignedNote,
  keys: readonly VerifierKey[],
  { isSigned }: ProofPorts,
): Promise<VerifierKey[]> {
  const isBy = async (key: VerifierKey, signature: Uint8Array): Promise<boolean> => {
    if (key.type === SIGNATURE.ed25519) return isSigned(key.key, bytesOf(note.text), signature)
    if (key.type !== SIGNATURE.cosignature || signature.length !== 72) return false
    const time = new DataView(signature.slice(0, 8).buffer).getBigUint64(0)
    return isSigned(key.key, bytesOf(`cosignature/v1\ntime ${time}\n${note.text}`), signature.subarray(8))
  }
  const signed = await Promise.all(
    keys.map(async (key) => {
      const all = await Promise.all(linesOf(note, key).map(({ signature }) => isBy(key, signature)))
      return all.includes(true) ? [key] : []
    }),
  )
  return signed.flat()
}

/** Compares the log with the one that this machine saw before, which has to be the beginning of it. */
async function compareWithSeen(
  before: string,
  { head, checkpoint }: { readonly head: LogHead; readonly checkpoint: string },
  ports: ProofPorts,
): Promise<void> {
  const seen = parseHead(parseNote(before)?.text ?? '')
  if (seen === null || seen.size === 0) return
  const refuse = (fault: ProofFault, message: string) => new ProofError(fault, message, [before, checkpoint])
  if (head.size < seen.size)
    throw refuse('rolled_back', `The log has ${head.size} runs. It had ${seen.size} when this machine saw it last.`)
  const [old, now] = head.size === seen.size ? [head.root, head.root] : await consistentRoots(seen, head.size, ports)
  if (old !== seen.root || now !== head.root)
    throw refuse('rewritten', 'The log is not the one that this machine saw before: its past was rewritten.')
}

/** Returns the roots of a log at the size that was seen and at its own, as its tiles prove them together. */
async function consistentRoots(
  seen: LogHead,
  size: number,
  { read, sha256 }: ProofPorts,
): Promise<readonly (string | null)[]> {
  const tiles = new Map<string, Uint8Array>()
  const proofBy = (tile: (name: string) => Uint8Array): readonly Uint8Array[] => {
    const at = hashesIn((level, index) => tile(tileFile(level, index, size)), sha256)
    return consistencyProof(seen.size, size, at, sha256)
  }
  // The first pass only collects the names of the tiles.
  proofBy((name) => tiles.set(name, NOTHING).get(name) ?? NOTHING)
  await Promise.all([...tiles.keys()].map(async (name) => tiles.set(name, (await read(name)) ?? NOTHING)))
  for (const [name, { length }] of tiles)
    if (length !== Number(name.split('.p/')[1] ?? TILE) * HASH_BYTES)
      throw new ProofError('damaged', `${name} is missing or cut off: the log cannot be compared with the last one.`)
  const proof = proofBy((name) => tiles.get(name) ?? NOTHING)
  const root = fromBase64(seen.root) ?? NOTHING
  return rootsFromConsistency(root, { before: seen.size, size, proof }, sha256)?.map(toBase64) ?? [null, null]
}
