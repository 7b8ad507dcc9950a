import * as z from 'zod'
import { Daily, dailyFile } from '../contract/daily.ts'
import { RatesOfYearMembers, ratesYear } from '../contract/rates.ts'
import { readJson } from '../contract/read-json.ts'
import { ofYear } from '../history/past-rates.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'

const OfYear = z.object(RatesOfYearMembers)

/** Compares the daily bars of a listing with themselves: each day has a whole bar or none. */
export async function compareDaily(slug: string, read: TreeReader, comparison: Comparison): Promise<void> {
  const file = dailyFile(slug)
  const daily = readJson(await read(file), Daily)
  if (daily === null) return
  const { columns } = daily
  const { open_usd, close_usd, venues } = columns
  const bounded = (column: readonly (number | null)[], bound: (...prices: readonly number[]) => number) =>
    column.map((price, at) =>
      venues[at] === 0 || price === null ? null : bound(price, open_usd[at] ?? price, close_usd[at] ?? price),
    )
  const compare = comparison.membersOf(file, columns, 'columns')
  compare({ close_usd: bounded(close_usd, (price) => price) }, 'a day that no venue has is null')
  compare({ high_usd: bounded(columns.high_usd, Math.max) }, 'no price of the day is above the high')
  compare({ low_usd: bounded(columns.low_usd, Math.min) }, 'no price of the day is below the low')
  const missing = venues.filter((count) => count === 0).length
  comparison.membersOf(file, daily)({ slug, missing }, 'the days without a venue')
}

/** Compares the rates of past days with their own order, days and spans. A tree without rates has nothing to compare. */
export async function comparePastRates(
  files: readonly string[],
  read: TreeReader,
  comparison: Comparison,
): Promise<void> {
  for (const file of files) {
    const year = ratesYear(file)
    if (year === null) continue
    // eslint-disable-next-line no-await-in-loop -- a year may be a megabyte, and one at a time is all that is held
    const published = readJson(await read(file), OfYear)
    if (published === null) continue
    const own = published.rows.filter(({ day }) => day.startsWith(year))
    comparison.membersOf(file, published)({ ...ofYear(year, own) }, 'the rows of the year, in order')
  }
}
