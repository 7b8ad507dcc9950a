import { decimal } from './numbers.ts'
import { isRecord } from './read-json.ts'

// JSON.stringify prints very small and very large numbers with an exponent. A string may contain such text too, so a
// match only selects the slow path.
const MAY_HOLD_EXPONENT = /\de[+-]\d/

/** Returns a value as JSON on one line, with numbers in plain decimals. */
export function printValue(value: unknown): string {
  const quick = JSON.stringify(value)
  return MAY_HOLD_EXPONENT.test(quick) ? spell(value) : quick
}

const printEach = (rows: readonly unknown[]): string => rows.map(printValue).join(',\n')

/**
 * Returns the rows of a list, one per line. JSON.stringify of all rows at once takes half the time of a call per row;
 * its text is split where a row begins. That is exact: each row begins with the same member, and as many places look
 * like the beginning of a row as there are.
 */
function printRows(rows: readonly unknown[]): string {
  const name = firstMember(rows[0])
  if (name === undefined || !rows.every((row) => firstMember(row) === name)) return printEach(rows)
  const quick = JSON.stringify(rows)
  const opening = `{${JSON.stringify(name)}:`
  const parts = quick.split(`},${opening}`)
  if (parts.length !== rows.length || MAY_HOLD_EXPONENT.test(quick)) return printEach(rows)
  return parts.join(`},\n${opening}`).slice(1, -1)
}

const firstMember = (row: unknown): string | undefined => (isRecord(row) ? Object.keys(row)[0] : undefined)

function spell(value: unknown): string {
  if (typeof value === 'number') return decimal(value)
  if (Array.isArray(value)) return `[${value.map(spell).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${spell(member)}`)
    .join(',')}}`
}

export const entriesIn = ({ rows, prices }: Readonly<Record<string, unknown>>): number | null =>
  Array.isArray(rows) ? rows.length : isRecord(prices) ? Object.keys(prices).length : null

/**
 * Returns an answer as it is published: envelope members first, one per line; `rows`, or the map `prices`, last, one
 * entry per line; a final newline. Keys keep their order. This compresses well, and makes a changed row one changed line.
 *
 * @param order names of the entries of `prices`, if their order counts: an object sorts integer-like names first
 */
export function print(answer: Readonly<Record<string, unknown>>, order?: readonly string[]): string {
  const { rows, prices, ...head } = answer
  const members = Object.entries(head).map(([name, value]) => `${JSON.stringify(name)}:${printValue(value)}`)
  if (Array.isArray(rows)) members.push(`"rows":[${onLines(printRows(rows))}]`)
  else if (isRecord(prices)) {
    const names = order?.filter((name) => Object.hasOwn(prices, name)) ?? Object.keys(prices)
    const printed = names.map((name) => `${JSON.stringify(name)}:${printValue(prices[name])}`)
    members.push(`"prices":{${onLines(printed.join(',\n'))}}`)
  }
  return `{${members.join(',\n')}}\n`
}

const onLines = (entries: string): string => (entries === '' ? '' : `\n${entries}\n`)
