import { closesFile, coinsIn } from '../core/contract/closes.ts'
import { RATE_OF_DAY, type RatesOfSource, ratesOfCloses, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import { RatesOfSource as Row, ratesFile } from '../core/contract/rates.ts'
import { readJson } from '../core/contract/read-json.ts'
import { entriesOfText, textIn } from '../core/contract/text.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import type { TreeReader } from '../core/tree/reader.ts'

/**
 * Returns the rates of a day from the published documents, of its years and of the closes of coins, and when the newest of
 * them changed; null without any.
 */
export async function ratesOfDayIn(reader: TreeReader, day: string) {
  const days = Array.from({ length: RATE_OF_DAY.bank_days + 1 }, (_, age) => dayOf(Date.parse(day) - age * DAY_MS))
  const own = days.slice(0, RATE_OF_DAY.own_days + 1)
  const read = async (file: string) => (await reader(file)) ?? ''
  const [years, closes] = await Promise.all([
    Promise.all(yearsOf(day).map((year) => read(ratesFile(year)))),
    Promise.all(own.map((one) => read(closesFile(one)))),
  ])
  const rows = [
    ...years.flatMap((text) => ratesIn(text, days)),
    ...own.map((one, place) => ratesOfCloses(one, coinsIn(closes[place] ?? ''))),
  ]
  const rates = ratesOn(rows, day)
  const times = [...years, ...closes].flatMap((text) => textIn(text, 'timestamp') ?? [])
  const timestamp = times.toSorted().at(-1)
  // The dollar alone is no rate.
  return timestamp === undefined || rates.size < 2 ? null : { rows: [...rates.values()], timestamp }
}

/** Returns the rates of some days in a printed year, without parsing the others. */
function ratesIn(text: string, days: readonly string[]): RatesOfSource[] {
  const wanted = new Set(days.map((day) => `{"day":"${day}"`))
  const entries = entriesOfText(text)?.entries ?? []
  return entries
    .filter((entry) => wanted.has(entry.slice(0, '{"day":"2026-01-31"'.length)))
    .flatMap((entry) => readJson(entry, Row) ?? [])
}
