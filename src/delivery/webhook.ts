import { type Alert, Alerts } from '../contract/alerts.ts'
import { readJson } from '../contract/read-json.ts'
import { DeliveryError } from './delivery-error.ts'

/** Characters that Discord takes in one message; Slack takes more. */
const MOST_CHARACTERS = 2000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns the alerts of `alerts.json` that the run at `at` fired, oldest rule first; none where there is no such file. */
export const firedAt = (text: string | null, at: string): readonly Alert[] =>
  (readJson(text, Alerts)?.rows ?? []).filter((alert) => alert.at === at)

/**
 * Returns the address of a webhook.
 *
 * @throws DeliveryError if it is not https, without which anybody on the way reads its secret; plain http is for this machine
 */
export function webhookOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url
  throw new DeliveryError('The address of the webhook must begin with https://. No alert was sent.')
}

/**
 * Posts alerts to a webhook as one message. `text` is what Slack shows, `content` what Discord shows, and `alerts` the rows
 * of `alerts.json`.
 *
 * @throws DeliveryError if they were not taken. Its message and cause never contain the address, which is a secret
 */
export async function postAlerts(
  webhook: URL,
  alerts: readonly Alert[],
  { ask, timeoutMs }: { readonly ask: typeof fetch; readonly timeoutMs: number },
): Promise<void> {
  const text = alerts.map((alert) => alert.text).join('\n')
  const content = text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`
  const response = await ask(webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'quotetree' },
    body: JSON.stringify({ text, content, alerts }),
    // It could lead to a host without https.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => null)
  if (response === null)
    throw new DeliveryError('The webhook could not be reached. Its alerts stay in alerts.json and alerts.xml.')
  await response.body?.cancel()
  if (!response.ok)
    throw new DeliveryError(
      `The webhook answered with status ${response.status}. Check its address; the alerts stay in alerts.json and alerts.xml.`,
    )
}
