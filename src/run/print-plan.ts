import { visibleLines } from '../contract/visible.ts'
import { type MonthlyCost, QUOTA_PLAN } from './quotas.ts'

const count = (number: number): string => number.toLocaleString('en')

/** Returns what a cadence costs at each source, and the shortest cadence that holds if it does not. */
export function planText(costs: readonly MonthlyCost[], cadenceMs: number): string {
  const minutes = cadenceMs / 60_000
  const lines = costs.map(({ label, quota, perRun, perPeriod, leastMinutes }) => {
    if (quota === null) return `  ${label.padEnd(20)} no quota known; held to its pace`
    const share = Math.round((perPeriod / quota.requests) * 100)
    const cost = `${perRun} a run, ${count(perPeriod)} of ${count(quota.requests)} a ${quota.per} (${share} %)`
    return `  ${label.padEnd(20)} ${cost}${leastMinutes === null ? '' : `: too many, --cadence ${leastMinutes} holds`}`
  })
  const least = leastCadence(costs)
  return visibleLines([
    `Requests for lists at a run every ${minutes} minutes. Past prices and profiles take what the lists leave.`,
    ...lines,
    least === null
      ? `The schedule holds: every list fits in ${QUOTA_PLAN.share * 100} % of its quota.`
      : `The schedule does not hold. The shortest cadence that does is ${least} minutes: --cadence ${least}. Shorter ones ` +
        'work only with --listings or a key that allows more.',
  ])
}

/** The shortest cadence in minutes that holds for all sources; null where this one does. */
export const leastCadence = (costs: readonly MonthlyCost[]): number | null => {
  const least = costs.flatMap(({ leastMinutes }) => leastMinutes ?? [])
  return least.length === 0 ? null : Math.max(...least)
}
