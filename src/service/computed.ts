import * as z from 'zod'
import { type Currency, convertPrice, convertRow } from '../core/contract/conversion.ts'
import { decimal } from '../core/contract/numbers.ts'
import type { RateOfDay } from '../core/contract/rate-of-day.ts'
import { RateRow } from '../core/contract/rates.ts'
import { readJson } from '../core/contract/read-json.ts'
import { type PrintedEntries, entriesOfText, printValue, textIn, textOfEntries } from '../core/contract/text.ts'
import { Timestamp } from '../core/contract/words.ts'
import type { Computation } from './resolve.ts'

const Rates = z.object({ timestamp: Timestamp, rows: z.array(RateRow) })
type Rates = z.infer<typeof Rates>

/** Returns the rates of a printed `/rates`; null if there are none. */
export const ratesIn = (text: string | null): Rates | null => readJson(text, Rates)

export interface Conversion {
  readonly rate: z.infer<typeof RateRow> | RateOfDay
  /** When the rates last changed. */
  readonly timestamp: string
}

const Row = z.record(z.string(), z.unknown())

/**
 * Returns a printed answer with the selected entries, of those the first `most`, in another currency. Its time is that of
 * the document or of the rates, whichever changed last.
 */
export function computedText(
  text: string,
  { slugs }: Computation,
  { most, conversion }: { readonly most: number; readonly conversion: Conversion | null },
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
