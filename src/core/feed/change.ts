import { by } from '../contract/order.ts'
import { type Asset, type ChangeBasis, NO_CHANGE, type WeekBasis } from '../contract/asset.ts'
import { roundPercent } from '../contract/numbers.ts'
import { centralMean } from './statistics.ts'

/** A past price of a listing, with the start of the bucket that it is of. */
export interface EarlierPrice {
  readonly timestamp: string
  readonly price_usd: number
}

/** Our own prices of a listing in the last day; null: unknown. */
export interface PastPrices {
  /** That of a day before the run, if a run saw that hour. Without it, the 24-hour change is that of the sources. */
  readonly dayAgo: EarlierPrice | null
  readonly oldest: number | null
}

/** The change of a pair in one of these is one of dollars, as far as a stablecoin is a dollar over a day. */
export const DOLLAR_QUOTES = new Set(['USD', 'USDT', 'USDC', 'BUSD', 'FDUSD', 'TUSD', 'DAI'])

export function recomputeChange(
  { method, price_usd: then, sources }: ChangeBasis,
  { price_usd, percent_change_24h }: Pick<Asset, 'price_usd' | 'percent_change_24h'>,
): number | null {
  if (method === 'carried') return percent_change_24h
  if (method === 'history')
    return then === null || price_usd === null ? null : roundPercent((price_usd / then - 1) * 100)
  const mean = centralMean(sources.map((source) => ({ value: source.percent_change_24h, weight: 1 })))
  return Number.isNaN(mean) ? null : roundPercent(mean)
}

export const recomputeWeek = ({ method, price_usd: then }: WeekBasis, price_usd: number | null): number | null =>
  method !== 'history' || then === null || price_usd === null ? null : roundPercent((price_usd / then - 1) * 100)

export function changeBasis(
  price_usd: number | null,
  dayAgo: EarlierPrice | null,
  witnesses: ChangeBasis['sources'],
): ChangeBasis {
  if (price_usd !== null && dayAgo !== null)
    return { method: 'history', since: dayAgo.timestamp, price_usd: dayAgo.price_usd, sources: [] }
  if (witnesses.length === 0) return NO_CHANGE
  const sources = witnesses
    .map((witness) => ({ ...witness, percent_change_24h: roundPercent(witness.percent_change_24h) }))
    .toSorted(by((row) => row.source_id))
  return { method: 'witnesses', since: null, price_usd: null, sources }
}
