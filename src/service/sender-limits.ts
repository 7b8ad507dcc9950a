/** A limit of requests per number of seconds. */
interface Limit {
  readonly name: string
  readonly requests: number
  readonly seconds: number
}

/** Limits per sender, and per address block. */
export interface SenderLimits {
  readonly network: readonly Limit[]
  readonly block: readonly Limit[]
}

export const SENDER_LIMITS: SenderLimits = {
  network: [
    { name: 'hour', requests: 5, seconds: 3600 },
    { name: 'day', requests: 20, seconds: 86_400 },
  ],
  block: [
    { name: 'block-hour', requests: 20, seconds: 3600 },
    { name: 'block-day', requests: 80, seconds: 86_400 },
  ],
}

/** Current state of the limits. */
export interface LimitStatus {
  /** Seconds until the next request is allowed; 0: now. */
  readonly wait: number
  /** Number of requests allowed now. */
  readonly left: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Returns the state of the limits after requests at these times (ms, in any order). The headers follow
 * draft-ietf-httpapi-ratelimit-headers: the tightest limit, its remaining requests, and its reset time.
 */
export function limitStatus(times: readonly number[], now: number, limits: readonly Limit[]): LimitStatus {
  const each = limits.map((limit) => {
    const recent = times.filter((time) => time > now - limit.seconds * 1000).toSorted((a, b) => a - b)
    const left = Math.max(0, limit.requests - recent.length)
    const next = recent.at(left > 0 ? 0 : -limit.requests)
    const reset = next === undefined ? limit.seconds : Math.ceil((next + limit.seconds * 1000 - now) / 1000)
    return { ...limit, left, reset }
  })
  const wait = Math.max(0, ...each.map(({ left, reset }) => (left > 0 ? 0 : reset)))
  const tightest = each.toSorted((a, b) => a.left - b.left || b.reset - a.reset)[0]
  if (!tightest) return { wait: 0, left: Number.POSITIVE_INFINITY, headers: {} }
  return {
    wait,
    left: tightest.left,
    headers: {
      'ratelimit-policy': limits
        .map(({ name, requests, seconds }) => `"${name}";q=${requests};w=${seconds}`)
        .join(', '),
      ratelimit: `"${tightest.name}";r=${tightest.left};t=${tightest.reset}`,
    },
  }
}

/** Returns the status with the longer wait, or else with fewer requests left. */
export const tighter = (one: LimitStatus, other: LimitStatus): LimitStatus =>
  other.wait > one.wait || (other.wait === one.wait && other.left < one.left) ? other : one
