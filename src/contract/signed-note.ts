import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'

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

/** A text with its signatures, of which most readers know only some keys. */
export interface SignedNote {
  /** With its last newline. */
  readonly text: string
  readonly signatures: readonly { readonly name: string; readonly id: string; readonly signature: Uint8Array }[]
}

/** A note longer than this is refused. Sixteen signatures of the largest kind fit. */
const MOST_NOTE_CHARACTERS = 128 * 1024

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCodePoint(...bytes))

/** Returns bytes in the one base64 form that they have; null for any other text. */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null
  const bytes = Uint8Array.from(atob(text), (one) => one.codePointAt(0) ?? 0)
  return btoa(atob(text)) === text ? bytes : null
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

/** Returns a note with one line for each signature; without any, the note is unsigned. */
export const printNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map(({ name, id, signature }) => `— ${name} ${toBase64(concatBytes(hexToBytes(id), signature))}\n`).join('')}`

/** Returns a signed note; null if the text is none. */
export function parseNote(note: string): SignedNote | null {
  const end = note.lastIndexOf('\n\n') + 1
  // eslint-disable-next-line no-control-regex -- a note may hold no control character but newlines
  if (end === 0 || note.length > MOST_NOTE_CHARACTERS || /[\0-\x09\x0b-\x1f]/.test(note)) return null
  const lines = note.slice(end + 1).split('\n')
  const signatures = lines.slice(0, -1).map((line) => {
    const [, name = '', encoded = ''] = /^— ([^+\s]+) (\S+)$/.exec(line) ?? []
    const bytes = fromBase64(encoded) ?? new Uint8Array()
    return { name, id: bytesToHex(bytes.subarray(0, 4)), signature: bytes.subarray(4) }
  })
  const isWhole = lines.at(-1) === '' && signatures.every(({ signature }) => signature.length > 0)
  return isWhole ? { text: note.slice(0, end), signatures } : null
}

/** Whether a key signed a note, by the line with its name and id, which for a witness begins with the time. */
export async function isSignedBy({ name, id, type, key }: VerifierKey, note: SignedNote): Promise<boolean> {
  if (key.length !== 32 || (type !== SIGNATURE.ed25519 && type !== SIGNATURE.cosignature)) return false
  const own = note.signatures.filter((one) => one.name === name && one.id === id)
  const imported = await crypto.subtle.importKey('raw', Uint8Array.from(key), 'Ed25519', false, ['verify'])
  const checks = own.map(({ signature }) => {
    const cut = type === SIGNATURE.cosignature ? 8 : 0
    const time = cut > 0 ? `cosignature/v1\ntime ${BigInt(`0x${bytesToHex(signature.subarray(0, cut))}`)}\n` : ''
    const text = Uint8Array.from(utf8ToBytes(time + note.text))
    return crypto.subtle.verify('Ed25519', imported, Uint8Array.from(signature.subarray(cut)), text)
  })
  return (await Promise.all(checks)).includes(true)
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
