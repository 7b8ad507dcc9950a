import type * as z from 'zod'

/** What a JSON text holds, as its schema has it; null where it is missing, is no JSON or does not fit the schema. */
export function readJson<Schema extends z.ZodType>(text: string | null, schema: Schema): z.infer<Schema> | null {
  if (text === null) return null
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    // Damage is expected here: the caller says what is done without the document.
    return null
  }
}
