import * as z from 'zod'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { convertedName } from '../core/contract/conversion.ts'
import { csv } from '../core/contract/csv.ts'
import { columnsOf, isOfDay } from '../core/contract/endpoint-spec.ts'
import type { Value } from '../core/contract/parameters.ts'
import { renameFile } from '../core/contract/paths.ts'
import { pickedRows } from '../core/contract/picked.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { limitEntries, print, textIn } from '../core/contract/text.ts'
import { Envelope, HEALTHY } from '../core/contract/envelope.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { Timestamp } from '../core/contract/words.ts'
import { type Conversion, computedText, ratesIn } from './computed.ts'
import { ratesOfDayIn } from './day-rates.ts'
import { sha256 } from '../core/contract/web-digest.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER } from './headers.ts'
import { type Computation, type RequestError, type Resolution, requestError } from './resolve.ts'
import type { TreeReader } from '../core/tree/reader.ts'

export interface Store {
  readonly read: TreeReader
}

/** Whether the tree has a listing, or had one under this slug, so that the page of any token can show it. */
export const isListed = async (store: Store, slug: string): Promise<boolean> =>
  (await store.read(`${API_FOLDER}/assets/${slug}.json`)) !== null ||
  (await store.read(renameFile(slug).slice(1))) !== null

export interface Body {
  readonly text: string
  /** JSON by default. */
  readonly contentType?: string | undefined
  readonly sha256: string
  /** As an HTTP date. */
  readonly lastModified: string
}

export type DocumentRequest = Extract<Resolution, { kind: 'document' }>

/** Returns the body of a document: its own file, a longer list limited to the requested rows, or rows selected from one. */
export async function bodyOf({ spec, file, limited, pick }: DocumentRequest, store: Store): Promise<Body | null> {
  const own = await store.read(file)
  if (own !== null && pick) {
    const picked = pickedFrom(own, spec.name, pick.member, pick.value)
    return picked === null ? null : seal(picked)
  }
  if (own !== null) return seal(own)
  const full = limited && (await store.read(limited.file))
  return full ? seal(limitEntries(full, limited.rows)) : null
}

/**
 * Returns the body of an answer that is computed from a document: some of its rows, or its amounts in another currency.
 * Returns the error of a currency without a published rate, and null if the document does not exist.
 *
 * @param ratesFile file of the published rates
 */
export async function computedBody(
  { spec, key, file, limited, computed }: DocumentRequest & { readonly computed: Computation },
  store: Store,
  ratesFile: string,
): Promise<Body | RequestError | null> {
  const { slugs, currency } = computed
  const ratesAt = async () =>
    isOfDay(spec) ? ratesOfDayIn(store.read, String(key['day'])) : ratesIn(await store.read(ratesFile))
  const conversion = currency === null ? null : conversionTo(currency, spec.name, await ratesAt())
  if (conversion !== null && 'kind' in conversion) return conversion
  // The shortened list has the first rows, which are not the selected ones.
  const own = limited === null || slugs === null ? await store.read(file) : null
  const text = own ?? (limited && (await store.read(limited.file)))
  if (text === null) return null
  return seal(computedText(text, computed, { most: limited?.rows ?? Infinity, conversion }))
}

/** Rates of currencies, and when they last changed. */
type ConversionRates = Omit<Conversion, 'rate'> & { readonly rows: readonly Conversion['rate'][] }

/** Returns the conversion to a currency by rates, or the error of one that they do not have. */
function conversionTo(currency: string, endpoint: string, rates: ConversionRates | null): Conversion | RequestError {
  if (rates === null) return requestError(endpoint, 'unavailable', 'No rates are published. Try again later.')
  const rate = rates.rows.find(({ symbol }) => symbol.toLowerCase() === currency)
  if (rate) return { rate, timestamp: rates.timestamp }
  const allowed = rates.rows.map(({ symbol }) => symbol.toLowerCase()).toSorted()
  const message = 'vs has an invalid value: there is no rate for this currency.'
  return requestError(endpoint, 'invalid_parameter', message, { parameter: 'vs', allowed })
}

const Listed = z.object({ ...Envelope, rows: z.array(z.looseObject({})) })

/** Returns the answer of another endpoint with the rows that have a value in a member, or null if there are none. */
function pickedFrom(text: string, endpoint: string, member: string, value: Value): string | null {
  // Most requested names are in no row, and parsing a long list is slow.
  if (!text.includes(JSON.stringify(value))) return null
  const { rows: all, ...envelope } = Listed.parse(JSON.parse(text))
  const members = pickedRows(all, member, value)
  return members && print({ ...envelope, endpoint, ...members })
}

const Rows = z.object({
  rows: z.array(z.record(z.string(), z.unknown())),
  vs: z.string().optional(),
  rate: z.object({ price_usd: z.number(), day: z.string().optional(), source: z.string().optional() }).optional(),
})

const Series = z.object({ from: z.string(), columns: z.record(z.string(), z.array(z.unknown())) })

/** Returns the days of a series in columns as rows; null for any other answer. */
export function daysOf(answer: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  const { data } = Series.safeParse(answer)
  if (data === undefined) return null
  const [first = []] = Object.values(data.columns)
  return first.map((_, place) => ({
    date: dayOf(Date.parse(data.from) + place * DAY_MS),
    ...Object.fromEntries(Object.entries(data.columns).map(([name, values]) => [name, values[place]])),
  }))
}

/** Returns the rows of an answer as CSV, with the members of its schema as columns; a series in columns by day. */
export async function csvBody({ text, lastModified }: Body, { spec, computed }: DocumentRequest): Promise<Body> {
  const answer: unknown = JSON.parse(text)
  const days = daysOf(answer)
  const printed = days ? csv(Object.keys(days[0] ?? {}), days) : csvOfRows(answer, spec, computed)
  const contentType = CONTENT_TYPES['.csv'] ?? ''
  return { text: printed, contentType, sha256: await sha256(printed), lastModified }
}

function csvOfRows(answer: unknown, spec: DocumentRequest['spec'], computed: DocumentRequest['computed']): string {
  const columns = columnsOf(spec)
  const amounts = computed?.currency ? columns.flatMap((name) => convertedName(name) ?? []) : []
  const { rows, vs, rate } = Rows.parse(answer)
  // Of a past day: that of its money may precede it.
  const conversion =
    rate?.day === undefined ? {} : { vs, rate_usd: rate.price_usd, rate_day: rate.day, rate_source: rate.source }
  return csv(
    [...columns, ...amounts, ...Object.keys(conversion)],
    rows.map((row) => ({ ...row, ...conversion })),
  )
}

/** Returns a text as a body, with its digest and the date of its data. */
export async function seal(text: string): Promise<Body> {
  const digest = await sha256(text)
  const timestamp = Timestamp.safeParse(textIn(text.slice(0, 1000), 'timestamp'))
  return { text, sha256: digest, lastModified: new Date(timestamp.success ? timestamp.data : 0).toUTCString() }
}

/** Prints an answer that no file has, with the envelope of healthy sources. */
export const printAnswer = (head: { product: string; endpoint: string; timestamp: string }, members: object): string =>
  print({ ok: true, ...head, ...HEALTHY, ...members })

/** Returns the response of a body. */
export const documentResponse = (
  { text, sha256, lastModified, contentType }: Body,
  more: Readonly<Record<string, string>> = {},
): Response =>
  new Response(text, {
    headers: {
      ...EVERY_ANSWER,
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      etag: `"${sha256.slice(0, 32)}"`,
      'last-modified': lastModified,
      'cache-control': DOCUMENT_CACHE,
      ...more,
    },
  })

const REPLACED = /"replaced(?:_by|By)":"([a-z0-9-]+)"/

/** Returns the slug that replaced an asset's, read from any of its documents, or null if its slug is current. */
export const successorIn = (text: string): string | null => REPLACED.exec(text)?.[1] ?? null

/** Returns the store of a tree that is read file by file over HTTP. */
export const siteStore = (ask: (file: string) => Promise<Response>): Store => ({
  async read(file) {
    const response = await ask(file)
    if (response.ok) return response.text()
    await response.body?.cancel()
    if (response.status === 404) return null
    throw new Error(`The host of the files answered ${response.status} for ${file}`)
  },
})
