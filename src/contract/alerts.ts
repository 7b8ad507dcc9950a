import * as z from 'zod'
import { Price, Slug, Timestamp } from './words.ts'

/** A rule of the publisher: exactly one of its limits is given. */
export const AlertRule = z.union([
  z.strictObject({ slug: Slug, above: Price }),
  z.strictObject({ slug: Slug, below: Price }),
  z.strictObject({ slug: Slug, changePercent: z.number().positive() }),
])
export type AlertRule = z.infer<typeof AlertRule>

const AlertKind = z.enum(['above', 'below', 'change'])

const RuleState = z.object({
  slug: Slug,
  kind: AlertKind,
  limit: z.number(),
  active: z.boolean(),
  since: Timestamp.nullable(),
})
export type RuleState = z.infer<typeof RuleState>

const Alert = z.object({
  at: Timestamp,
  slug: Slug,
  name: z.string(),
  kind: AlertKind,
  limit: z.number(),
  price_usd: z.number().nullable(),
  percent_change_24h: z.number().nullable(),
  text: z.string(),
})
export type Alert = z.infer<typeof Alert>

/** `alerts.json`: the rules as they stand, and the alerts, newest first. */
export const Alerts = z.object({ rules: z.array(RuleState), rows: z.array(Alert) })
export type Alerts = z.infer<typeof Alerts>
