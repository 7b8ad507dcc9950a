import { DeliveryError } from './delivery-error.ts'

/** Characters that Discord takes in one message; Slack and ntfy take more. */
const MOST_CHARACTERS = 2000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const PLAIN = 'ntfy+'

/** Where messages go. Its address is a secret. */
type Webhook = ReturnType<typeof webhookOf>

interface Asking {
  readonly ask: typeof fetch
  readonly timeoutMs: number
}

/**
 * Returns an address that is a secret.
 *
 * @throws DeliveryError if it is not https, without which anybody on the way reads it; plain http is for this machine
 */
export function secretUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url
  throw new DeliveryError('must be an address that begins with https://')
}

/** Returns the webhook of an address, which may have `ntfy+` before it. @throws DeliveryError as {@link secretUrl} does */
export function webhookOf(text: string) {
  /** Whether it takes the text alone, as ntfy does; otherwise JSON. */
  const isPlain = text.startsWith(PLAIN)
  return { url: secretUrl(isPlain ? text.slice(PLAIN.length) : text), isPlain }
}

/**
 * Posts a message. As JSON it has `text`, which Slack shows, `content`, which Discord shows, and `rows`, which programs read.
 * Names from outside can mention nobody and make no links in Slack.
 *
 * @throws DeliveryError if it was not taken: its message is the end of a sentence. Neither it nor its cause has the address
 */
export function post({ url, isPlain }: Webhook, text: string, rows: object, asking: Asking): Promise<void> {
  const safe = text.replaceAll('<', '‹').replaceAll('>', '›')
  const content = safe.length <= MOST_CHARACTERS ? safe : `${safe.slice(0, MOST_CHARACTERS - 1)}…`
  const message = { text: safe, content, allowed_mentions: { parse: [] }, ...rows }
  return isPlain
    ? request(url, asking, 'text/plain; charset=utf-8', content)
    : request(url, asking, 'application/json', JSON.stringify(message))
}

/** Requests the address that expects to hear of each good run, such as one of healthchecks.io. @throws DeliveryError as {@link post} does */
export const ping = (url: URL, asking: Asking): Promise<void> => request(url, asking)

async function request(url: URL, { ask, timeoutMs }: Asking, type?: string, body?: string): Promise<void> {
  const response = await ask(url, {
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
