import { ascending, median, medianOfSorted } from './statistics.ts'

export const CONSENSUS = {
  rule:
    'Opinions agree when they lie within `agreement_percent` of their median. They have a majority when more than half of ' +
    'them do. An opinion is an outlier if its distance from the median of the majority exceeds both `deviations` median ' +
    'absolute deviations of the majority and `floor_percent`, or exceeds `most_percent`. Without a majority there are no ' +
    'outliers, and the opinions are split.',
  agreement_percent: 2.5,
  deviations: 10,
  floor_percent: 2,
  most_percent: 10,
} as const

/** `center`; whether more than half agree; and how far from it outliers begin: Infinity where there is no majority. */
export type Consensus = ReturnType<typeof consensusOf>

/** Whether two prices agree, as two opinions do that have each other as their only company. */
export const agree = (a: number, b: number): boolean =>
  Math.abs(a - b) <= (((a + b) / 2) * (2 * CONSENSUS.agreement_percent)) / 100

export function consensusOf(prices: readonly number[]) {
  const sorted = ascending(prices)
  const first = medianOfSorted(sorted)
  const tolerance = (first * CONSENSUS.agreement_percent) / 100
  const near = sorted.filter((price) => Math.abs(price - first) <= tolerance)
  if (near.length * 2 <= prices.length) return { center: first, majority: false, reach: Infinity }
  const center = medianOfSorted(near)
  const deviation = median(near.map((price) => Math.abs(price - center)))
  const reach = Math.min(
    (center * CONSENSUS.most_percent) / 100,
    Math.max(CONSENSUS.deviations * deviation, (center * CONSENSUS.floor_percent) / 100),
  )
  return { center, majority: true, reach }
}

/** Whether a price is within the reach of a consensus. */
export const within = ({ center, reach }: Consensus, price: number): boolean => Math.abs(price - center) <= reach
