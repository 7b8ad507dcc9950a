import type { IncomingMessage } from 'node:http'

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
