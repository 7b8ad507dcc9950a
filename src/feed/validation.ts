import { compare, byKey } from '../contract/order.ts'
import { groupBy } from './group-by.ts'
import type { Asset, PriceMethod } from '../contract/asset.ts'
import type { SourceRow } from '../contract/collector.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { FRAGILITY, fragilitiesOf, withoutWitness } from './fragility.ts'
import type { Listing } from './listing.ts'
import { type Evidence, publishedEvidence, venueWitnesses } from './price.ts'
import { sum } from './statistics.ts'

/** The numbers of the report. */
const VALIDATION = {
  rule:
    'For every asset with a price of this run: how far the price moves when the witness that moves it most lies by 2, 5 and ' +
    '30 %, upwards or downwards, a venue with endless volume; and when one witness is left out. Quantiles are nearest-rank. ' +
    'Aggregators are compared with the prices that venues made.',
  small_lie_percent: 2,
  large_lie_percent: 30,
  many_witnesses: 5,
} as const

/** Nearest-rank quantiles over assets and the largest value, in basis points. */
export interface Distribution {
  readonly p50: number
  readonly p90: number
  readonly p95: number
  readonly p99: number
  readonly most: number
}

/** How far single witnesses can move the price of one asset, in basis points. */
interface ValidationRow {
  readonly slug: string
  readonly method: PriceMethod
  /** Venues and aggregators with an opinion on the price. */
  readonly witnesses: number
  /** How far the price moves at most when one witness lies by 2 % with endless volume. */
  readonly lie_2_bp: number
  /** The same for a lie of 5 %: `price_basis.fragility_bp`. */
  readonly lie_5_bp: number
  readonly lie_30_bp: number
  /** How far it moves at most when one witness is left out; null: there is no other. */
  readonly left_out_bp: number | null
  /** `source_id` of that witness. */
  readonly left_out: string | null
}

/** How much the prices of a publication depend on single witnesses. */
export interface Validation {
  /** Moves under the worst lie of one witness, of assets with at least this many witnesses; null: there is no such asset. */
  readonly lies: readonly {
    readonly lie_percent: number
    readonly witnesses_least: number
    readonly assets: number
    readonly moves_bp: Distribution | null
  }[]
  /** Moves without the witness that matters most. */
  readonly leftOut: { readonly assets: number; readonly moves_bp: Distribution | null }
  /** How far each aggregator is from the prices that venues made; `furthest` is the asset of `most_bp`. */
  readonly aggregators: readonly {
    readonly source_id: string
    readonly assets: number
    readonly median_bp: number | null
    readonly p95_bp: number | null
    readonly most_bp: number | null
    readonly furthest: string | null
  }[]
  /** What the prices of the feed are made of. */
  readonly methods: readonly {
    readonly method: PriceMethod
    readonly listings: number
    readonly volume_24h_usd: number
    readonly volume_percent: number
  }[]
  readonly rows: readonly ValidationRow[]
}

/** The venues that were not believed in the run, by `source_id`. */
export const distrustedVenues = (sources: readonly SourceRow[]): ReadonlySet<string> =>
  new Set(sources.flatMap(({ source_id, price_factor }) => (price_factor === null ? [] : source_id)))

/**
 * Computes the validation report from published profiles and market rows alone.
 *
 * @param distrusted venues with a `price_factor` in `collector`
 */
export function validationOf(listings: readonly Listing[], distrusted: ReadonlySet<string>): Validation {
  const known = listings.flatMap(({ asset, markets }) => {
    const evidence = publishedEvidence(asset.price_basis, markets, { distrusted })
    const row = rowOf(asset, evidence)
    return row === null ? [] : [{ asset, evidence, row }]
  })
  const rows = known.map(({ row }) => row)
  const leftOut = rows.flatMap(({ left_out_bp }) => left_out_bp ?? [])
  return {
    lies: [1, VALIDATION.many_witnesses].flatMap((least) => liesAmong(rows, least)),
    leftOut: { assets: leftOut.length, moves_bp: distributionOf(leftOut) },
    aggregators: aggregatorsOf(known),
    methods: methodsOf(listings.map(({ asset }) => asset)),
    rows,
  }
}

const LIES = [
  ['lie_2_bp', VALIDATION.small_lie_percent],
  ['lie_5_bp', FRAGILITY.lie_percent],
  ['lie_30_bp', VALIDATION.large_lie_percent],
] as const

/** One asset; null where its price was not made of witnesses in this run. */
function rowOf(
  { slug, price_usd, price_basis: { method, fragility_bp } }: Asset,
  evidence: Evidence,
): ValidationRow | null {
  if (price_usd === null || method === 'carried' || method === 'dex') return null
  const [small, large] = fragilitiesOf(evidence, [VALIDATION.small_lie_percent, VALIDATION.large_lie_percent]) ?? []
  if (small === undefined || large === undefined || fragility_bp === null) return null
  const removed = withoutWitness(evidence)
  return {
    slug,
    method,
    witnesses: venueWitnesses(evidence).length + evidence.aggregators.length,
    lie_2_bp: small,
    lie_5_bp: fragility_bp,
    lie_30_bp: large,
    left_out_bp: removed?.move_bp ?? null,
    left_out: removed?.source_id ?? null,
  }
}

function liesAmong(rows: readonly ValidationRow[], least: number): Validation['lies'] {
  const among = rows.filter(({ witnesses }) => witnesses >= least)
  return LIES.map(([member, lie_percent]) => ({
    lie_percent,
    witnesses_least: least,
    assets: among.length,
    moves_bp: distributionOf(among.map((row) => row[member])),
  }))
}

/** The nearest-rank quantiles of some moves; null of none. */
export function distributionOf(moves: readonly number[]): Distribution | null {
  if (moves.length === 0) return null
  const sorted = moves.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), most: at(1) }
}

interface Known {
  readonly asset: Asset
  readonly evidence: Evidence
}

function aggregatorsOf(known: readonly Known[]): Validation['aggregators'] {
  const deviations = known.flatMap(({ asset: { slug, price_usd, price_basis }, evidence }) =>
    price_usd === null || price_basis.method === 'aggregators'
      ? []
      : evidence.aggregators.map((opinion) => ({
          source_id: opinion.source_id,
          slug,
          bp: roundMoney(Math.abs(opinion.price_usd / price_usd - 1) * 10_000),
        })),
  )
  return [...groupBy(deviations, ({ source_id }) => source_id)].toSorted(byKey).map(([source_id, own]) => {
    const distances = distributionOf(own.map(({ bp }) => bp))
    return {
      source_id,
      assets: own.length,
      median_bp: distances?.p50 ?? null,
      p95_bp: distances?.p95 ?? null,
      most_bp: distances?.most ?? null,
      furthest: own.find(({ bp }) => bp === distances?.most)?.slug ?? null,
    }
  })
}

function methodsOf(assets: readonly Asset[]): Validation['methods'] {
  const volumeOf = (own: readonly Asset[]) => sum(own.map(({ volume_24h_usd }) => volume_24h_usd ?? 0))
  const total = volumeOf(assets)
  const methods = new Map<PriceMethod, Asset[]>(groupBy(assets, ({ price_basis }) => price_basis.method))
  return [...methods]
    .map(([method, own]) => ({
      method,
      listings: own.length,
      volume_24h_usd: roundMoney(volumeOf(own)),
      volume_percent: total === 0 ? 0 : roundPercent((volumeOf(own) / total) * 100),
    }))
    .toSorted((a, b) => b.volume_24h_usd - a.volume_24h_usd || compare(a.method, b.method))
}
