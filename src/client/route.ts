import { variantHolding } from '../contract/limit-variants.ts'
import { foldedAddress, symbolKey } from '../contract/names.ts'
import { ApiError, NotFoundError } from './errors.ts'

type Value = string | number

/** Where a method asks, as the table of endpoints has it. */
export interface Route<Answer = unknown> {
  /** What an answer calls itself. */
  readonly endpoint: string
  /** Below a mirror's address; `:name` stands for a value. */
  readonly path: string
  /** A member of every answer: tells it from other documents of the same name. */
  readonly has: string
  /** The value that shortens rows. */
  readonly cuts?: string
  /** Values that choose a document: which there are, and the usual one. */
  readonly query?: Readonly<Record<string, { readonly allowed: readonly Value[]; readonly usual: Value | null }>>
  /** Set where rows of the document are the answer: those with a value in the member of its name; and what they are called. */
  readonly picks?: { readonly name: string; readonly endpoint: string }
  /** Set on what a host with a queue answers: it alone, or a file as well, which is older. */
  readonly live?: 'only' | 'published'
  /** Never there: ties a route to the type of its answer. */
  readonly answer?: Answer
}

/** The values of one call, by name. */
export type Asked = Readonly<Record<string, unknown>>

/** Where a document may stand, best first, and how many of its rows are wanted. */
export interface Places {
  readonly paths: readonly string[]
  readonly rows: number
}

/**
 * Where the answer to a call stands.
 *
 * A document is asked for by the name of its file, because that is an address on every host, one that knows no queries
 * and one that computes; so there is nothing to find out about a mirror before it can be used. Only some values of
 * `limit` have a file, so the next larger one is requested and shortened here. A list that is shorter than that has no
 * such file, and the whole of it is requested.
 *
 * @throws ApiError for a value that no document has
 */
export function placesOf({ path, query = {}, cuts, live }: Route, asked: Asked): Places {
  const filled = path
    .split('/')
    .map((part) => (part.startsWith(':') ? nameIn(part.slice(1), asked) : part))
    .join('/')
  const chosen = Object.entries(query).map(([name, { allowed, usual }]) => {
    const value = asked[name] ?? usual
    if (value === null) return ''
    const known = allowed.find((one) => one === value)
    if (known === undefined) throw refused(name, allowed)
    return `/${name}=${known}`
  })
  const file = `${filled + chosen.join('')}.json`
  if (live === 'only') return { paths: [filled], rows: Infinity }
  const rows = cuts === undefined ? undefined : asked[cuts]
  if (cuts === undefined || rows === undefined) return { paths: [file], rows: Infinity }
  if (typeof rows !== 'number' || !Number.isSafeInteger(rows) || rows < 1)
    throw refused(cuts, 'an integer of 1 or more')
  const variant = variantHolding(rows)
  return { paths: variant === null ? [file] : [`${filled}/${cuts}=${variant}.json`, file], rows }
}

/** Names that may be written in more than one way, and how addresses have them. */
const FOLDS: Readonly<Record<string, (text: string) => string>> = { symbol: symbolKey, address: foldedAddress }

/** A value as the tree has it. */
export const folded = (name: string, value: string): string => FOLDS[name]?.(value) ?? value

/** A value as a name in a path. One that would lead to another document is the name of none. */
function nameIn(name: string, asked: Asked): string {
  const value = asked[name]
  if (typeof value !== 'string' || /^\.*$|[/\\=]|[^!-~]/.test(value)) throw notFound(name, null)
  return encodeURIComponent(folded(name, value))
}

/** Whether a route's documents are of one asset each. */
export const isOfAsset = ({ path }: Route): boolean => path.includes('/:slug')

/** There is nothing of this name, as our service would say it. */
export function notFound(parameter: string | null, mirror: string | null): NotFoundError {
  const isAsset = parameter === 'slug'
  const message = isAsset ? 'No asset has this slug.' : 'The path has an invalid name.'
  const code = isAsset ? 'asset_not_found' : 'not_found'
  return new NotFoundError({ code, message, status: 404, parameter, allowed: null }, mirror)
}

const refused = (parameter: string, allowed: string | readonly Value[]): ApiError =>
  new ApiError(
    {
      code: 'invalid_parameter',
      message: `${parameter} has an invalid value.`,
      status: 400,
      parameter,
      allowed,
    },
    null,
  )
