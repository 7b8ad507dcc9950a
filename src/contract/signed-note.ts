import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** Types of signatures in a signed note: of the log itself, and of a witness with the time of its signature. */
export const SIGNATURE = { ed25519: 1, cosignature: 4 } as const

export interface VerifierKey {
  readonly name: string
  /** In eight hexadecimal digits. */
  readonly id: string
  readonly type: number
  readonly key: Uint8Array
}

export interface SignedNote {
  /** With its last newline. */
  readonly text: string
  /** A line each. Most readers know the keys of only some. */
  readonly signatures: readonly string[]
}

/** A note longer than this is refused. Sixteen signatures of the largest kind fit. */
const MOST_NOTE_CHARACTERS = 128 * 1024

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCodePoint(...bytes))

/** Returns bytes in the one base64 form that they have; null for any other text. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), (one) => one.codePointAt(0) ?? 0)
  return toBase64(bytes) === text ? bytes : null
}

/** Returns a key with its id: the first four bytes of the SHA-256 of its name, a newline, its type and itself. */
export function keyOf(name: string, type: number, key: Uint8Array): VerifierKey {
  const id = bytesToHex(sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(type), key)).subarray(0, 4))
  return { name, id, type, key }
}

/** Prints a key as `name+id+base64`, the form that other verifiers take. */
export const printKey = ({ name, id, type, key }: VerifierKey): string =>
  `${name}+${id}+${toBase64(Uint8Array.of(type, ...key))}`

/** Returns the key in a text; null if its id is not that of the key. */
export function parseKey(text: string): VerifierKey | null {
  const [, name = '', encoded = ''] = /^([^+\s]+)\+[0-9a-f]{8}\+(\S+)$/.exec(text) ?? []
  const [type = 0, ...bytes] = fromBase64(encoded) ?? []
  const key = keyOf(name, type, Uint8Array.from(bytes))
  return printKey(key) === text ? key : null
}

/** Prints a signature as the line of a note. */
export const signatureLine = ({ name, id }: VerifierKey, signature: Uint8Array): string =>
  `— ${name} ${toBase64(concatBytes(hexToBytes(id), signature))}`

/** Prints a note; without signatures, it is unsigned. */
export const printNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map((line) => `${line}\n`).join('')}`

/** Returns the bytes of a signature, after the four of its key's id; null if a line is none, or of another key. */
function signatureIn(line: string, by?: VerifierKey): Uint8Array | null {
  const [, name, encoded = ''] = /^— ([^+\s]+) (\S+)$/.exec(line) ?? []
  const bytes = fromBase64(encoded)
  if (bytes === null || bytes.length <= 4) return null
  const isOwn = by === undefined || (by.name === name && by.id === bytesToHex(bytes.subarray(0, 4)))
  return isOwn ? bytes.subarray(4) : null
}

/** Returns a signed note; null if the text is none. */
export function parseNote(note: string): SignedNote | null {
  const end = note.lastIndexOf('\n\n') + 1
  // eslint-disable-next-line no-control-regex -- a note may hold no control character but newlines
  if (end === 0 || note.length > MOST_NOTE_CHARACTERS || /[\0-\x09\x0b-\x1f]|[^\n]$/.test(note)) return null
  const signatures = note.slice(end).split('\n').filter(Boolean)
  return signatures.every((line) => signatureIn(line)) ? { text: note.slice(0, end), signatures } : null
}

/** Returns the lines of a note that a key signed. That of a witness begins with the time of its signature. */
export async function signedBy(key: VerifierKey, { text, signatures }: SignedNote): Promise<readonly string[]> {
  const isKnown = key.type === SIGNATURE.ed25519 || key.type === SIGNATURE.cosignature
  const own = isKnown && key.key.length === 32 ? signatures.filter((line) => signatureIn(line, key)) : []
  if (own.length === 0) return []
  const imported = await crypto.subtle.importKey('raw', Uint8Array.from(key.key), 'Ed25519', false, ['verify'])
  const checks = own.map((line) => {
    const bytes = Uint8Array.from(signatureIn(line, key) ?? [])
    const at = key.type === SIGNATURE.cosignature ? 8 : 0
    const time = at > 0 ? `cosignature/v1\ntime ${BigInt(`0x${bytesToHex(bytes.subarray(0, at))}`)}\n` : ''
    return crypto.subtle.verify('Ed25519', imported, bytes.subarray(at), Uint8Array.from(utf8ToBytes(time + text)))
  })
  const holds = await Promise.all(checks)
  return own.filter((_, place) => holds[place])
}

/** A signed note of a log: its name, the number of its entries, and the hash of them all in base64. */
export interface Checkpoint extends SignedNote {
  readonly origin: string
  readonly size: number
  readonly root: string
}

/** Returns a checkpoint; null if a text is none. Further lines of it are of others, and ignored. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const note = parseNote(text)
  const [origin = '', size = '', root = ''] = note?.text.split('\n') ?? []
  const isHead = origin !== '' && /^(?:0|[1-9]\d{0,11})$/.test(size) && fromBase64(root)?.length === 32
  return note && isHead ? { ...note, origin, size: Number(size), root } : null
}
