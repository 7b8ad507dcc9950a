/** At most so many requests of one sender in so many seconds. */
export interface Limit {
  readonly name: string
  readonly requests: number
  readonly seconds: number
}

export const SENDER_LIMITS: readonly Limit[] = [
  { name: 'hour', requests: 5, seconds: 3600 },
  { name: 'day', requests: 20, seconds: 86_400 },
]

/** How a sender stands against the limits. */
export interface Standing {
  /** Seconds until the next request is taken; 0 now. */
  readonly wait: number
  /** Requests that would be taken now. */
  readonly left: number
  readonly headers: Readonly<Record<string, string>>
}

/**
 * How a sender stands that had requests taken at these times (ms, in any order). The headers are those of
 * draft-ietf-httpapi-ratelimit-headers: the tightest limit, what is left of it, and when a request comes back.
 */
export function standing(times: readonly number[], now: number, limits: readonly Limit[]): Standing {
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
