import * as z from 'zod'
import { closesFile, coinsIn } from '../core/contract/closes.ts'
import { type Currency, convertPrice, convertRow } from '../core/contract/conversion.ts'
import { isOfDay } from '../core/contract/endpoint-spec.ts'
import { decimal } from '../core/contract/numbers.ts'
import { RATE_OF_DAY, ratesOfCloses, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import { type RateOfDay, RateRow, RatesOfSource, ratesFile } from '../core/contract/rates.ts'
import { readJson } from '../core/contract/read-json.ts'
import { type PrintedEntries, entriesOfText, printValue, textIn, textOfEntries } from '../core/contract/text.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { Timestamp } from '../core/contract/words.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import { type DocumentRequest, RequestError } from './resolve.ts'

interface Conversion {
  readonly rate: z.infer<typeof RateRow> | RateOfDay
  readonly timestamp: string
}

const Rates = z.object({ timestamp: Timestamp, rows: z.array(RateRow) })
const Row = z.record(z.string(), z.unknown())

/** Returns the rate of a currency for an answer, of now or of its day. @throws RequestError if it has none */
export async function conversionTo(
  currency: string,
  { spec, key }: Pick<DocumentRequest, 'spec' | 'key'>,
  read: TreeReader,
): Promise<Conversion> {
  const rates = isOfDay(spec)
    ? await ratesOfDayIn(read, String(key['day']))
    : readJson(await read(`${API_FOLDER}/rates.json`), Rates)
  if (rates === null) throw new RequestError(spec.name, 'unavailable', 'No rates are published. Try again later.')
  const bySymbol = new Map(rates.rows.map((rate) => [rate.symbol.toLowerCase(), rate]))
  const rate = bySymbol.get(currency)
  if (rate) return { rate, timestamp: rates.timestamp }
  const message = 'vs has an invalid value: there is no rate for this currency.'
  const allowed = [...bySymbol.keys()].toSorted()
  throw new RequestError(spec.name, 'invalid_parameter', message, { parameter: 'vs', allowed })
}

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
  // Most entries of a year are of other days, and are not parsed.
  const wanted = new Set(days.map((one) => `{"day":"${one}"`))
  const isNear = (entry: string) => wanted.has(entry.slice(0, '{"day":"2026-01-31"'.length))
  const entries = years.flatMap((text) => (entriesOfText(text)?.entries ?? []).filter(isNear))
  const rows = [
    ...entries.flatMap((entry) => readJson(entry, RatesOfSource) ?? []),
    ...own.map((one, place) => ratesOfCloses(one, coinsIn(closes[place] ?? ''))),
  ]
  const rates = ratesOn(rows, day)
  const times = [...years, ...closes].flatMap((text) => textIn(text, 'timestamp') ?? [])
  const timestamp = times.toSorted().at(-1)
  // The dollar alone is no rate.
  return timestamp === undefined || rates.size < 2 ? null : { rows: [...rates.values()], timestamp }
}

/**
 * Returns a printed answer with the selected entries, of those the first `most`, in another currency. Its time is that of
 * the document or of the rates, whichever changed last.
 */
export function computedText(
  text: string,
  slugs: readonly string[] | null,
  most: number,
  conversion: Conversion | null,
): string {
  const parts = entriesOfText(text)
  if (parts === null) return text
  const wanted = slugs && new Set(slugs)
  const selected = wanted ? parts.entries.filter((entry) => wanted.has(slugOf(entry))) : parts.entries
  const entries = selected.slice(0, most)
  const found = new Set(wanted ? selected.map(slugOf) : [])
  const added = [
    ...(conversion ? [`"vs":${printValue(conversion.rate.symbol.toLowerCase())}`] : []),
    ...(conversion ? [`"rate":${printValue(conversion.rate)}`] : []),
    ...(slugs ? [`"missing":${printValue(slugs.filter((slug) => !found.has(slug)))}`] : []),
  ]
  const members = parts.members.map((member) => changed(member, entries.length, conversion?.timestamp ?? ''))
  return textOfEntries({
    ...parts,
    members: [...members, ...added],
    entries: conversion ? entries.map((entry) => converted(entry, parts.name, conversion.rate)) : entries,
  })
}

/** The slug of a row, or the name of a price. Only the equal `asset_id` precedes it in a row. */
const SLUG = /^(?:\{"asset_id":)?"([a-z0-9-]+)"/

const slugOf = (entry: string): string => SLUG.exec(entry)?.[1] ?? ''

function changed(member: string, count: number, at: string): string {
  if (member.startsWith('"count":')) return `"count":${count}`
  const timestamp = textIn(`\n${member}`, 'timestamp')
  return timestamp !== null && timestamp < at ? `"timestamp":"${at}"` : member
}

function converted(entry: string, name: PrintedEntries['name'], rate: Currency): string {
  if (name === 'rows') return printValue(convertRow(Row.parse(JSON.parse(entry)), rate))
  const colon = entry.lastIndexOf(':')
  return `${entry.slice(0, colon)}:${decimal(convertPrice(Number(entry.slice(colon + 1)), rate))}`
}
