import * as z from 'zod'
import { convertedName, isInDollars } from './conversion.ts'
import { RateOfDay, RateRow } from './rates.ts'

/** Members of an answer to `vs`. */
export const ConversionMembers = {
  vs: z.string().describe('Currency of the amounts: a symbol of `/rates` in lower case.'),
  rate: RateRow.describe('The rate of the conversion: US dollars for one unit of the currency.'),
} as const

/** Members of an answer to `vs` of a past day. */
export const PastConversionMembers = {
  vs: ConversionMembers.vs,
  rate: RateOfDay.describe('The rate of the conversion, and the day that it is of.'),
} as const

/** Member of an answer to `ids`. */
export const MissingMember = {
  missing: z.array(z.string()).optional().describe('Only with `ids`: slugs without a row in this answer.'),
} as const

const converted = (schema: z.ZodType): z.ZodType => {
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject)
    return z.array(convertedRow(schema.element))
  // A map of prices has no unit in its names.
  return schema
}

/** Built once per row: two schemas of one name cannot be described. */
const convertedRows = new WeakMap<z.ZodObject, z.ZodObject>()

function convertedRow(row: z.ZodObject): z.ZodObject {
  const known = convertedRows.get(row) ?? renamed(row)
  convertedRows.set(row, known)
  return known
}

function renamed(row: z.ZodObject): z.ZodObject {
  const { id = 'Row' } = z.globalRegistry.get(row) ?? {}
  const shape = Object.entries(row.shape).map(([name, schema]) => [
    convertedName(name),
    isInDollars(name) && schema instanceof z.ZodType ? schema.describe(`\`${name}\` in the currency \`vs\`.`) : schema,
  ])
  return z.object(Object.fromEntries(shape)).meta({
    id: `Converted${id}`,
    description: 'A row with its amounts in the currency `vs`. Unknown values are null.',
  })
}

/** Returns members with every dollar amount in rows renamed, as {@link convertRow} renames it. */
export const convertedMembers = (members: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, converted(schema)]))
