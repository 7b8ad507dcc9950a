import type { IncomingMessage } from 'node:http'

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

export type LimitStatus = ReturnType<typeof limitStatus>

/**
 * Returns the state of the limits after requests at these times (ms, in any order). The headers follow
 * draft-ietf-httpapi-ratelimit-headers: the tightest limit, its remaining requests, and its reset time.
 */
export function limitStatus(times: readonly number[], now: number, limits: readonly Limit[]) {
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
    /** Seconds until the next request is allowed; 0: now. */
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

/** Identity of a sender for rate limits. */
export interface Sender {
  /** An IPv4 address, or the /64 of an IPv6 address, which belongs to one customer. */
  readonly network: string
  /** The /48 of an IPv6 address: 65,536 networks that may belong to one customer. Null for IPv4. */
  readonly block: string | null
}

/**
 * Returns the sender of a request: the peer of the connection or, behind `proxies` proxies, the address that the outermost
 * proxy saw.
 */
export function senderOf(incoming: IncomingMessage, proxies: number): Sender {
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
  const seen = proxies > 0 ? forwarded.at(-proxies)?.trim() : ''
  return senderFrom(seen || (incoming.socket.remoteAddress ?? ''))
}

/** Returns the sender at an address with or without a port: `192.0.2.1:443`, `[2001:db8::1]:443`, `2001:db8::1`. */
export function senderFrom(address: string): Sender {
  const bare =
    /^"?\[([^\]]*)\](?::\d+)?"?$/.exec(address)?.[1] ?? /^([^:]*):\d+$/.exec(address)?.[1] ?? address.toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return { network: mapped, block: null }
  if (!bare.includes(':')) return { network: bare, block: null }
  const groups = groupsOf(bare.toLowerCase())
  return { network: groups.slice(0, 4).join(':'), block: groups.slice(0, 3).join(':') }
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [before = '', after] = address.split('%')[0]?.split('::') ?? []
  const head = before.split(':').filter((group) => group !== '')
  const tail = after === undefined ? [] : after.split(':').filter((group) => group !== '')
  // The last group may be an IPv4 address, which counts as two groups.
  const given = [...head, ...tail].reduce((count, group) => count + (group.includes('.') ? 2 : 1), 0)
  const zeros = Array.from({ length: after === undefined ? 0 : Math.max(0, 8 - given) }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => group.replace(/^0+(?=.)/, ''))
}
