import * as z from 'zod'
import { HOUR_MS } from '../contract/time.ts'
import { type Alert, Alerts } from '../contract/alerts.ts'
import { readJson } from '../contract/read-json.ts'
import { Timestamp } from '../contract/words.ts'
import type { Problem } from './problems.ts'

/**
 * What was told last, kept beside the tree: a problem is told when it begins and when it ends, and an alert once. Lost, it
 * costs a second message.
 */
export const Told = z.object({
  problems: z.array(z.string()),
  /** Time of the last run whose alerts were sent. */
  alertsOf: Timestamp.nullable(),
  /** When the failure of a channel was last reported, in ms since 1970. */
  failures: z.record(z.string(), z.number()),
})
export type Told = z.infer<typeof Told>

export const TOLD = 'told'
export const NOTHING_TOLD: Told = { problems: [], alertsOf: null, failures: {} }

/** How long a channel that fails is not reported again. */
const QUIET_MS = HOUR_MS

/** Whether the failure of a channel was reported in the last hour. */
export const isReported = ({ failures }: Told, channel: string, now: number): boolean => {
  const last = failures[channel]
  return last !== undefined && now - last < QUIET_MS && now >= last
}

/** Returns the message about problems that differ from those told last; null: there is nothing new. */
export function messageOf(problems: readonly Problem[], { problems: told }: Told, product: string): string | null {
  const keys = problems.map(({ key }) => key)
  if (keys.length === told.length && keys.every((key) => told.includes(key))) return null
  if (keys.length === 0) return `${product}: the problems have ended.`
  return [`${product}:`, ...problems.map(({ text }) => `- ${text}`)].join('\n')
}

/** Returns the alerts of `alerts.json` that were not sent yet, newest first; without knowledge, those of the last run. */
export const alertsDue = (text: string | null, at: string, { alertsOf }: Told): readonly Alert[] =>
  (readJson(text, Alerts)?.rows ?? []).filter((alert) => (alertsOf === null ? alert.at === at : alert.at > alertsOf))
