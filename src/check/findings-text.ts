import { visibleLines } from '../core/contract/visible.ts'
import { sum } from '../core/feed/statistics.ts'
import type { Finding } from './deviation.ts'
import type { Probed } from './probe.ts'
import type { Verification } from './verify.ts'

const MOST_FRAGILE = 10

function fragilityLines(prices: Verification['fragility']): string[] {
  const [most] = prices
  if (!most) return []
  const below = (share: number) => prices[prices.length - Math.ceil(share * prices.length)]?.fragility_bp
  return [
    'Price moves if the most influential source misreports by 5 %, a venue with unlimited volume:',
    `  ${prices.length} assets: median ${below(0.5)}, 95 % below ${below(0.95)}, 99 % below ${below(0.99)}, ` +
      `at most ${most.fragility_bp} bp`,
    'Most fragile prices:',
    ...prices.slice(0, MOST_FRAGILE).map(({ slug, fragility_bp }) => `  ${slug}: ${fragility_bp} bp`),
  ]
}

function findingLines({ check, severity, document, member, published, recomputed, rule, advice }: Finding) {
  const [was, is] = [published, recomputed].map((value) => JSON.stringify(value) ?? 'nothing')
  const place = member === '' ? document : `${document} ${member}`
  return [
    `${severity ?? 'error'} ${check}: ${place}: published ${was}, recomputed ${is} (${rule})`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
  ]
}

const MOST_FINDINGS = 50

export const reportText = (findings: readonly Finding[], summary: readonly string[]): string =>
  visibleLines([
    ...findings.slice(0, MOST_FINDINGS).flatMap(findingLines),
    ...(findings.length > MOST_FINDINGS ? [`and ${findings.length - MOST_FINDINGS} more; --json prints them all`] : []),
    ...summary,
  ])

export const probedLines = ({ answers, missing, findings }: Probed): string[] => [
  ...(missing.length === 0 ? [] : [`This kind of host need not have, and has not: ${missing.join(', ')}`]),
  `${sum(Object.values(answers))} answers tested, ${findings.length} failed`,
]

export function verificationLines({ fragility, findings, figures, files, listings, at }: Verification): string[] {
  const notices = findings.filter(({ severity }) => severity === 'notice').length
  return [
    ...fragilityLines(fragility),
    `${figures} figures and ${files} files of ${listings} listings checked, ${findings.length - notices} errors, ` +
      `${notices} notices; snapshot of ${at ?? 'an unknown time'}`,
  ]
}
