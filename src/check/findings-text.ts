import { visibleLines } from '../contract/visible.ts'
import { sum } from '../feed/statistics.ts'
import type { Finding } from './deviation.ts'
import { fragilityLines } from './fragility-summary.ts'
import type { Probed } from './probe.ts'
import type { Verification } from './verify.ts'

/** Formats a finding: what differs, and what to do about it. */
function findingLines({ check, severity, document, member, published, recomputed, rule, advice }: Finding) {
  const [was, is] = [published, recomputed].map((value) => JSON.stringify(value) ?? 'nothing')
  const place = member === '' ? document : `${document} ${member}`
  return [
    `${severity ?? 'error'} ${check}: ${place}: published ${was}, recomputed ${is} (${rule})`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
  ]
}

const MOST_FINDINGS = 50

/** Formats findings, and below them what else is to be said. */
export const reportText = (findings: readonly Finding[], summary: readonly string[]): string =>
  visibleLines([
    ...findings.slice(0, MOST_FINDINGS).flatMap(findingLines),
    ...(findings.length > MOST_FINDINGS ? [`and ${findings.length - MOST_FINDINGS} more; --json prints them all`] : []),
    ...summary,
  ])

/** Formats what testing a site says beside its findings. */
export const probedLines = ({ answers, missing, findings }: Probed): string[] => [
  ...(missing.length === 0 ? [] : [`This kind of host need not have, and has not: ${missing.join(', ')}`]),
  `${sum(Object.values(answers))} answers tested, ${findings.length} failed`,
]

/** Formats what a verification says beside its findings. */
export function verificationLines({
  listings,
  figures,
  told,
  fragility,
  findings,
  snapshotId,
}: Verification): string[] {
  const words = sum(Object.values(told))
  const notices = findings.filter(({ severity }) => severity === 'notice').length
  return [
    ...fragilityLines(fragility),
    ...(words > 0 ? [`${words} figures are published as a source reports them: ${Object.keys(told).join(', ')}`] : []),
    `${figures} figures and files of ${listings} listings checked, ${findings.length - notices} errors, ${notices} notices; ` +
      `snapshot ${snapshotId ?? 'unknown'}`,
  ]
}
