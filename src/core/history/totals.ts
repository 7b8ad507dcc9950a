import type { Asset } from '../contract/asset.ts'
import { roundPercent } from '../contract/numbers.ts'
import { dayIn } from '../contract/time.ts'
import type { TotalsRow } from '../contract/whole-market.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { isCounted, totalsOf } from '../feed/totals.ts'
import type { Rows } from './rows.ts'

/** Number of days that the totals of a group go back. */
const TOTALS_DAYS = 731

/**
 * Returns the totals with a row of the day of a run, on the first run of a UTC day. A group without a listing today may have
 * some tomorrow, and keeps its days.
 */
export function extendTotals(known: Rows['totals'], snapshot: Snapshot): Rows['totals'] {
  const today = dayIn(snapshot.at)
  const totals = new Map(known)
  for (const [group, assets] of groupsOf(snapshot)) {
    const rows = totals.get(group) ?? []
    // The clock of a run may be behind.
    if ((rows.at(-1)?.day ?? '') >= today) continue
    totals.set(group, [...rows, rowOf(today, assets())].slice(-TOTALS_DAYS))
  }
  return totals
}

const groupsOf = ({ listed, categories, directory }: Snapshot): ReadonlyMap<string, () => readonly Asset[]> => {
  const all = listed.map(({ asset }) => asset)
  const ofChain = (id: string) => all.filter(({ contracts }) => contracts.some(({ chain }) => chain === id))
  return new Map([
    ['market', () => all],
    ...[...categories].map(([id, { assets }]) => [`category-${id}`, () => assets] as const),
    ...[...directory.chains.keys()].map((id) => [`chain-${id}`, () => ofChain(id)] as const),
  ])
}

/** Figures that a market cap is published of. */
const CAP_PARTS = ['market_cap_usd', 'price_usd', 'circulating_supply'] as const

function rowOf(day: string, assets: readonly Asset[]): TotalsRow {
  const counted = assets.filter(isCounted)
  const { market_cap_usd: cap, volume_24h_usd } = totalsOf(counted)
  const [largest] = counted.toSorted((a, b) => (b.market_cap_usd ?? 0) - (a.market_cap_usd ?? 0))
  return {
    day,
    ranked: counted.length,
    carried_count: counted.filter(({ carried }) => CAP_PARTS.some((name) => carried?.[name] !== undefined)).length,
    market_cap_usd: cap,
    volume_24h_usd,
    largest: largest?.slug ?? null,
    largest_percent: largest?.market_cap_usd && cap ? roundPercent((largest.market_cap_usd / cap) * 100) : null,
  }
}
