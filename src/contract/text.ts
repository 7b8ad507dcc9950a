import { decimal } from './numbers.ts'

/** What an answer is made of: JSON without dates, functions or undefined. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/** A value as JSON holds it: what JSON has no word for is null. */
export function jsonOf(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(jsonOf)
  return typeof value === 'object' && value !== null ? membersOf(value) : null
}

/** An object as JSON holds it. */
export const membersOf = (value: object): { readonly [member: string]: Json } =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]))

// JSON.stringify prints small and very large numbers with an exponent; a string may hold such text too, so this only
// tells that a closer look is due.
const MAY_HOLD_EXPONENT = /\de[+-]\d/

/** One value on one line, in plain decimals. */
export function printValue(value: unknown): string {
  const quick = JSON.stringify(value)
  return MAY_HOLD_EXPONENT.test(quick) ? spell(value) : quick
}

function spell(value: unknown): string {
  if (typeof value === 'number') return decimal(value)
  if (Array.isArray(value)) return `[${value.map(spell).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${spell(member)}`)
    .join(',')}}`
}

/**
 * An answer as it is published: envelope members first, one a line; `rows` last, one row a line; a final newline. Keys
 * keep the order they have. So an answer compresses well, a changed row is one changed line, and {@link cut} works.
 */
export function print(answer: Readonly<Record<string, unknown>>): string {
  const { rows, ...head } = answer
  const members = Object.entries(head).map(([name, value]) => `${JSON.stringify(name)}:${printValue(value)}`)
  if (!Array.isArray(rows)) return `{${members.join(',\n')}}\n`
  const list = rows.length === 0 ? '' : `\n${rows.map(printValue).join(',\n')}\n`
  return `{${members.join(',\n')},\n"rows":[${list}]}\n`
}

const ROWS = '\n"rows":[\n'
const COUNT = /\n"count":\d+,/

/**
 * The printed answer after its first `most` rows, with `count` set right: the text that {@link print} gives of the
 * shorter list, without parsing. `most` is 1 or more. A text without rows comes back as it is.
 */
export function cut(text: string, most: number): string {
  const start = text.indexOf(ROWS)
  if (start < 0) return text
  let end = start + ROWS.length - 1
  for (let row = 0; row < most; row++) {
    const next = text.indexOf('\n', end + 1)
    if (next < 0 || text.startsWith(']}', next + 1)) return text
    end = next
  }
  const head = text.slice(0, start).replace(COUNT, `\n"count":${most},`)
  return `${head}${text.slice(start, end - 1)}\n]}\n`
}
