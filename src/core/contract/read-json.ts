import type * as z from 'zod'

/** Maximum number of values in a JSON text. The largest document of 20,000 listings has 1.2 million. */
export const MOST_VALUES = 2_000_000

const [COMMA, LIST, OBJECT] = [0x2c, 0x5b, 0x7b]

/** Returns the number of members and elements of a JSON text. A list of nothing but `{}` takes twenty times its length. */
export function countValues(text: string): number {
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === LIST || code === OBJECT) values++
  }
  return values
}

/** Returns the value of a JSON text, or undefined if it is not JSON or has more than {@link MOST_VALUES} values. */
export function parseJson(text: string): unknown {
  // A value takes two characters at least.
  if (text.length > 2 * MOST_VALUES && countValues(text) > MOST_VALUES) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // JSON has no undefined, so the caller can tell.
    return undefined
  }
}

/** `abortEarly` is what zod's own `validate` sets: the faults of a long list take a kilobyte each. */
const FIRST_FAULT = { reportInput: false, abortEarly: true } as const

export const checked = <Schema extends z.ZodType>(value: unknown, schema: Schema) =>
  schema.safeParse(value, FIRST_FAULT)

export function readJson<Schema extends z.ZodType>(text: string | null, schema: Schema): z.infer<Schema> | null {
  if (text === null) return null
  const result = checked(parseJson(text), schema)
  return result.success ? result.data : null
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !Array.isArray(value)
