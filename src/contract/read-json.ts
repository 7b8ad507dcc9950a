import type * as z from 'zod'

/** Returns the value of a JSON text, or undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // JSON has no undefined, so the caller can tell.
    return undefined
  }
}

/** Parses a JSON text by its schema. Returns null if it is missing, not JSON, or does not match the schema. */
export function readJson<Schema extends z.ZodType>(text: string | null, schema: Schema): z.infer<Schema> | null {
  if (text === null) return null
  const result = schema.safeParse(parseJson(text))
  return result.success ? result.data : null
}

/** Whether a value is an object or an array, so that its members can be read. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
