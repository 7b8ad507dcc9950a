import * as z from 'zod'
import { PriceMethod } from './asset.ts'
import { ownListOf } from './envelope.ts'
import { Amount, Count, Percent, Slug } from './words.ts'

/** A distance between two prices, in hundredths of a percent. */
const BasisPoints = z
  .number()
  .nonnegative()
  .meta({ id: 'BasisPoints', description: 'Hundredths of a percent, 2 decimals.' })

/** Quantiles of the assets whose price has witnesses. */
export const Distribution = z
  .object({
    p50: BasisPoints,
    p90: BasisPoints,
    p95: BasisPoints,
    p99: BasisPoints,
    most: BasisPoints,
  })
  .meta({ id: 'Distribution', description: 'Nearest-rank quantiles over assets, and the largest value.' })
export type Distribution = z.infer<typeof Distribution>

export const ValidationRow = z
  .object({
    slug: Slug,
    method: PriceMethod,
    witnesses: Count.describe('Venues and aggregators with an opinion on the price.'),
    lie_2_bp: BasisPoints.describe('How far the price moves at most when one witness lies by 2 % with endless volume.'),
    lie_5_bp: BasisPoints.describe('The same for a lie of 5 %: `price_basis.fragility_bp`.'),
    lie_30_bp: BasisPoints.describe('The same for a lie of 30 %.'),
    left_out_bp: BasisPoints.nullable().describe(
      'How far it moves at most when one witness is left out; null: no other.',
    ),
    left_out: z.string().nullable().describe('`source_id` of that witness.'),
  })
  .meta({ id: 'ValidationRow', description: 'How far single witnesses can move the price of one asset.' })
export type ValidationRow = z.infer<typeof ValidationRow>

export const ValidationMembers = {
  lies: z
    .array(
      z.object({
        lie_percent: Percent.describe('How far the witness lies, upwards or downwards.'),
        witnesses_least: Count.describe('Assets with at least this many witnesses.'),
        assets: Count,
        moves_bp: Distribution.nullable().describe('Null: no such asset.'),
      }),
    )
    .describe('Moves of the price under the worst lie of one witness.'),
  leftOut: z
    .object({ assets: Count, moves_bp: Distribution.nullable() })
    .describe('Moves of the price without the witness that matters most.'),
  aggregators: z
    .array(
      z.object({
        source_id: z.string(),
        assets: Count.describe('Assets that it prices and venues price too.'),
        median_bp: BasisPoints.nullable(),
        p95_bp: BasisPoints.nullable(),
        most_bp: BasisPoints.nullable(),
        furthest: Slug.nullable().describe('The asset of `most_bp`.'),
      }),
    )
    .describe('How far each aggregator is from the prices that venues made.'),
  methods: z
    .array(
      z.object({
        method: PriceMethod,
        listings: Count,
        volume_24h_usd: Amount,
        volume_percent: Percent.describe('Share of the volume of all listings.'),
      }),
    )
    .describe('What the prices of the feed are made of.'),
  ...ownListOf(ValidationRow),
} as const
