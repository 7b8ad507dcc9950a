import { describe, expect, it } from 'vitest'
import { leastCadence, monthlyCosts, planText } from '../../src/delivery/quota-plan.ts'

const MINUTE = 60_000
const QUOTA = { requests: 10_000, per: 'month', evidence: 'https://docs.example/limits', list: () => 13 } as const
const ACME = { id: 'acme', label: 'Acme', quota: QUOTA }

describe('the plan of a month', () => {
  const costs = (minutes: number) =>
    monthlyCosts([ACME, { id: 'x', label: 'Other' }], {
      cadenceMs: minutes * MINUTE,
      listings: null,
    })

  it('names the shortest cadence that holds, and that one does hold', () => {
    const least = leastCadence(costs(30)) ?? 0
    expect(least).toBe(62)
    expect(leastCadence(costs(least))).toBeNull()
    expect(leastCadence(costs(least - 1))).toBe(least)
  })

  it('is printed with what each source costs', () => {
    const text = planText(costs(30), 30 * MINUTE)
    expect(text).toContain(
      'Acme                 13 a run, 19,344 of 10,000 a month (193 %): too many, --cadence 62 holds',
    )
    expect(text).toContain('Other                no quota known')
    expect(text).toContain('The schedule does not hold.')
  })
})
