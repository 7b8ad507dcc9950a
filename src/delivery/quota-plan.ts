import { max } from 'd3-array'
import { visibleLines } from '../core/contract/visible.ts'
import { QUOTA_PLAN } from '../core/run/quotas.ts'
import type { CollectionInputs, Limits } from '../core/run/run.ts'
import type { Facts } from '../core/sources/source.ts'

const PERIOD_MINUTES = { day: 1440, month: 31 * 1440 } as const

/**
 * What each source with a quota costs at a cadence: its lists alone, for the rest takes what they leave. `leastMinutes` is the
 * shortest time between runs that holds; null where the cadence holds.
 */
export function monthlyCosts(
  sources: readonly Pick<Facts, 'id' | 'label' | 'quota'>[],
  { cadenceMs, listings }: Pick<CollectionInputs, 'cadenceMs'> & Pick<Limits, 'listings'>,
) {
  return sources.map(({ id, label, quota = null }) => {
    const perRun = quota?.list(listings) ?? 0
    const minutes = PERIOD_MINUTES[quota?.per ?? 'month']
    const slow = ((quota?.daily ?? 0) * minutes) / 1440
    const perPeriod = Math.ceil((minutes * 60_000) / cadenceMs) * perRun + slow
    const planned = quota === null ? Infinity : quota.requests * QUOTA_PLAN.share
    const least = Math.ceil((perRun * minutes) / (planned - slow))
    return { id, label, quota, perRun, perPeriod, leastMinutes: perPeriod <= planned ? null : least }
  })
}

type MonthlyCosts = ReturnType<typeof monthlyCosts>
const count = (number: number): string => number.toLocaleString('en')

/** Returns what a cadence costs at each source, and the shortest cadence that holds if it does not. */
export function planText(costs: MonthlyCosts, cadenceMs: number): string {
  const lines = costs.map(({ label, quota, perRun, perPeriod, leastMinutes }) => {
    if (quota === null) return `  ${label.padEnd(20)} no quota known; held to its pace`
    const share = Math.round((perPeriod / quota.requests) * 100)
    const cost = `${perRun} a run, ${count(perPeriod)} of ${count(quota.requests)} a ${quota.per} (${share} %)`
    return `  ${label.padEnd(20)} ${cost}${leastMinutes === null ? '' : `: too many, --cadence ${leastMinutes} holds`}`
  })
  const least = leastCadence(costs)
  return visibleLines([
    `Requests for lists at a run every ${cadenceMs / 60_000} minutes. Past prices and profiles take what the lists leave.`,
    ...lines,
    least === null
      ? `The schedule holds: every list fits in ${QUOTA_PLAN.share * 100} % of its quota.`
      : `The schedule does not hold. The shortest cadence that does is ${least} minutes: --cadence ${least}. Shorter ones ` +
        'work only with --listings or a key that allows more.',
  ])
}

/** The shortest cadence in minutes that holds for all sources; null where this one does. */
export const leastCadence = (costs: MonthlyCosts): number | null =>
  max(costs, ({ leastMinutes }) => leastMinutes) ?? null
