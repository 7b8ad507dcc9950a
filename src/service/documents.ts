import { max } from 'd3-array'
import * as z from 'zod'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { convertedName } from '../core/contract/conversion.ts'
import { csv } from '../core/contract/csv.ts'
import { type Key, columnsOf, isOfDay, urlOf } from '../core/contract/endpoint-spec.ts'
import { Envelope, HEALTHY } from '../core/contract/envelope.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { RATE_OF_DAY, ratesOfCloses, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import { isRecord, parseJson } from '../core/contract/read-json.ts'
import { pickedRows, selectionOf } from '../core/contract/selection.ts'
import { print } from '../core/contract/text.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { Timestamp } from '../core/contract/words.ts'
import { oneListingRequest } from '../core/endpoints/operations.ts'
import { ratesOfDay } from '../core/endpoints/rates.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import { chainNamed } from '../requests/duplicates.ts'
import { requestsOf, rowOf } from '../requests/queue.ts'
import { BY_ACCEPT, DOCUMENT_CACHE, EVERY_ANSWER, textResponse } from './http.ts'
import { documentRows, documentsIn, successorOf } from './publication.ts'
import { type DocumentRequest, RequestError, nothingNamed } from './resolve.ts'
import type { Context } from './context.ts'

export const siteReader =
  (ask: (file: string) => Promise<Response>): TreeReader =>
  async (file) => {
    const response = await ask(file)
    if (response.ok) return response.text()
    await response.body?.cancel()
    if (response.status === 404) return null
    throw new Error(`The host of the files answered ${response.status} for ${file}`)
  }

/** Whether the tree has a listing, or had one under this slug, so that the page of any token can show it. */
export const isListed = async (read: TreeReader, slug: string): Promise<boolean> =>
  (await read(`${API_FOLDER}/assets/${slug}.json`)) !== null || (await successorOf(read, slug)) !== null

/** Answers the request of a document, or redirects to what replaced it. @throws RequestError */
export async function documentResponse(request: DocumentRequest, context: Context): Promise<Response> {
  const current = await currentKey(request, context.read)
  if (current === null) return printed(await textOf(request, context), request)
  const format = request.csv ? { format: 'csv' } : {}
  const location = urlOf(request.spec, { ...request.key, ...current, ...format })
  const headers = { ...EVERY_ANSWER, ...BY_ACCEPT, location, 'cache-control': DOCUMENT_CACHE }
  return new Response(null, { status: 308, headers })
}

/** Returns the slug that replaced that of a request, or the name of a chain that it names otherwise; null: there is none. */
async function currentKey({ key: { slug, chain }, file }: DocumentRequest, read: TreeReader): Promise<Key | null> {
  if (slug !== undefined) {
    const successor = await successorOf(read, String(slug))
    return successor === null ? null : { slug: successor }
  }
  if (chain === undefined || (await read(file)) !== null) return null
  const named = await chainNamed(read, String(chain))
  return named === null ? null : { chain: named }
}

async function textOf(request: DocumentRequest, { intake, product, report, read, now }: Context): Promise<string> {
  const { spec, key, pick } = request
  const answer = (timestamp: string, members: object) =>
    printAnswer({ product, endpoint: spec.name, timestamp }, members)
  const absent = (message: string, parameter: string | null = null) =>
    new RequestError(spec.name, 'not_found', message, { parameter })
  if (spec === oneListingRequest) {
    const record = await intake.queue.get(String(key['request_id']))
    if (record === null) throw absent('There is no request with this id.', 'request_id')
    return answer(record.updated_at, { request: rowOf(record) })
  }
  if (spec === ratesOfDay) {
    const day = String(key['day'])
    // Where banks set none, the rates of a day before are carried on, but not beyond today.
    const found = day > dayOf(now()) ? null : await ratesOfDayIn(read, day)
    if (found === null)
      throw absent('There are no rates of this day: it is before the first one, or in the future.', 'day')
    return answer(found.timestamp, { day, count: found.rows.length, rows: found.rows })
  }
  const text = await answerText(request, read)
  if (text === null) {
    if ((await read(`${API_FOLDER}.json`)) === null)
      throw new RequestError(spec.name, 'unavailable', 'Nothing has been published yet. Try again later.')
    if (pick) throw absent('No listing matches.', pick.name)
    const [, parameter] = /\/:(\w+)/.exec(spec.path) ?? []
    throw parameter === undefined ? absent('This document is not published.') : nothingNamed(spec, parameter)
  }
  if (spec.name !== 'listing-requests') return text
  const records = await intake.queue.list().catch((error: unknown) => {
    // The published state is outdated, but better than an error.
    report(error)
    return []
  })
  const newest = max(records, ({ updated_at }) => updated_at)
  return newest === undefined ? text : answer(newest, requestsOf(records))
}

/** Null: there is no such document. @throws RequestError of a currency without a published rate */
async function answerText(request: DocumentRequest, read: TreeReader): Promise<string | null> {
  const { spec, file, limited, pick, slugs, currency } = request
  const conversion = currency === null ? null : await conversionTo(currency, request, read)
  // The shortened list has the first rows, which are not the selected ones.
  const own = limited && slugs ? null : await read(file)
  const text = own ?? (limited && (await read(limited.file)))
  if (text === null) return null
  if (pick) return pickedFrom(text, spec.name, pick)
  return own !== null && !slugs && !conversion ? own : computedText(text, request, conversion)
}

type Conversion = Awaited<ReturnType<typeof conversionTo>>

async function conversionTo(currency: string, { spec, key }: DocumentRequest, read: TreeReader) {
  const rates = isOfDay(spec) ? await ratesOfDayIn(read, String(key['day'])) : await documentsIn(read)('rates')
  if (rates === null) throw new RequestError(spec.name, 'unavailable', 'No rates are published. Try again later.')
  const rate = rates.rows.find(({ symbol }) => symbol.toLowerCase() === currency)
  if (rate) return { rate, timestamp: rates.timestamp }
  const message = 'vs has an invalid value: there is no rate for this currency.'
  const allowed = rates.rows.map(({ symbol }) => symbol.toLowerCase()).toSorted()
  throw new RequestError(spec.name, 'invalid_parameter', message, { parameter: 'vs', allowed })
}

/** From the documents of its years and the closes of coins, with the time of the newest; null without any. */
async function ratesOfDayIn(read: TreeReader, day: string) {
  const document = documentsIn(read)
  const days = Array.from({ length: RATE_OF_DAY.own_days + 1 }, (_, age) => dayOf(Date.parse(day) - age * DAY_MS))
  const [years, closes] = await Promise.all([
    Promise.all(yearsOf(day).map((year) => document('ratesOfYear', { year }))),
    Promise.all(days.map((one) => document('closesOfDay', { day: one }))),
  ])
  const ofCoins = closes.flatMap((one) => (one ? [ratesOfCloses(one.day, one.rows)] : []))
  const rates = ratesOn([...years.flatMap(documentRows), ...ofCoins], day)
  const timestamp = max([...years, ...closes], (one) => one?.timestamp)
  // The dollar alone is no rate.
  return timestamp === undefined || rates.size < 2 ? null : { rows: [...rates.values()], timestamp }
}

function computedText(text: string, { slugs, limited }: DocumentRequest, conversion: Conversion | null): string {
  const answer = parseJson(text)
  if (!isRecord(answer)) return text
  const [, prices] = text.split('\n"prices":{\n')
  const order = prices?.match(/(?<=^")[a-z0-9-]+(?=":)/gm) ?? undefined
  return print(selectionOf(answer, { slugs, most: limited?.rows, conversion, order }), order)
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
export function dayRows(answer: unknown): readonly Readonly<Record<string, unknown>>[] | null {
  const { data } = Series.safeParse(answer)
  if (data === undefined) return null
  const [first = []] = Object.values(data.columns)
  return first.map((_, place) => ({
    date: dayOf(Date.parse(data.from) + place * DAY_MS),
    ...Object.fromEntries(Object.entries(data.columns).map(([name, values]) => [name, values[place]])),
  }))
}

function csvOf(text: string, { spec, currency }: DocumentRequest): string {
  const answer: unknown = JSON.parse(text)
  const days = dayRows(answer)
  if (days) return csv(Object.keys(days[0] ?? {}), days)
  const columns = columnsOf(spec)
  const amounts = currency !== null ? columns.flatMap((name) => convertedName(name) ?? []) : []
  const { rows, vs, rate } = Rows.parse(answer)
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

function printed(text: string, request: DocumentRequest): Promise<Response> {
  // The envelope precedes all outside text, so the first match is the right one.
  const { data = 0 } = Timestamp.safeParse(/\n"timestamp":"(.*)",/.exec(text.slice(0, 1000))?.[1])
  const vary = 'format' in request.spec.parameters ? BY_ACCEPT : {}
  if (!request.csv) return textResponse(text, data, vary)
  return textResponse(csvOf(text, request), data, { ...vary, 'content-type': CONTENT_TYPES['.csv'] ?? '' })
}
