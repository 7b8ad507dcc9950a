import * as z from 'zod'
import { DAYS, Days } from './history.ts'
import { ChainId } from './identity.ts'
import { MAX_IDS } from './limit-variants.ts'
import { Slug, formed } from './words.ts'

export type Value = string | number

/** A request parameter. It belongs to the path if the path contains `:name`, otherwise to the query. */
export interface Parameter<T extends Value = Value> {
  readonly description: string
  readonly schema: z.ZodType<T>
  readonly type: 'string' | 'integer'
  readonly allowed: string | readonly T[]
  readonly default?: T
  /** A value that most trees have an answer for. A parameter without one is left out of examples. */
  readonly example?: T | undefined
  /** Set on a last path parameter that selects the `rows` of a document whose member of this name has the value. */
  readonly picks?: string
  /** Set on a query parameter whose answers have no files: a host with a function computes them from the document. */
  readonly computed?: true
}
export type ParameterTable = Readonly<Record<string, Parameter>>

export const textParameter = (
  description: string,
  schema: z.ZodType<string>,
  allowed: string,
  example?: string,
): Parameter<string> => ({ description, schema, type: 'string', allowed, example })

export const slug = {
  description: 'Slug of the asset.',
  schema: Slug,
  type: 'string',
  allowed: 'lower-case letters, digits and single dashes, at most 64',
  example: 'bitcoin',
} as const satisfies Parameter<string>

export const chain = {
  ...slug,
  description:
    'Chain, as named in the `contracts` of an asset. Hosts with a function also take its EIP-155 chain id and the ' +
    '`aliases` of `/contracts`.',
  schema: z
    .string()
    .transform((name) => name.toLowerCase())
    .pipe(ChainId),
  example: 'ethereum',
} as const satisfies Parameter<string>

export const source = {
  ...slug,
  description: 'Source, as named in the `external_ids` of an asset.',
  schema: ChainId,
  example: 'coingecko',
} as const satisfies Parameter<string>

export const printable = {
  schema: formed(200, /^[\x21-\x7e]+$/),
  type: 'string',
  allowed: 'printable ASCII, at most 200 characters',
} as const

export const limit = {
  description: 'Maximum number of rows. All rows by default.',
  schema: z.int().min(1),
  type: 'integer',
  allowed: 'an integer of 1 or more, in plain digits',
  example: 10,
} as const satisfies Parameter<number>

export const days = {
  description: 'Range of the series in days.',
  schema: Days,
  type: 'integer',
  allowed: DAYS,
  default: 7,
  example: 30,
} as const satisfies Parameter<Days>

export const ids = {
  description:
    'Slugs of the rows, separated by commas. Slugs without a row are in `missing`. Needs a host with a function.',
  schema: formed(MAX_IDS * 65, /^[a-z0-9]+(-[a-z0-9]+)*(,[a-z0-9]+(-[a-z0-9]+)*)*$/).refine((text) => {
    const slugs = text.split(',')
    return slugs.length <= MAX_IDS && new Set(slugs).size === slugs.length
  }),
  type: 'string',
  allowed: `1 to ${MAX_IDS} different slugs, separated by commas: ids=bitcoin,ethereum`,
  computed: true,
} as const satisfies Parameter<string>

export const vs = {
  description:
    'Currency of the amounts, by its rate in `/rates`. Rows then also have `price` beside `price_usd`, and so on; changes ' +
    'in percent stay those in US dollars. Needs a host with a function.',
  schema: z
    .string()
    .regex(/^[A-Za-z0-9]{2,12}$/)
    .transform((symbol) => symbol.toLowerCase()),
  type: 'string',
  allowed: 'a symbol of /rates, in any case: vs=eur',
  computed: true,
} as const satisfies Parameter<string>

export const vsOfDay = {
  ...vs,
  description:
    'Currency of the amounts, by its rate of that day: `rate` says which, and of which day it is. Rows then also have ' +
    '`close` beside `close_usd`, and so on. Needs a host with a function.',
  allowed: 'a symbol of /rates/:day, in any case: vs=eur',
} as const satisfies Parameter<string>

export const format = {
  description:
    'Format of the answer. `csv`: the rows, as RFC 4180 with a header. Without it, the `Accept` header chooses, JSON by ' +
    'default. Needs a host with a function.',
  schema: z.enum(['json', 'csv']),
  type: 'string',
  allowed: ['json', 'csv'],
  computed: true,
} as const satisfies Parameter<'json' | 'csv'>

type Advice = (own: ParameterTable) => string

const advised = (names: string, advice: Advice) => names.split(' ').map((name) => [name, advice] as const)

/** Parameters of other endpoints and APIs that would change the answer. Ignored, they would mislead. */
const FOREIGN = new Map<string, Advice>([
  ...advised(
    'format',
    () =>
      '/history/:slug, /candles/:slug, /daily/:slug and /closes/:day have format=csv; /assets.csv and /markets.csv are files',
  ),
  ...advised('category', () => '/categories/:category has the listings of a category'),
  ...advised('vs vs_currency vs_currencies convert quotes currency base to_currency', (own) =>
    'vs' in own
      ? 'vs=eur adds the amounts in a currency of /rates'
      : 'values are in US dollars; /rates has the rate of each currency',
  ),
  ...advised('ids symbols symbol slugs q search', (own) =>
    'ids' in own
      ? 'ids=bitcoin,ethereum selects listings by slug; /symbols/:symbol finds the slugs of a symbol'
      : '/prices?ids= and /assets?ids= have some listings, /assets/:slug one, and /symbols/:symbol finds the slugs of a symbol',
  ),
  ...advised('limit page per_page offset start', (own) =>
    'limit' in own
      ? 'an answer has every row, and limit=n the first n'
      : 'an answer has every row; /assets, /prices, /gainers, /losers and /trending have limit',
  ),
  ...advised('order sort', () => 'each list has one order, which its description names: sort the rows'),
  ...advised('from to interval', (own) =>
    'days' in own
      ? `days=${DAYS.join(', ')}`
      : `days=${DAYS.join(', ')} of /history/:slug and /candles/:slug, or one day of /closes/:day`,
  ),
])

export const FOREIGN_PARAMETERS: readonly string[] = [...FOREIGN.keys()]

export const adviceOn = (name: string, own: ParameterTable): string | null =>
  Object.hasOwn(own, name) ? null : (FOREIGN.get(name)?.(own) ?? null)

const DIGITS = /^[1-9]\d*$/

/** Returns the value of a text, undefined if it is not the canonical one: `07`, `7.0`, `+7` and `7e0` are invalid. */
export function parameterValue(parameter: Parameter, text: string): Value | undefined {
  // A limit above 2^53 cannot be printed back exactly. Every list is shorter, so the largest safe integer means the same.
  const number = DIGITS.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
  return parameter.schema.safeParse(parameter.type === 'string' ? text : number).data
}
