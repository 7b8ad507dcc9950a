import { decimal } from './numbers.ts'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }

/** Returns a value as JSON. Values that JSON cannot represent become null. */
export function jsonOf(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(jsonOf)
  return typeof value === 'object' && value !== null ? membersOf(value) : null
}

/** Returns an object as JSON, see {@link jsonOf}. */
export const membersOf = (value: object): { readonly [member: string]: Json } =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name, jsonOf(member)]))

// JSON.stringify prints very small and very large numbers with an exponent. A string may contain such text too, so a
// match only selects the slow path.
const MAY_HOLD_EXPONENT = /\de[+-]\d/

/** Returns a value as JSON on one line, with numbers in plain decimals. */
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
 * Returns an answer as it is published: envelope members first, one per line; `rows` last, one row per line; a final
 * newline. Keys keep their order. This compresses well, makes a changed row one changed line, and lets {@link cut} work
 * on the text.
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
 * Returns a printed answer limited to its first `most` (1 or more) rows, with `count` adjusted. The result equals
 * {@link print} of the shorter list, without parsing. A text without rows is returned unchanged.
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
