import type { IncomingMessage } from 'node:http'

/**
 * Who sends a request: the address of the other end, or where `proxies` stand between, the one that the outermost of them
 * saw. Of an IPv6 address the network, since one sender has all of a /64.
 */
export function senderOf(incoming: IncomingMessage, proxies: number): string {
  const own = incoming.socket.remoteAddress ?? ''
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
  return networkOf((proxies > 0 ? forwarded.at(-proxies)?.trim() : '') || own)
}

/** `2001:db8:0:1::5` is of the network `2001:db8:0:1`; an IPv4 address stands for itself, also in its IPv6 form. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [before = '', after] = address.toLowerCase().split('%')[0]?.split('::') ?? []
  const head = before.split(':').filter((group) => group !== '')
  const tail = after === undefined ? [] : after.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  const groups = after === undefined ? head : [...head, ...zeros, ...tail]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
