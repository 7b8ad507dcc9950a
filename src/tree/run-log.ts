import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { join } from 'node:path'
import {
  LOG,
  type LogEntry,
  type LogKey,
  ROTATION,
  bundlesOf,
  entriesOf,
  filesWith,
  goneWith,
  hashesIn,
  parseProof,
  printEntry,
  printProof,
  tileFile,
} from '../contract/log.ts'
import { type HashAt, leafHash, rootFrom, rootOf } from '../contract/merkle.ts'
import {
  SIGNATURE,
  type VerifierKey,
  fromBase64,
  keyOf,
  parseCheckpoint,
  printKey,
  printNote,
  signatureLine,
  toBase64,
} from '../contract/signed-note.ts'
import { DAY_MS, isoOf } from '../contract/time.ts'
import { bytesAt, textAt } from './reader.ts'

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
  const secrets = text.split(/\s+/).filter(Boolean)
  const signers = secrets.flatMap((secret) => {
    const [, name = '', encoded = ''] = /^PRIVATE\+KEY\+([^+\s]+)\+[0-9a-f]{8}\+(\S+)$/.exec(secret) ?? []
    const seed = fromBase64(encoded)?.subarray(1)
    return seed?.length === 32 && printSecret(name, seed) === secret ? [signerOf(name, seed)] : []
  })
  const isOne = new Set(signers.map(({ key }) => key.name)).size === 1
  return isOne && signers.length === secrets.length ? signers : null
}

/** Prints a private key as {@link signersIn} reads it. */
export const printSecret = (name: string, seed: Uint8Array): string =>
  `PRIVATE+KEY+${name}+${signerOf(name, seed).key.id}+${toBase64(Uint8Array.of(SIGNATURE.ed25519, ...seed))}`

/** Returns the signer with a name and a seed of 32 random bytes. */
export function signerOf(name: string, seed: Uint8Array): LogSigner {
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const key = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { key: keyOf(name, SIGNATURE.ed25519, key), sign: (text) => sign(null, Buffer.from(text), secret) }
}

/** A file of the log, to be published with the documents of its run. */
export interface LogFile {
  readonly path: string
  readonly content: Uint8Array
  readonly timestamp: string
}

/** Origin of a log without a key. */
const UNSIGNED = 'unsigned'
const EMPTY = new Uint8Array()

/**
 * Returns the public keys after a run: a new key is in use from now on, and the one that it replaces signs beside it for
 * {@link ROTATION}, or no longer if the run does not have it: it is lost or stolen. Without a key nothing changes.
 */
export function keysAfter(rows: readonly LogKey[], signers: readonly LogSigner[], at: string): readonly LogKey[] {
  const own = signers.map(({ key }) => printKey(key))
  const added = own.filter((key) => rows.every((row) => row.key !== key))
  if (added.length === 0) return rows
  const end = isoOf(Date.parse(at) + ROTATION.days * DAY_MS)
  const kept = rows.map((row) => ({ ...row, until: row.until ?? (own.includes(row.key) ? end : at) }))
  return [...kept, ...added.map((key) => ({ key, from: at, until: null }))]
}

/**
 * Returns the files of the log with one more entry; none if the log in the folder is damaged: a second log beside its own
 * past would look like a rewritten one.
 *
 * @param manifest its text, which a proof has with the entry
 */
export function nextLog(
  root: string,
  entry: LogEntry,
  { manifest, signers }: { readonly manifest: string; readonly signers: readonly LogSigner[] },
): readonly LogFile[] {
  const read = filesIn(root)
  const index = sizeIn(read)
  if (index === null) return []
  const [leaf, size] = [printEntry(entry), index + 1]
  const files = new Map(filesWith(leaf, index, read))
  const at = hashesAt(size, (file) => files.get(file) ?? read(file))
  const path: Uint8Array[] = []
  const hash = rootFrom({ leaf: leafHash(Buffer.from(leaf)), index }, [0, size], (from, to) => {
    path.push(rootOf(from, to, at))
    return path.at(-1) ?? EMPTY
  })
  const isEnded = ({ until }: LogKey) => until !== null && until <= entry.generatedAt
  const signing = signers.filter(({ key }) => !entry.keys.some((row) => row.key === printKey(key) && isEnded(row)))
  const origin = signing[0]?.key.name ?? UNSIGNED
  const text = `${origin}\n${size}\n${toBase64(hash)}\n`
  const signatures = signing.map(({ key, sign }) => signatureLine(key, sign(text)))
  const checkpoint = { text, signatures, origin, size, root: toBase64(hash) }
  files.set(LOG.proof, Buffer.from(printProof({ leaf, manifest, index, path, checkpoint })))
  files.set(LOG.checkpoint, Buffer.from(printNote(checkpoint)))
  return [...files].map(([file, content]) => ({ path: file, content, timestamp: entry.generatedAt }))
}

/** Returns the last entry of the log in a folder; null if there is none. */
export const lastEntry = (root: string): LogEntry | null =>
  parseProof(textAt(join(root, LOG.proof)) ?? '')?.entry ?? null

const filesIn = (root: string) => (file: string) => bytesAt(join(root, file)) ?? EMPTY

/** Returns the hashes of the log in a folder. */
export const hashesBelow = (root: string, size: number): HashAt => hashesAt(size, filesIn(root))

const hashesAt = (size: number, read: (file: string) => Uint8Array) =>
  hashesIn((level, index) => read(tileFile(level, index, size)))

/** Returns the number of entries of a log; null if its tiles or its last entries are not those of its root. */
function sizeIn(read: (file: string) => Uint8Array): number | null {
  const published = Buffer.from(read(LOG.checkpoint)).toString()
  if (published === '') return read(tileFile(0, 0, 1)).length === 0 ? 0 : null
  const { size = 0, root } = parseCheckpoint(published) ?? {}
  const bundle = bundlesOf(size).at(-1) ?? ''
  const entries = entriesOf(Buffer.from(read(bundle)).toString('latin1')) ?? []
  const leaves = Buffer.concat(entries.map((entry) => leafHash(Buffer.from(entry))))
  const isWhole = leaves.equals(read(bundle.replace('/entries/', '/0/'))) && leaves.length > 0
  return isWhole && toBase64(rootOf(0, size, hashesAt(size, read))) === root ? size : null
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
  const [published, proof] = [await textOf(LOG.checkpoint), await textOf(LOG.proof)]
  const checkpoint = parseCheckpoint(published ?? '')
  if (published === null || checkpoint === null) return []
  const files = new Map<string, Uint8Array>()
  const read = (file: string) => files.get(file) ?? EMPTY
  let size = 0
  for (const bundle of bundlesOf(checkpoint.size))
    // eslint-disable-next-line no-await-in-loop -- a bundle continues the last one
    for (const entry of entriesOf((await textOf(bundle)) ?? '') ?? [])
      for (const [file, content] of filesWith(entry, size++, read)) {
        files.set(file, content)
        for (const gone of goneWith(file)) files.delete(gone)
      }
  const isSame = size === checkpoint.size && toBase64(rootOf(0, size, hashesAt(size, read))) === checkpoint.root
  if (isSame && proof !== null) files.set(LOG.proof, Buffer.from(proof))
  else files.clear()
  files.set(LOG.checkpoint, Buffer.from(published))
  return [...files].map(([path, content]) => ({ path, content, timestamp }))
}
