import { type Distribution, type Validation, validationOf } from '../feed/validation.ts'
import type { Listing } from '../feed/listing.ts'

/** How far one false or missing source moves the prices of a tree. */
export type FragilitySummary = Validation

/** Computes the summary from profiles and market rows alone. */
export const fragilitySummary = (listings: readonly Listing[], distrusted: ReadonlySet<string>): FragilitySummary =>
  validationOf(listings, distrusted)

const MOST_FRAGILE = 10

const moves = (moves: Distribution | null): string =>
  moves === null
    ? 'no asset'
    : `median ${moves.p50}, 95 % below ${moves.p95}, 99 % below ${moves.p99}, at most ${moves.most} bp`

/** Formats the summary as lines: the distributions, the aggregators, the methods, and the most fragile prices. */
export function fragilityLines({ lies, leftOut, aggregators, methods, rows }: FragilitySummary): string[] {
  const fragile = rows.toSorted((a, b) => b.lie_5_bp - a.lie_5_bp).slice(0, MOST_FRAGILE)
  return [
    'Price moves if the most influential source misreports, a venue with unlimited volume:',
    ...lies.map(
      ({ lie_percent, witnesses_least, assets, moves_bp }) =>
        `  by ${lie_percent} %, ${assets} assets with ${witnesses_least} or more sources: ${moves(moves_bp)}`,
    ),
    `If it is left out, ${leftOut.assets} assets: ${moves(leftOut.moves_bp)}`,
    'Distance of the aggregators from the prices of venues:',
    ...aggregators.map(
      ({ source_id, assets, median_bp, p95_bp, most_bp, furthest }) =>
        `  ${source_id}, ${assets} assets: median ${median_bp}, 95 % below ${p95_bp}, at most ${most_bp} bp at ${furthest}`,
    ),
    'Price methods:',
    ...methods.map(
      ({ method, listings, volume_percent }) => `  ${method}: ${listings} listings, ${volume_percent} % of the volume`,
    ),
    'Most fragile prices, at 5 %:',
    ...fragile.map(
      ({ slug, lie_5_bp, witnesses, method }) => `  ${slug}: ${lie_5_bp} bp, ${witnesses} sources, ${method}`,
    ),
  ]
}
