import { decimal } from './numbers.ts'

/**
 * Where spreadsheets read a formula: at the beginning, and after what divides cells in some countries. Names of listings are
 * outside text (owasp.org/www-community/attacks/CSV_Injection). Signs of full width count as the others.
 */
const FORMULA = /(^|[;|])(?=[=+\-@\t\r\n＝＋－＠])/g

/** What no spreadsheet takes for a formula, although it may begin with a sign. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/

/** Returns a list in one cell: `ethereum:0xab solana:Fb`. */
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

/** Returns a cell of RFC 4180: unknown is empty, lists have spaces between, and a formula gets an apostrophe. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return decimal(value)
  const text = textOf(value)
  const safe = NUMBER.test(text) ? text : text.replace(FORMULA, "$1'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csv(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','))
  return [columns.map(cell).join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

/** A cell and what ends it. In quotes, it may have commas, line breaks and doubled quotes. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n][^,\r\n]*|))(,|\r\n|\n|\r|$)/gy

export function rowsOfCsv(text: string): Record<string, string>[] | null {
  const lines: string[][] = [[]]
  let end = 0
  const whole = text.replace(/^\uFEFF/, '')
  for (const { 0: match, 1: quoted, 2: plain = '', 3: ending, index } of whole.matchAll(CELL)) {
    lines.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    end = index + match.length
    if (ending === '') break
    if (ending !== ',') lines.push([])
  }
  if (end < whole.length) return null
  const [names = [], ...rows] = lines.filter((line) => line.some((value) => value !== ''))
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name.trim(), row[at] ?? ''])))
}
