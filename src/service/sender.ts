import type { IncomingMessage } from 'node:http'

/**
 * Returns the sender of a request: the peer of the connection or, behind `proxies` proxies, the address that the outermost
 * proxy saw.
 */
export function senderOf(incoming: IncomingMessage, proxies: number): string {
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
  const seen = proxies > 0 ? forwarded.at(-proxies)?.trim() : ''
  return senderFrom(seen || (incoming.socket.remoteAddress ?? ''))
}

/**
 * Returns the network at an address with or without a port (`192.0.2.1:443`, `[2001:db8::1]:443`, `2001:db8::1`): an IPv4
 * address, or the /48 of an IPv6 address, all of which may belong to one customer.
 */
export function senderFrom(address: string): string {
  const bare =
    /^"?\[([^\]]*)\](?::\d+)?"?$/.exec(address)?.[1] ?? /^([^:]*):\d+$/.exec(address)?.[1] ?? address.toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined || !bare.includes(':')) return mapped ?? bare
  // In the short form of RFC 5952, "::" is two groups or more.
  const url = `http://[${bare.split('%')[0]}]`
  if (!URL.canParse(url)) return bare
  const groups = new URL(url).hostname.slice(1, -1).split('::')[0]?.split(':') ?? []
  return Array.from({ length: 3 }, (_, at) => groups[at] || '0').join(':')
}
