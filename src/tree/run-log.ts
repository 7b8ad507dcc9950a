import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { hashing } from '../contract/digest.ts'
import {
  LOG,
  type LogEntry,
  type LogKey,
  ROTATION,
  TILE,
  bundlesOf,
  entriesOf,
  hashesIn,
  parseEntry,
  parseProof,
  printEntry,
  printProof,
  tileFile,
  tilesOf,
  tilesWith,
} from '../contract/log.ts'
import { type Sha256, inclusionProof, leafHash, rootOf } from '../contract/merkle.ts'
import { readJson } from '../contract/read-json.ts'
import {
  SIGNATURE,
  type VerifierKey,
  fromBase64,
  keyId,
  parseHead,
  parseNote,
  printHead,
  printKey,
  printNote,
  toBase64,
} from '../contract/signed-note.ts'
import { DAY_MS, isoOf } from '../contract/time.ts'
import { bytesAt, textAt } from './reader.ts'

export const nodeSha256: Sha256 = (bytes) => hashing().update(bytes).digest()

/** A private key of the log. */
export interface LogSigner {
  readonly key: VerifierKey
  sign(this: void, text: string): Uint8Array
}

/** What PKCS #8 writes before the 32 bytes of an Ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Returns the signers of private keys, `PRIVATE+KEY+name+id+base64` each, separated by spaces; null if one is none, or they
 * differ in their name. Two sign during a rotation.
 */
export function signersIn(text: string): readonly LogSigner[] | null {
  const signers = text.split(/\s+/).filter(Boolean).map(signerIn)
  const whole = signers.filter((signer) => signer !== null)
  return whole.length === signers.length && new Set(whole.map(({ key }) => key.name)).size === 1 ? whole : null
}

function signerIn(text: string): LogSigner | null {
  const [, name = '', id, encoded = ''] = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? []
  const [type, ...seed] = fromBase64(encoded) ?? []
  return type === SIGNATURE.ed25519 && seed.length === 32 && signerOf(name, Buffer.from(seed)).key.id === id
    ? signerOf(name, Buffer.from(seed))
    : null
}

/** Prints a private key as {@link signersIn} reads it. */
export const printSecret = (name: string, seed: Uint8Array): string =>
  `PRIVATE+KEY+${name}+${signerOf(name, seed).key.id}+${toBase64(Uint8Array.from([SIGNATURE.ed25519, ...seed]))}`

/** Returns the signer with a name and a seed of 32 random bytes. */
export function signerOf(name: string, seed: Uint8Array): LogSigner {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const key = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)
  const id = keyId(name, SIGNATURE.ed25519, key, nodeSha256)
  return { key: { name, id, type: SIGNATURE.ed25519, key }, sign: (text) => sign(null, Buffer.from(text), secret) }
}

/** A file of the log, to be published with the documents of its run. */
export interface LogFile {
  readonly path: string
  readonly content: Uint8Array
  readonly timestamp: string
}

/** Origin of a log without a key. */
export const UNSIGNED = 'unsigned'
const LogKeys = z.object({
  keys: z.array(z.object({ key: z.string(), from: z.string(), until: z.string().nullable() })),
})

/**
 * Returns the public keys after a run: a new key is in use from now on, and the one that it replaces signs beside it for
 * {@link ROTATION}, or no longer if the run does not have it: it is lost or stolen. Without a key nothing changes.
 */
export function keysAfter(last: string | null, signers: readonly LogSigner[], at: string): string | null {
  const rows: LogKey[] = readJson(last, LogKeys)?.keys ?? []
  const own = signers.map(({ key }) => printKey(key))
  const added = own.filter((key) => rows.every((row) => row.key !== key))
  if (added.length === 0) return last
  const end = isoOf(Date.parse(at) + ROTATION.days * DAY_MS)
  const kept = rows.map((row) => ({ ...row, until: row.until ?? (own.includes(row.key) ? end : at) }))
  const keys = [...kept, ...added.map((key): LogKey => ({ key, from: at, until: null }))]
  return `${JSON.stringify({ keys }, null, 1)}\n`
}

/**
 * Returns the files of the log with one more entry; none if the log in the folder is damaged: a second log beside its own
 * past would look like a rewritten one.
 *
 * @param manifest its text, which a proof has with the entry
 * @param keys the published keys, which say which of the signers still sign
 */
export function nextLog(
  root: string,
  entry: LogEntry,
  {
    manifest,
    signers,
    keys,
  }: { readonly manifest: string; readonly signers: readonly LogSigner[]; readonly keys: string | null },
): readonly LogFile[] {
  const read = readerOf(root)
  const size = sizeIn(root)
  if (size === null) return []
  const text = printEntry(entry)
  const files = new Map(tilesWith(text, size, { read, sha256: nodeSha256 }))
  const at = hashesAt(size + 1, (file) => files.get(file) ?? read(file))
  const rows = readJson(keys, LogKeys)?.keys ?? []
  const isEnded = ({ key }: LogSigner) =>
    rows.some((row) => row.key === printKey(key) && row.until !== null && row.until <= entry.generatedAt)
  const signing = signers.filter((signer) => !isEnded(signer))
  const head = printHead({
    origin: signing[0]?.key.name ?? UNSIGNED,
    size: size + 1,
    root: toBase64(rootOf(0, size + 1, at, nodeSha256)),
  })
  const signatures = signing.map(({ key, sign }) => ({ name: key.name, id: key.id, signature: sign(head) }))
  const checkpoint = printNote({ text: head, signatures })
  const path = inclusionProof(size, [0, size + 1], at, nodeSha256)
  const proof = printProof({ entry: Buffer.from(text), manifest: Buffer.from(manifest), index: size, path, checkpoint })
  files.set(LOG.proof, Buffer.from(proof)).set(LOG.checkpoint, Buffer.from(checkpoint))
  return [...files].map(([file, content]) => ({ path: file, content, timestamp: entry.generatedAt }))
}

/** Returns the last entry of the log in a folder; null if there is none. */
export const lastEntry = (root: string): LogEntry | null => {
  const proof = parseProof(textAt(join(root, LOG.proof)) ?? '')
  return proof && parseEntry(Buffer.from(proof.entry).toString())
}

const EMPTY = new Uint8Array()

/** Returns a reader of the files of a folder; a missing one is empty. */
const readerOf =
  (root: string) =>
  (file: string): Uint8Array =>
    bytesAt(join(root, file)) ?? EMPTY

const hashesAt = (size: number, read: (file: string) => Uint8Array) =>
  hashesIn((level, index) => read(tileFile(level, index, size)), nodeSha256)

const headIn = (checkpoint: string | null) => parseHead(parseNote(checkpoint ?? '')?.text ?? '')

/** Returns the files that a log with this checkpoint has, besides its keys. */
export const logFilesAt = (checkpoint: string | null): readonly string[] =>
  checkpoint === null ? [] : [LOG.checkpoint, LOG.proof, ...tilesOf(headIn(checkpoint)?.size ?? 0)]

/** Returns the number of entries of the log in a folder; null if its tiles or its last entries are not those of its root. */
function sizeIn(root: string): number | null {
  const read = readerOf(root)
  const checkpoint = textAt(join(root, LOG.checkpoint))
  if (checkpoint === null) return read(tileFile(0, 0, 1)).length === 0 ? 0 : null
  const head = headIn(checkpoint)
  const bundle = bundlesOf(head?.size ?? 0).at(-1)
  if (head === null || bundle === undefined) return null
  const entries = entriesOf(Buffer.from(read(bundle)).toString('latin1')) ?? []
  const leaves = entries.map((entry) => leafHash(Buffer.from(entry), nodeSha256))
  const tile = read(bundle.replace('/entries/', '/0/'))
  const found = rootOf(0, head.size, hashesAt(head.size, read), nodeSha256)
  return toBase64(found) === head.root && Buffer.concat(leaves).equals(tile) ? head.size : null
}

/**
 * Returns the files of a log of which only the texts are carried: its checkpoint, its proof and its bundles of entries. If
 * they do not belong together, only the checkpoint is returned, so that no run begins a second log; none where none is.
 *
 * @param textOf returns the text of a file
 */
export async function carriedLog(
  textOf: (file: string) => Promise<string | null>,
  timestamp: string,
): Promise<readonly LogFile[]> {
  const [checkpoint, proof] = [await textOf(LOG.checkpoint), await textOf(LOG.proof)]
  const head = headIn(checkpoint)
  if (checkpoint === null || head === null) return []
  const files = new Map<string, Uint8Array>()
  const read = (file: string) => files.get(file) ?? EMPTY
  let size = 0
  for (const bundle of bundlesOf(head.size))
    // eslint-disable-next-line no-await-in-loop -- a bundle continues the last one
    for (const entry of entriesOf((await textOf(bundle)) ?? '') ?? [])
      for (const [file, content] of tilesWith(entry, size++, { read, sha256: nodeSha256 })) {
        files.set(file, content)
        // The partial ones of a full tile would be most of the memory.
        if (!file.includes('.p/')) for (let width = 1; width < TILE; width++) files.delete(`${file}.p/${width}`)
      }
  const isWhole =
    proof !== null && size === head.size && toBase64(rootOf(0, size, hashesAt(size, read), nodeSha256)) === head.root
  if (isWhole) files.set(LOG.proof, Buffer.from(proof))
  files.set(LOG.checkpoint, Buffer.from(checkpoint))
  const own = isWhole ? [...tilesOf(size), LOG.proof, LOG.checkpoint] : [LOG.checkpoint]
  return own.map((path) => ({ path, content: read(path), timestamp }))
}
