import { fragilityLines } from './fragility-summary.ts'
import type { Finding, Verification } from './verify.ts'

/** Formats a finding: what differs, and what to do about it. */
export function findingLines({ check, severity, document, member, published, recomputed, rule, advice }: Finding) {
  const [was, is] = [published, recomputed].map((value) => JSON.stringify(value) ?? 'nothing')
  const place = member === '' ? document : `${document} ${member}`
  return [
    `${severity ?? 'error'} ${check}: ${place}: published ${was}, recomputed ${is} (${rule})`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
  ]
}

/** Formats what a verification says beside its findings. */
export function verificationLines({
  listings,
  figures,
  told,
  fragility,
  findings,
  snapshotId,
}: Verification): string[] {
  const words = Object.values(told).reduce((total, count) => total + count, 0)
  const notices = findings.filter(({ severity }) => severity === 'notice').length
  return [
    ...fragilityLines(fragility),
    ...(words > 0 ? [`${words} figures are published as a source reports them: ${Object.keys(told).join(', ')}`] : []),
    `${figures} figures and files of ${listings} listings checked, ${findings.length - notices} errors, ${notices} notices; ` +
      `snapshot ${snapshotId ?? 'unknown'}`,
  ]
}
