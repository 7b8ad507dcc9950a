import { parsePolicy } from '../contract/log-policy.ts'
import { ProofError, type ProvenDocument, type SeenLog, parseSeen, provenDocument } from '../contract/log-proof.ts'

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
export interface Verified extends Omit<ProvenDocument, 'bytes' | 'seen'> {
  readonly text: string
}

export { ProofError }

/**
 * Returns a function that reads a file of a site, such as `api/mkt/assets/bitcoin.json`, and proves that it is what the last
 * run published. It rejects with a {@link ProofError}.
 */
export function createVerifier({
  site,
  policy: text,
  store,
  fetch = (...request) => globalThis.fetch(...request),
  now = Date.now,
}: VerifierOptions): (file: string) => Promise<Verified> {
  const policy = text === undefined ? null : parsePolicy(text)
  if (text !== undefined && policy === null) throw new TypeError('policy is no tlog-policy')
  let seen: SeenLog | null = null
  const read = async (file: string): Promise<Uint8Array | null> => {
    const response = await fetch(new URL(file, site.endsWith('/') ? site : `${site}/`), { cache: 'no-cache' })
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null
  }
  return async (file) => {
    seen ??= parseSeen((await store?.get()) ?? null)
    const { bytes, ...proven } = await provenDocument(file, { policy, seen }, { read, now: now() })
    seen = proven.seen
    await store?.set(JSON.stringify(seen))
    return { ...proven, text: new TextDecoder().decode(bytes) }
  }
}
