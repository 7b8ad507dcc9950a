import type * as z from 'zod'

/** Parses a JSON text by its schema. Returns null if it is missing, not JSON, or does not match the schema. */
export function readJson<Schema extends z.ZodType>(text: string | null, schema: Schema): z.infer<Schema> | null {
  if (text === null) return null
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    // Damaged documents are expected. The caller decides what to do without one.
    return null
  }
}
