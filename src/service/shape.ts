import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import type { OpenPublication } from './publication.ts'

/** Refuses a request. Each shape words that in its own way. */
export function refuse(status: ContentfulStatusCode, message: string): never {
  throw new HTTPException(status, { message })
}

export interface Call {
  readonly from: OpenPublication
  readonly part: (name: string) => string
  readonly now: number
}

export interface ParsedQuery<Query extends z.ZodRawShape> extends Call {
  readonly query: z.infer<z.ZodObject<Query>>
}

/** Declares an address of the imitated API, whose query is parsed before it answers. Other parameters are ignored. */
export const route = <Query extends z.ZodRawShape>(
  path: string,
  shape: Query,
  answer: (asked: ParsedQuery<Query>) => unknown,
) => ({
  path,
  async answer(call: Call, given: URLSearchParams): Promise<unknown> {
    const names = [...given.keys()]
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) refuse(422, `Parameter ${twice} is given more than once`)
    const query = z.object(shape).safeParse(Object.fromEntries(given))
    if (query.success) return answer({ ...call, query: query.data })
    const [issue] = query.error.issues
    const name = issue?.path.join('.') ?? ''
    return refuse(422, given.has(name) ? `Invalid parameter ${name}: ${issue?.message}` : `Missing parameter ${name}`)
  },
})

/** Most ids, addresses or currencies of one request. */
const MOST_NAMES = 500
export const names = z
  .string()
  .max(MOST_NAMES * 80)
  .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== ''))
  .refine((all) => all.length <= MOST_NAMES, `must be ${MOST_NAMES} at most`)
export const lowerNames = names.transform((all) => all.map((name) => name.toLowerCase()))
export const booleanOf = (unset = false) => z.stringbool({ truthy: ['true'], falsy: ['false'] }).default(unset)
export const integer = z
  .string()
  .regex(/^\d{1,11}$/, 'must be a whole number')
  .transform(Number)

/** An API that a host with a function imitates below a path. */
export interface Shape {
  readonly prefix: string
  readonly routes: readonly ReturnType<typeof route>[]
  /** Words a refusal as the API does. */
  readonly refused: (refusal: HTTPException) => { readonly status: number; readonly body: unknown }
}

export const asError: Shape['refused'] = ({ status, message }) => ({ status, body: { error: message } })
