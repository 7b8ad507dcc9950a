import * as z from 'zod'
import { DAYS, Days } from './history.ts'
import { Chain } from './identity.ts'
import { Slug } from './words.ts'

export type Value = string | number

/** One named value of a request. A `:name` in the path makes it a path parameter, else it stands in the query. */
export interface Parameter<T extends Value = Value> {
  readonly description: string
  readonly schema: z.ZodType<T>
  readonly type: 'string' | 'integer'
  /** What the caller may send; shown in the index and in the 400 answer. */
  readonly allowed: string | readonly T[]
  readonly default?: T
  /** Set on a parameter that does not choose a document but shortens its `rows`. */
  readonly cuts?: true
  /**
   * Set on the last part of a path that does not choose a document but picks its `rows`: those with this value in the
   * member of this name.
   */
  readonly picks?: string
}
export type Parameters = Readonly<Record<string, Parameter>>

export const slug = {
  description: 'Slug of the asset.',
  schema: Slug,
  type: 'string',
  allowed: 'lower-case letters, digits and single dashes, at most 64',
} as const satisfies Parameter<string>

export const chain = {
  ...slug,
  description: 'Chain, as `contracts` of an asset name it.',
  schema: Chain,
} as const satisfies Parameter<string>

export const source = {
  ...chain,
  description: 'Source, as `external_ids` of an asset name it.',
} as const satisfies Parameter<string>

/** A text that may stand in an address as it is. */
export const printable = {
  schema: z
    .string()
    .max(200)
    .regex(/^[\x21-\x7e]+$/),
  type: 'string',
  allowed: 'printable ASCII, at most 200 characters',
} as const

export const limit = {
  description: 'At most this many rows. Absent: every row. More than there are: every row.',
  schema: z.number().min(1).refine(Number.isInteger),
  type: 'integer',
  allowed: 'an integer of 1 or more, in plain digits',
  cuts: true,
} as const satisfies Parameter<number>

export const days = {
  description: 'Range of the series in days.',
  schema: Days,
  type: 'integer',
  allowed: DAYS,
  default: 7,
} as const satisfies Parameter<Days>

/** The largest number of digits a `limit` is read with; past 2^53 it means "every row" all the same. */
const DIGITS = /^[1-9]\d*$/

/**
 * The value a text of a request stands for, or undefined. Only the canonical text counts: `7` is seven; `07`, `7.0`,
 * ` 7`, `+7`, `7e0` and `0x7` are nothing.
 */
export function valueOf(parameter: Parameter, text: string): Value | undefined {
  const candidate = parameter.type === 'string' ? text : DIGITS.test(text) ? Number(text) : undefined
  if (candidate === undefined) return undefined
  // A cut longer than any list is every row, so a number too large to print back is as good as the largest that does.
  const bounded =
    typeof candidate === 'number' && parameter.cuts ? Math.min(candidate, Number.MAX_SAFE_INTEGER) : candidate
  const result = parameter.schema.safeParse(bounded)
  return result.success ? result.data : undefined
}
