/** How long a mirror that failed is left alone at first; each further failure doubles it. */
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 600_000

/** A host of the tree, and what is known of it. */
export interface Mirror {
  /** Without a slash at the end. */
  readonly base: string
  failures: number
  /** Left alone until then, while another answers. */
  pausedUntil: number
  /** When what it has goes out of date, as its index said; null while that was not asked. */
  staleAfter: string | null
  /** When the index was asked. */
  indexAskedAt: number
}

/** A mirror at an address. In a page, the address may be relative. @throws TypeError for what is none */
export const mirrorAt = (address: string): Mirror => ({
  base: new URL(address, globalThis.location?.href).href.replace(/\/+$/, ''),
  failures: 0,
  pausedUntil: 0,
  staleAfter: null,
  indexAskedAt: 0,
})

/**
 * Mirrors in the order to ask them at a time: as they were named, so one that answers goes on being asked, and those that
 * failed lately at the end, where they are the last hope.
 */
export function inOrder(mirrors: readonly Mirror[], at: number): readonly Mirror[] {
  const pause = ({ pausedUntil }: Mirror) => (pausedUntil > at ? pausedUntil : 0)
  return mirrors.toSorted((a, b) => pause(a) - pause(b))
}

/** Notes that a mirror answered. */
export function answered(mirror: Mirror): void {
  mirror.failures = 0
  mirror.pausedUntil = 0
}

/** Notes that a mirror failed at a time. */
export function failed(mirror: Mirror, at: number): void {
  mirror.pausedUntil = at + Math.min(FIRST_PAUSE_MS * 2 ** mirror.failures, LONGEST_PAUSE_MS)
  mirror.failures++
}
