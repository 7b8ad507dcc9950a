import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alertFiles, alertsAfter } from '../../src/changes/alerts.ts'
import { AlertRule, Alerts } from '../../src/contract/alerts.ts'
import { AT, assetOf } from '../feed/world.ts'
import { NOON, leanRun, newFolder } from '../sample-tree.ts'

const NONE: Alerts = { rules: [], rows: [] }
const later = (hours: number) => new Date(Date.parse(AT) + hours * 3_600_000).toISOString().replace('.000Z', 'Z')
/** The alerts after runs that saw these prices, an hour apart; null: no price. */
const after = (rules: readonly AlertRule[], prices: readonly (number | null)[]) =>
  prices.reduce<Alerts>(
    (last, price_usd, hour) =>
      alertsAfter(rules, last, {
        at: later(hour),
        assetOf: (slug) => assetOf(slug, { name: 'Acme', symbol: 'ACM', price_usd }),
      }),
    NONE,
  )

describe('a rule', () => {
  it.each([
    ['above, once until it has ceased to hold', [{ slug: 'acme', above: 10 }], [9, 10, 11, 9, 12], [4, 1]],
    ['below', [{ slug: 'acme', below: 10 }], [11, 10, 9], [1]],
    ['that holds from its first run on', [{ slug: 'acme', above: 10 }], [11, 12], [0]],
    ['without a price in between, as if nothing had happened', [{ slug: 'acme', above: 10 }], [11, null, 12], [0]],
    ['that never holds', [{ slug: 'acme', above: 10 }], [1, 2], []],
  ])('alerts %s', (_, rules, prices, hours) =>
    expect(after(rules, prices).rows.map(({ at }) => at)).toEqual(hours.map(later)),
  )

  it('says what happened', () => {
    const [alert] = after([{ slug: 'acme', above: 10 }], [10.5]).rows
    expect(alert).toMatchObject({ slug: 'acme', kind: 'above', limit: 10, price_usd: 10.5 })
    expect(alert?.text).toBe('Acme (ACM) is above $10: its price is $10.5')
  })

  it('of a change looks at both directions', () => {
    const rules = [{ slug: 'acme', changePercent: 5 }]
    const seen = (percent_change_24h: number) =>
      alertsAfter(rules, NONE, { at: AT, assetOf: (slug) => assetOf(slug, { percent_change_24h }) }).rows.length
    expect([4.9, 5, -4.9, -5].map(seen)).toEqual([0, 1, 0, 1])
  })

  it('does not alert by a price that no source reported anew', () => {
    const carried = assetOf('acme', { price_usd: 20, carried: { price_usd: AT } })
    expect(alertsAfter([{ slug: 'acme', above: 10 }], NONE, { at: AT, assetOf: () => carried }).rows).toEqual([])
  })

  it('has one limit', () => {
    expect(AlertRule.safeParse({ slug: 'acme', above: 1, below: 2 }).success).toBe(false)
    expect(AlertRule.safeParse({ slug: 'acme' }).success).toBe(false)
  })
})

it('alerts as often as a price comes from below to a limit', () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 60 }), (prices) => {
      const { rules, rows } = after([{ slug: 'acme', above: 10 }], prices)
      const crossings = prices.filter((price, at) => price >= 10 && (at === 0 || (prices[at - 1] ?? 0) < 10))
      expect(rows.length).toBe(crossings.length)
      expect(rules.map(({ active }) => active)).toEqual(prices.length === 0 ? [] : [(prices.at(-1) ?? 0) >= 10])
    }),
  ))

it('are files of the tree, which remember what has been told', async () => {
  const root = newFolder()
  const pages = alertFiles('Quotetree', [
    { slug: 'bitcoin', above: 1 },
    { slug: 'no-such', below: 1 },
  ])
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  await leanRun(root, { pages })
  const first = Alerts.parse(JSON.parse(read('alerts.json')))
  expect(first.rows.map(({ slug }) => slug)).toEqual(['bitcoin'])
  expect(first.rules.map(({ active }) => active)).toEqual([true, false])
  expect(read('alerts.xml')).toContain('<link href="token/?id=bitcoin"/>')
  await leanRun(root, { pages, now: NOON + 1_800_000 })
  expect(Alerts.parse(JSON.parse(read('alerts.json')))).toEqual(first)
  await leanRun(root, { pages: alertFiles('Quotetree', []), now: NOON + 3_600_000 })
  expect(existsSync(join(root, 'alerts.json'))).toBe(false)
})
