/** A commit of the data branch, as far as thinning looks at it. */
export interface Point {
  /** In ms since 1970. */
  readonly at: number
}

/** How much of the past a branch keeps. */
export interface Keeping {
  /** Every commit of the last days is kept, of older ones the last of each day (UTC). */
  readonly everyDays: number
  /** What the whole branch may take in bytes; beyond it the oldest days are given up. */
  readonly maxBytes: number
}

export const KEEPING: Keeping = { everyDays: 7, maxBytes: 512 * 2 ** 20 }

const DAY_MS = 86_400_000
const dayOf = ({ at }: Point): number => Math.floor(at / DAY_MS)

/**
 * The commits to keep of a branch, oldest first, in groups: each group becomes one commit, the tree of its last. Only
 * whole days are thinned, so that the history is rewritten at most once a day.
 */
export function thinned<Commit extends Point>(commits: readonly Commit[], now: number, everyDays: number): Commit[][] {
  const border = Math.floor(now / DAY_MS) - everyDays
  const groups: Commit[][] = []
  for (const commit of commits) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && dayOf(commit) < border && dayOf(commit) === dayOf(last)) group.push(commit)
    else groups.push([commit])
  }
  return groups
}

/**
 * How many of the newest commits fit a limit, given what the whole takes now. A tenth is left free, so that not every run
 * from then on has to give something up.
 */
export function fitting(count: number, bytes: number, { maxBytes }: Keeping): number {
  if (bytes <= maxBytes || count === 0) return count
  return Math.max(1, Math.floor((count * maxBytes * 0.9) / bytes))
}

/** What a branch will take, from what its commits take on average. */
export interface Growth {
  readonly bytes_per_commit: number
  /** The days of which every commit is kept. */
  readonly recent_bytes: number
  /** What each year adds: one commit a day. */
  readonly bytes_per_year: number
  /** Years until the limit is met and the oldest days are given up. */
  readonly years_to_limit: number
}

/** How a branch grows: `bytes` in `commits`, with a run each `cadenceMs`. */
export function growthOf(bytes: number, commits: number, cadenceMs: number, { everyDays, maxBytes }: Keeping): Growth {
  const each = commits === 0 ? 0 : bytes / commits
  const recent = each * everyDays * (DAY_MS / cadenceMs)
  const yearly = each * 365
  return {
    bytes_per_commit: Math.round(each),
    recent_bytes: Math.round(recent),
    bytes_per_year: Math.round(yearly),
    years_to_limit: yearly === 0 ? 0 : Math.round((10 * Math.max(0, maxBytes - recent)) / yearly) / 10,
  }
}
