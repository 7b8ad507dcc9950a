import type { Sha256 } from './merkle.ts'

/** Types of signatures in a signed note: of the log itself, and of a witness with the time of its signature. */
export const SIGNATURE = { ed25519: 1, cosignature: 4 } as const

/** A public key with the name of whoever signs with it. */
export interface VerifierKey {
  readonly name: string
  /** In eight hexadecimal digits. */
  readonly id: string
  readonly type: number
  readonly key: Uint8Array
}

/** One line of signature below a note. */
interface NoteSignature {
  readonly name: string
  readonly id: string
  readonly signature: Uint8Array
}

/** A text with its signatures, of which most readers know only some keys. */
export interface SignedNote {
  /** With its last newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** A note longer than this is refused. Sixteen signatures of the largest kind fit. */
const MOST_NOTE_CHARACTERS = 128 * 1024

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCodePoint(...bytes))

/** Returns bytes in the one base64 form that they have; null for any other text. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), (one) => one.codePointAt(0) ?? 0)
  return toBase64(bytes) === text ? bytes : null
}

/** Returns the id of a key: the first four bytes of the SHA-256 of its name, a newline, its type and the key. */
export const keyId = (name: string, type: number, key: Uint8Array, sha256: Sha256): string =>
  hexOf(sha256(Uint8Array.from([...bytesOf(`${name}\n`), type, ...key])).subarray(0, 4))

/** Prints a key as `name+id+base64`, the form that other verifiers take. */
export const printKey = ({ name, id, type, key }: VerifierKey): string =>
  `${name}+${id}+${toBase64(Uint8Array.from([type, ...key]))}`

/** Returns the key in a text; null if its id is not that of the key. */
export function parseKey(text: string, sha256: Sha256): VerifierKey | null {
  const [, name = '', id = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text) ?? []
  const [type, ...key] = fromBase64(encoded) ?? []
  if (type === undefined) return null
  const bytes = Uint8Array.from(key)
  return keyId(name, type, bytes, sha256) === id ? { name, id, type, key: bytes } : null
}

/** Returns a note with one line for each signature; without any, the note is unsigned. */
export const printNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(({ name, id, signature }) => `— ${name} ${toBase64(Uint8Array.from([...fromHex(id), ...signature]))}\n`).join('')}`

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

/** Returns a signed note; null if the text is none. */
export function parseNote(note: string): SignedNote | null {
  const end = note.lastIndexOf('\n\n') + 1
  // eslint-disable-next-line no-control-regex -- a note may hold no control character but newlines
  if (end === 0 || note.length > MOST_NOTE_CHARACTERS || !note.endsWith('\n') || /[\0-\x09\x0b-\x1f]/.test(note))
    return null
  const signatures: NoteSignature[] = []
  for (const line of note.slice(end + 1, -1).split('\n')) {
    if (line === '' && end + 1 >= note.length) break
    const [, name = '', encoded = ''] = /^— ([^+\s]+) (\S+)$/.exec(line) ?? []
    const bytes = fromBase64(encoded)
    if (bytes === null || bytes.length < 5) return null
    signatures.push({ name, id: hexOf(bytes.subarray(0, 4)), signature: bytes.subarray(4) })
  }
  return { text: note.slice(0, end), signatures }
}

/** What a log says of itself: its name, the number of its entries, and the hash of them all in base64. */
export interface LogHead {
  readonly origin: string
  readonly size: number
  readonly root: string
}

export const printHead = ({ origin, size, root }: LogHead): string => `${origin}\n${size}\n${root}\n`

/** Returns the head in the text of a note; null if there is none. Further lines are of others, and ignored. */
export function parseHead(text: string): LogHead | null {
  const [origin = '', size = '', root = ''] = text.split('\n')
  const isHead = origin !== '' && /^(?:0|[1-9]\d{0,14})$/.test(size) && fromBase64(root)?.length === 32
  return isHead ? { origin, size: Number(size), root } : null
}
