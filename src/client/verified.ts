import { provingFiles } from '../contract/archived-proof.ts'
import { parsePolicy } from '../contract/log-policy.ts'
import { ProofError, type ProvenDocument, type ReadFile, provenDocument } from '../contract/log-proof.ts'

/** Where the last proof of a site is kept: `localStorage`, a file. */
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
  /** Address of the archive of past snapshots. By default `archive` below the site. */
  readonly archive?: string | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Time of day in ms since 1970. */
  readonly now?: (() => number) | undefined
}

/** A document with what is proven of it. */
export interface Verified extends Omit<ProvenDocument, 'bytes' | 'seen'> {
  readonly text: string
}

/** Time limit of one request to an archive. */
const TIMEOUT_MS = 60_000

export { ProofError }

/**
 * Returns a function that reads a file of a site, such as `api/mkt/assets/bitcoin.json`, and proves that it is what the last
 * run published, or the last one until a time in ms since 1970. It rejects with a {@link ProofError}.
 */
export function createVerifier({
  site,
  policy: text,
  store,
  archive,
  fetch = (...request) => globalThis.fetch(...request),
  now = Date.now,
}: VerifierOptions): (file: string, at?: number) => Promise<Verified> {
  const policy = text === undefined ? null : parsePolicy(text)
  if (text !== undefined && policy === null) throw new TypeError('policy is no tlog-policy')
  const base = site.endsWith('/') ? site : `${site}/`
  let seen: string | null = null
  const read: ReadFile = async (file) => {
    const response = await fetch(new URL(file, base), { cache: 'no-cache' })
    return response.ok ? new Uint8Array(await response.arrayBuffer()) : null
  }
  // What reads an archive is loaded by the first call that names a time.
  const pastAt = async (time: number): Promise<ReadFile> => {
    const { openUntil, siteArchive } = await import('./archive.ts')
    const { open } = await openUntil(siteArchive(archive ?? `${base}archive`, fetch, TIMEOUT_MS), time)
    return provingFiles(open.document)
  }
  return async (file, at) => {
    seen ??= (await store?.get()) ?? null
    const past = at === undefined ? undefined : await pastAt(at)
    const { bytes, seen: last, ...proven } = await provenDocument(file, { read, now: now(), policy, seen }, past)
    seen = last
    await store?.set(last)
    return { ...proven, text: new TextDecoder().decode(bytes) }
  }
}
