import { DeliveryError } from './delivery-error.ts'

/** Characters that Discord takes in one message; Slack and ntfy take more. */
const MOST_CHARACTERS = 2000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const PLAIN = 'ntfy+'

const TIMEOUT_MS = 10_000

/**
 * Posts a message to an address, which is a secret: no error has it. Slack shows `text`, Discord `content`; names from
 * outside cannot mention anyone or make links.
 */
export async function post(address: string, text: string, rows: object, timeoutMs = TIMEOUT_MS): Promise<void> {
  const safe = text.replaceAll('<', '‹').replaceAll('>', '›')
  const content = safe.length <= MOST_CHARACTERS ? safe : `${safe.slice(0, MOST_CHARACTERS - 1)}…`
  const message = { text: safe, content, allowed_mentions: { parse: [] }, ...rows }
  await (address.startsWith(PLAIN)
    ? request(address.slice(PLAIN.length), timeoutMs, 'text/plain; charset=utf-8', content)
    : request(address, timeoutMs, 'application/json', JSON.stringify(message)))
}

/** Requests the address that expects to hear of each good run. */
export const ping = (address: string): Promise<void> => request(address, TIMEOUT_MS)

async function request(address: string, timeoutMs: number, type?: string, body?: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : null
  // Without https, anybody on the way reads the address; plain http is for this machine.
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.has(url.hostname))))
    throw new DeliveryError('must be an address that begins with https://')
  const response = await fetch(url, {
    ...(body === undefined ? {} : { method: 'POST', body }),
    headers: { ...(type === undefined ? {} : { 'content-type': type }), 'user-agent': 'quotetree' },
    // It could lead to a host without https.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => null)
  if (response === null) throw new DeliveryError('could not be reached')
  await response.body?.cancel()
  if (!response.ok) throw new DeliveryError(`answered with status ${response.status}`)
}
