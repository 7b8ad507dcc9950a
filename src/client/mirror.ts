/** Pause of a mirror after its first failure. Each further failure doubles it. */
const FIRST_PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 600_000

/** A host of the tree, with its recent failures and the freshness of its index. */
export interface Mirror {
  /** Without a trailing slash. */
  readonly base: string
  /** Path of the API below it, without a trailing slash. */
  readonly prefix: string
  failures: number
  /** In ms since 1970. Until then other mirrors are preferred. */
  pausedUntil: number
  /** `staleAfter` of the index; null until the index has been read. */
  staleAfter: string | null
  /** For how long a snapshot is fresh, as the index says. */
  freshMs: number
  /** When the index was last read, in ms since 1970. */
  indexReadAt: number
  /** Whether it answers with selected rows: a host with a function does. Null: not known yet. */
  selects: boolean | null
}

/** Creates a mirror. On a page the URL may be relative. @throws TypeError if the URL is invalid */
export const mirrorAt = (url: string, prefix: string): Mirror => ({
  base: new URL(url, globalThis.location?.href).href.replace(/\/+$/, ''),
  prefix: `/${prefix.replaceAll(/^\/+|\/+$/g, '')}`,
  failures: 0,
  pausedUntil: 0,
  staleAfter: null,
  freshMs: 0,
  indexReadAt: 0,
  selects: null,
})

/** Returns the mirrors in order of preference, with stale and then paused ones last: they are asked if no other answers. */
export function inOrder(mirrors: readonly Mirror[], at: number): readonly Mirror[] {
  const isStale = ({ staleAfter, indexReadAt }: Mirror) =>
    staleAfter !== null && at > Date.parse(staleAfter) && at - indexReadAt < LONGEST_PAUSE_MS
  const pause = (mirror: Mirror) => (mirror.pausedUntil > at ? mirror.pausedUntil : Number(isStale(mirror)))
  return mirrors.toSorted((a, b) => pause(a) - pause(b))
}

/** Ends the pause of a mirror that answered. */
export function markAnswered(mirror: Mirror): void {
  mirror.failures = 0
  mirror.pausedUntil = 0
}

/** Pauses a mirror that failed at a time. */
export function markFailed(mirror: Mirror, at: number): void {
  mirror.pausedUntil = at + Math.min(FIRST_PAUSE_MS * 2 ** mirror.failures, LONGEST_PAUSE_MS)
  mirror.failures++
}
