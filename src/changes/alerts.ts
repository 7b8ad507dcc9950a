import { type Alert, type AlertRule, Alerts, type RuleState } from '../contract/alerts.ts'
import type { Asset } from '../contract/asset.ts'
import { decimal } from '../contract/numbers.ts'
import { readJson } from '../contract/read-json.ts'
import type { Attachments } from '../endpoints/endpoint.ts'
import { feedOf } from './feeds.ts'

/** The alerts of a publisher, relative to the tree's root. */
export const ALERTS_FILE = 'alerts.json'
const MOST = 100

const NONE: Alerts = { rules: [], rows: [] }

type Rule = Pick<RuleState, 'slug' | 'kind' | 'limit'>

function ruleOf({ slug, ...rule }: AlertRule): Rule {
  if ('above' in rule) return { slug, kind: 'above', limit: rule.above }
  return 'below' in rule
    ? { slug, kind: 'below', limit: rule.below }
    : { slug, kind: 'change', limit: rule.changePercent }
}

/** Whether the condition of a rule holds; null: the value that it looks at is not known anew. */
function holds({ kind, limit }: Rule, { price_usd, percent_change_24h, carried }: Asset): boolean | null {
  const member = kind === 'change' ? 'percent_change_24h' : 'price_usd'
  const value = kind === 'change' ? percent_change_24h : price_usd
  if (value === null || carried?.[member] !== undefined) return null
  if (kind === 'above') return value >= limit
  return kind === 'below' ? value <= limit : Math.abs(value) >= limit
}

function textOf({ kind, limit }: Rule, { name, symbol, price_usd, percent_change_24h }: Asset): string {
  const who = `${name} (${symbol})`
  const price = price_usd === null ? 'unknown' : `$${decimal(price_usd)}`
  if (kind === 'change') return `${who} moved by ${percent_change_24h} % in 24 hours; its price is ${price}`
  return `${who} is ${kind} $${decimal(limit)}: its price is ${price}`
}

/**
 * Returns the alerts after a run. A rule alerts when its condition begins to hold, once until it has ceased to. While a
 * value is unknown or carried forward, its rule stays as it was.
 */
export function alertsAfter(
  rules: readonly AlertRule[],
  last: Alerts,
  { at, assetOf }: { readonly at: string; readonly assetOf: (slug: string) => Asset | null },
): Alerts {
  const found = rules.map((given) => {
    const rule = ruleOf(given)
    const before = last.rules.find(
      ({ slug, kind, limit }) => slug === rule.slug && kind === rule.kind && limit === rule.limit,
    )
    const asset = assetOf(rule.slug)
    const active = (asset && holds(rule, asset)) ?? before?.active ?? false
    const begins = active && before?.active !== true
    const since = begins ? at : active ? (before?.since ?? at) : null
    return { state: { ...rule, active, since }, alert: begins && asset ? alertOf(rule, asset, at) : null }
  })
  const rows = [...found.flatMap(({ alert }) => alert ?? []), ...last.rows].slice(0, MOST)
  return { rules: found.map(({ state }) => state), rows }
}

const alertOf = (rule: Rule, asset: Asset, at: string): Alert => ({
  at,
  ...rule,
  name: asset.name,
  price_usd: asset.price_usd,
  percent_change_24h: asset.percent_change_24h,
  text: textOf(rule, asset),
})

/** Writes the alerts of a publisher's rules, as JSON and as a feed; nothing without rules. */
export const alertFiles =
  (product: string, rules: readonly AlertRule[]): Attachments =>
  (world) => {
    if (rules.length === 0) return []
    const assetOf = (slug: string) => world.bySlug.get(slug)?.asset ?? null
    const alerts = alertsAfter(rules, readJson(world.last(ALERTS_FILE), Alerts) ?? NONE, { at: world.at, assetOf })
    const entries = alerts.rows.map(({ at, slug, kind, limit, text }) => ({
      id: `urn:quotetree:alert:${at}:${slug}:${kind}:${decimal(limit)}`,
      title: text,
      at,
      category: kind,
      link: `token/?id=${slug}`,
    }))
    return [
      { path: ALERTS_FILE, text: `${JSON.stringify(alerts, null, 1)}\n` },
      {
        path: 'alerts.xml',
        text: feedOf({ id: 'urn:quotetree:alerts', title: `${product} alerts`, self: 'alerts.xml', entries }),
      },
    ]
  }
