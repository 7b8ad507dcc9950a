import { AssetRow, MarketsRow } from '../contract/asset.ts'
import { decimal } from '../contract/numbers.ts'
import { API_FOLDER } from '../contract/words.ts'
import type { Attachments } from '../endpoints/attachment.ts'

/** A program for tables takes a text that begins so for a formula, and what names a listing comes from outside. */
const FORMULA = /^[=+\-@\t\r]/

/** Parts of a list in one cell: `ethereum:0xab solana:Fb`. */
function wordOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'chain' in value && 'address' in value)
    return `${String(value.chain)}:${String(value.address)}`
  return String(value).replaceAll(' ', '_')
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((part) => wordOf(part)).join(' ')
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}=${String(member)}`)
    .join(' ')
}

/**
 * One value as a cell of RFC 4180. Unknown is empty, a list its parts with a space between, and a text that could be taken
 * for a formula stands behind an apostrophe.
 */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return decimal(value)
  const text = textOf(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows as RFC 4180 with a header. */
export function csv(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','))
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

/** The lists as tables, beside their JSON and in its order. */
export const csvFiles: Attachments = ({ listed }) => {
  const assets = listed.map(({ asset }) => asset)
  return [
    { path: `${API_FOLDER}/assets.csv`, text: csv(Object.keys(AssetRow.shape), assets) },
    { path: `${API_FOLDER}/markets.csv`, text: csv(Object.keys(MarketsRow.shape), assets) },
  ]
}
