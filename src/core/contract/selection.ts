import { type Currency, convertPrice, convertRow } from './conversion.ts'
import { isRecord } from './read-json.ts'

interface Selection {
  /** Slugs of the entries; null: all. Those without an entry are `missing`. */
  readonly slugs?: readonly string[] | null
  /** Maximum number of entries. */
  readonly most?: number | undefined
  /** Currency that amounts are converted to, and the time of its rate. */
  readonly conversion?: { readonly rate: Currency; readonly timestamp: string } | null
  /** Slugs of the `prices`, where their order counts: an object sorts names like integers first. */
  readonly order?: readonly string[] | undefined
}

/**
 * Returns an answer with some of its rows or prices, and with their amounts in a currency. Its time is that of the data or of
 * the rate, whichever changed last. An answer of which all is wanted, or without rows and prices, is returned as it is.
 */
export function selectionOf<Answer extends { readonly timestamp?: unknown }>(
  answer: Answer,
  { slugs = null, most = Infinity, conversion = null, order }: Selection,
) {
  const all = slugEntries(answer, order)
  if (all === null || (slugs === null && conversion === null && all.length <= most)) return answer
  const own = slugs === null ? all : all.filter(([slug]) => slugs.includes(slug))
  const found = new Set(own.map(([slug]) => slug))
  const entries = own
    .slice(0, most)
    .map(([slug, entry]) => [slug, conversion ? converted(entry, conversion.rate) : entry] as const)
  const later = conversion !== null && conversion.timestamp > String(answer.timestamp)
  return {
    ...answer,
    count: entries.length,
    ...('prices' in answer ? { prices: Object.fromEntries(entries) } : { rows: entries.map(([, row]) => row) }),
    ...(later && { timestamp: conversion.timestamp }),
    ...(conversion && { vs: conversion.rate.symbol.toLowerCase(), rate: conversion.rate }),
    ...(slugs && { missing: slugs.filter((slug) => !found.has(slug)).toSorted() }),
  }
}

/** Returns the rows or prices of an answer, each with its slug; null for an answer without them. */
export function slugEntries(answer: object, order?: readonly string[]): readonly (readonly [string, unknown])[] | null {
  if ('rows' in answer && Array.isArray(answer.rows))
    return answer.rows.map((row: unknown) => [isRecord(row) ? String(row['slug']) : '', row])
  if (!('prices' in answer && isRecord(answer.prices))) return null
  const { prices } = answer
  return order?.map((slug) => [slug, prices[slug]] as const) ?? Object.entries(prices)
}

function converted(entry: unknown, rate: Currency): unknown {
  if (isRecord(entry)) return convertRow(entry, rate)
  return typeof entry === 'number' ? convertPrice(entry, rate) : entry
}

/** Returns the members of an answer with the rows whose `member` has the value, or null if no row has it. */
export function pickedRows<Row extends object>(all: readonly Row[], member: keyof Row, value: unknown) {
  const rows = all.filter((row) => row[member] === value)
  return rows.length === 0 ? null : { ambiguous: rows.length > 1, count: rows.length, rows }
}
