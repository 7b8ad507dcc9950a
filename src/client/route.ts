import { MAX_IDS, variantHolding } from '../core/contract/limit-variants.ts'
import { foldedAddress, symbolKey } from '../core/contract/names.ts'
import { ApiError, NotFoundError } from './errors.ts'
import type { Methods } from './method-types.ts'

type Value = string | number

type Choice = Readonly<{ allowed: string | readonly Value[]; default: Value | null }>

export interface Route<Answer = unknown> {
  readonly endpoint: string
  readonly path: string
  /** Member that every answer has, and other documents of the endpoint do not; `rows` by default. */
  readonly member?: string | undefined
  readonly sends?: true | undefined
  readonly converts?: true | undefined
  /** Set if it has `limit`. */
  readonly limits?: true | undefined
  /** Set if `ids` selects rows by slug. */
  readonly selects?: true | undefined
  /** Parameters that select a document, with their allowed values. */
  readonly query?: Readonly<Record<string, Choice>> | undefined
  /** If the answer is a selection of rows: the parameter that selects them, the member that has it, and its endpoint. */
  readonly picks?: Readonly<Record<'name' | 'member' | 'endpoint', string>> | undefined
  /** Set if a host with a queue answers with its current state: `only` such a host, or a file of an older state as well. */
  readonly live?: 'only' | 'published' | undefined
  /** Never set. It ties the route to the type of its answer. */
  readonly answer?: Answer
}

export type Routes = { readonly [Name in keyof Methods]: Route<Awaited<ReturnType<Methods[Name]>>['data']> }

export type Values = Readonly<Record<string, unknown>>

/** Longest list of slugs that is sent: proxies refuse longer addresses. */
const MOST_SELECTION = 2000

/**
 * Returns the paths below the prefix that may have the answer to a call, best first, and which of its rows to keep.
 *
 * Documents are requested by file name, which works on every host. Only some values of `limit` have a file: the next larger
 * one is requested, and the client drops the other rows. A shorter list has no such file, so then the full list is requested.
 * A host of files ignores `ids`, and the client selects the rows.
 *
 * @throws ApiError for an invalid value
 */
export function routeRequest(route: Route, values: Values) {
  const path = filledPath(route, values)
  if (route.live === 'only') return { paths: [path], rows: Infinity, slugs: null }
  const slugs = slugsIn(route, values)
  const list = slugs?.toSorted().join(',') ?? ''
  const query = list === '' || list.length > MOST_SELECTION ? '' : `?ids=${list}`
  const file = `${path}${selection(route, values)}.json${query}`
  const rows = route.limits ? values['limit'] : undefined
  if (rows === undefined) return { paths: [file], rows: Infinity, slugs }
  if (typeof rows !== 'number' || !Number.isSafeInteger(rows) || rows < 1)
    throw invalid('limit', 'an integer of 1 or more')
  // Selected rows may be anywhere in the list.
  const variant = slugs === null ? variantHolding(rows) : null
  return { paths: variant === null ? [file] : [`${path}/limit=${variant}.json`, file], rows, slugs }
}

/** @throws ApiError if the value is not a list of different slugs */
function slugsIn({ selects }: Route, values: Values): readonly string[] | null {
  const given = selects ? values['ids'] : undefined
  if (given === undefined) return null
  const slugs = Array.isArray(given) ? given.filter(isSlug) : []
  const isList = Array.isArray(given) && slugs.length === given.length && new Set(slugs).size === slugs.length
  if (!isList || slugs.length === 0 || slugs.length > MAX_IDS) throw invalid('ids', `1 to ${MAX_IDS} different slugs`)
  return slugs
}

export const isSlug = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value)

const filledPath = ({ path }: Route, values: Values): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => segment(name, values))

/** Returns the part of the file name that selects a document, such as `/days=7`. */
const selection = ({ query = {} }: Route, values: Values): string =>
  Object.entries(query)
    .map(([name, parameter]) => {
      const value = values[name] ?? parameter.default
      if (value === null) return ''
      const known = [parameter.allowed].flat().find((one) => one === value)
      if (known === undefined) throw invalid(name, parameter.allowed)
      return `/${name}=${known}`
    })
    .join('')

const FOLDS: Readonly<Record<string, (text: string) => string>> = { symbol: symbolKey, address: foldedAddress }

/** Returns the canonical form of a value, as the tree uses it. */
export const folded = (name: string, value: string): string => FOLDS[name]?.(value) ?? value

/** Returns a value as a path segment. @throws NotFoundError if it cannot be one, or would lead to another document */
function segment(name: string, values: Values): string {
  const value = values[name]
  if (typeof value !== 'string' || /^\.*$|[/\\=]|[^!-~]/.test(value)) throw notFound(name, null)
  return encodeURIComponent(folded(name, value))
}

export const isOfAsset = ({ path }: Route): boolean => path.includes('/:slug')

/** Returns the error that the API answers for an unknown name. Few listings have bars, and the documents made of them. */
export function notFound(parameter: string | null, mirror: string | null, path = ''): NotFoundError {
  const isAsset = parameter === 'slug' && !/^\/(?:candles|daily)\//.test(path)
  const message = isAsset
    ? 'No asset has this slug.'
    : parameter === null
      ? 'This document is not published.'
      : `There is no such ${parameter}, or nothing is published of it.`
  const code = isAsset ? 'asset_not_found' : 'not_found'
  return new NotFoundError({ code, message, status: 404, parameter, allowed: null }, mirror)
}

export const invalid = (parameter: string, allowed: string | readonly Value[]): ApiError =>
  new ApiError(
    { code: 'invalid_parameter', message: `${parameter} has an invalid value.`, status: 400, parameter, allowed },
    null,
  )
