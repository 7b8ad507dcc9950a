import { sha256 } from '@noble/hashes/sha2.js'
import { parsePolicy } from '../contract/log-policy.ts'
import { type SeenLog, keysIn, provenDocument } from '../contract/log-proof.ts'
import { isObject, parseJson } from '../contract/read-json.ts'

/** Where the last checkpoint of a site is kept: `localStorage`, a file. */
export interface ProofStore {
  get(): string | null | Promise<string | null>
  set(text: string): void | Promise<void>
}

/** How documents are proven. */
export interface VerifierOptions {
  /** Base URL of the site, above `/api/mkt`. */
  readonly site: string
  /** A C2SP `tlog-policy`: whose signatures count. By default the keys of the first proof. */
  readonly policy?: string | undefined
  /** Keeps what this machine has seen; without one, only proofs of one verifier are compared. */
  readonly store?: ProofStore | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Time of day in ms since 1970. */
  readonly now?: (() => number) | undefined
}

/** A document with what is proven of it. */
export interface Verified {
  readonly text: string
  /** When the run that published it collected its data. */
  readonly generatedAt: string
  readonly staleAfter: string
  /** Number of the run in the log. */
  readonly run: number
  /** Names of the keys and witnesses that signed; none: the log is unsigned. */
  readonly signedBy: readonly string[]
}

/** An error with the name `ProofError`: the document is not proven. */
export interface ProofFailure extends Error {
  readonly fault: string
  /** The checkpoint that was seen before and the one that contradicts it. */
  readonly checkpoints: readonly string[]
}

/**
 * Returns a function that reads a file of a site, such as `api/mkt/assets/bitcoin.json`, and proves that it is what the last
 * run published. It rejects with a {@link ProofFailure}.
 */
export function createVerifier({
  site,
  policy: text,
  store,
  fetch = (...request) => globalThis.fetch(...request),
  now = Date.now,
}: VerifierOptions): (file: string) => Promise<Verified> {
  const policy = text === undefined ? null : parsePolicy(text, sha256)
  if (text !== undefined && policy === null) throw new TypeError('policy is no tlog-policy')
  let seen: SeenLog | null = null
  const read = async (file: string): Promise<Uint8Array | null> => {
    const response = await fetch(new URL(file, site.endsWith('/') ? site : `${site}/`), { cache: 'no-cache' })
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null
  }
  const isSigned = async (key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> => {
    const [raw, signed, body] = [key, signature, message].map((bytes) => Uint8Array.from(bytes))
    if (!raw || !signed || !body) return false
    const own = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify'])
    return crypto.subtle.verify('Ed25519', own, signed, body)
  }
  return async (file) => {
    seen ??= seenIn((await store?.get()) ?? null)
    const proven = await provenDocument(file, { policy, seen }, { read, sha256, isSigned, now: now() })
    seen = proven.seen
    await store?.set(JSON.stringify(seen))
    const { generatedAt, staleAfter } = proven.entry
    const { size: run, signedBy } = proven
    return { text: new TextDecoder().decode(proven.bytes), generatedAt, staleAfter, run, signedBy }
  }
}

function seenIn(text: string | null): SeenLog | null {
  const kept = parseJson(text ?? '')
  if (!isObject(kept) || typeof kept['checkpoint'] !== 'string') return null
  return { checkpoint: kept['checkpoint'], keys: keysIn(kept) }
}
