import * as z from 'zod'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { convertedName } from '../core/contract/conversion.ts'
import { csv } from '../core/contract/csv.ts'
import { columnsOf, computedParameter } from '../core/contract/endpoint-spec.ts'
import { Envelope, HEALTHY } from '../core/contract/envelope.ts'
import { renameFile } from '../core/contract/paths.ts'
import { pickedRows } from '../core/contract/picked.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { limitEntries, print, textIn } from '../core/contract/text.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { Timestamp } from '../core/contract/words.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import { computedText, conversionTo } from './computed.ts'
import { BY_ACCEPT, textResponse } from './headers.ts'
import type { DocumentRequest } from './resolve.ts'

export interface Store {
  readonly read: TreeReader
}

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

/** Whether the tree has a listing, or had one under this slug, so that the page of any token can show it. */
export const isListed = async (store: Store, slug: string): Promise<boolean> =>
  (await store.read(`${API_FOLDER}/assets/${slug}.json`)) !== null ||
  (await store.read(renameFile(slug).slice(1))) !== null

/**
 * Returns the text that answers a request: its own file, or a longer list with the requested rows, in the requested currency.
 * Null if there is no such document.
 *
 * @throws RequestError of a currency without a published rate
 */
export async function answerText(request: DocumentRequest, { read }: Store): Promise<string | null> {
  const { spec, file, limited, pick, computed } = request
  const { slugs = null, currency = null } = computed ?? {}
  const rows = limited?.rows ?? Infinity
  const conversion = currency === null ? null : await conversionTo(currency, request, read)
  // The shortened list has the first rows, which are not the selected ones.
  const own = limited && slugs ? null : await read(file)
  const text = own ?? (limited && (await read(limited.file)))
  if (text === null) return null
  if (pick) return pickedFrom(text, spec.name, pick)
  if (computed) return computedText(text, slugs, rows, conversion)
  return own ?? limitEntries(text, rows)
}

const Listed = z.object({ ...Envelope, rows: z.array(z.looseObject({})) })

function pickedFrom(text: string, endpoint: string, { member, value }: NonNullable<DocumentRequest['pick']>) {
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
function csvOf(text: string, { spec, computed }: DocumentRequest): string {
  const answer: unknown = JSON.parse(text)
  const days = daysOf(answer)
  if (days) return csv(Object.keys(days[0] ?? {}), days)
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

/** Prints an answer that no file has, with the envelope of healthy sources. */
export const printAnswer = (head: { product: string; endpoint: string; timestamp: string }, members: object): string =>
  print({ ok: true, ...head, ...HEALTHY, ...members })

export function documentResponse(text: string, request: DocumentRequest): Promise<Response> {
  const { data = 0 } = Timestamp.safeParse(textIn(text.slice(0, 1000), 'timestamp'))
  const vary = computedParameter(request.spec, 'format') === undefined ? {} : BY_ACCEPT
  if (!request.csv) return textResponse(text, data, vary)
  return textResponse(csvOf(text, request), data, { ...vary, 'content-type': CONTENT_TYPES['.csv'] ?? '' })
}
