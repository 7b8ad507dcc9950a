import * as z from 'zod'
import type { Asset } from '../contract/asset.ts'
import { Day } from '../contract/changes.ts'
import { roundPercent } from '../contract/numbers.ts'
import { readJson } from '../contract/read-json.ts'
import { entriesOfText } from '../contract/text.ts'
import { dayIn } from '../contract/time.ts'
import { Totals, type TotalsRow, totalsFile, totalsGroup } from '../contract/whole-market.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { isCounted, totalsOf } from '../feed/totals.ts'
import type { Keyed } from './keyed.ts'
import type { LastDocuments } from './last-series.ts'

/** Number of days that the totals of a group go back. */
const TOTALS_DAYS = 731

/** Totals of a world without a past. */
export const NO_TOTALS: Keyed<Totals> = {
  keys: [],
  isChanged: () => false,
  of: (group) => ({ group, count: 0, rows: [] }),
}

/** Extends the totals of the market, of each category and of each chain by a row, on the first run of a UTC day. */
export function extendedTotals(snapshot: Snapshot, { files, last }: LastDocuments): Keyed<Totals> {
  const today = dayIn(snapshot.at)
  const groups = groupsOf(snapshot)
  // A group without a listing today may have some tomorrow, and keeps its days.
  const keys = new Set([...groups.keys(), ...files.flatMap((file) => totalsGroup(file) ?? [])])
  const textOf = (group: string) => last.read(totalsFile(group))
  // The clock of a run may be behind.
  const isChanged = (group: string) => groups.has(group) && newestDay(textOf(group) ?? '') < today
  return {
    keys: [...keys],
    isChanged,
    of(group) {
      const known = readJson(textOf(group), Totals)?.rows ?? []
      const assets = groups.get(group)?.()
      const rows = assets && isChanged(group) ? [...known, rowOf(today, assets)] : known
      const kept = rows.slice(-TOTALS_DAYS)
      return { group, count: kept.length, rows: kept }
    },
  }
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

const Dated = z.object({ day: Day })

/** Returns the day of the last row of a printed document, without parsing the rows before it; `''` if there is none. */
const newestDay = (text: string): string => readJson(entriesOfText(text)?.entries.at(-1) ?? null, Dated)?.day ?? ''

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
