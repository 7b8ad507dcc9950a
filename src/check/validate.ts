import pLimit from 'p-limit'
import * as z from 'zod'
import { AssetRow } from '../contract/asset.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { visibleLines } from '../contract/visible.ts'
import { assets } from '../endpoints/assets.ts'
import { collector } from '../endpoints/collector.ts'
import { type Distribution, type Validation, distrustedVenues, validationOf } from '../feed/validation.ts'
import type { TreeReader } from '../tree/reader.ts'
import { Comparison, type Deviation } from './deviation.ts'
import { FILES_AT_ONCE, documentReader, listingOf } from './published-tree.ts'

/** A validation report computed from public files. */
export interface ValidationCheck {
  /** Null if one of its inputs is missing or invalid; `deviations` names it. */
  readonly report: Validation | null
  readonly deviations: readonly Deviation[]
}

const Collector = z.object({ ...CollectorMembers, rows: z.array(SourceRow) })
const Assets = z.object({ rows: z.array(AssetRow) })

/** Computes the validation report of a published tree from its profiles, market rows and collector alone. */
export async function validateTree(read: TreeReader): Promise<ValidationCheck> {
  const comparison = new Comparison()
  const document = documentReader(read, comparison)
  const [sources, list] = await Promise.all([
    document(fileOf(collector, {}), Collector),
    document(fileOf(assets, {}), Assets),
  ])
  const limit = pLimit(FILES_AT_ONCE)
  const found = await Promise.all((list?.rows ?? []).map(({ slug }) => limit(() => listingOf(document, slug))))
  const listings = found.flatMap((listing) => listing ?? [])
  if (!sources || !list || listings.length < list.rows.length)
    return { report: null, deviations: comparison.deviations }
  const report = validationOf(listings, distrustedVenues(sources.rows))
  return { report, deviations: comparison.deviations }
}

const LEAST_STABLE = 10

const moves = (moves: Distribution | null): string =>
  moves === null
    ? 'no asset'
    : `median ${moves.p50}, 95 % below ${moves.p95}, 99 % below ${moves.p99}, at most ${moves.most} bp`

/** Formats the report as text: the distributions, the aggregators, the methods, and the most fragile prices. */
export function validationText({ lies, leftOut, aggregators, methods, rows }: Validation): string {
  const fragile = rows.toSorted((a, b) => b.lie_5_bp - a.lie_5_bp).slice(0, LEAST_STABLE)
  return visibleLines([
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
  ])
}
