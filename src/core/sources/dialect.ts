import * as z from 'zod'
import { isObject } from '../contract/read-json.ts'
import { type Ms, isoOf } from '../contract/time.ts'
import type { SourceErrorCode } from '../contract/words.ts'
import { SourceError } from './source-error.ts'
import { IsoTime, Milliseconds, Seconds } from './wire.ts'

/** The place of a value in an answer or a row: names of members and indexes of elements, with dots between. */
export type Member = string | number

export type Fields = Readonly<Record<string, unknown>>
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})

export type TimeMember = { readonly ms: Member } | { readonly seconds: Member } | { readonly utc: Member }

const UtcTime = z
  .string()
  .nullish()
  .transform((text) => IsoTime.parse(text?.replace(/Z?$/, 'Z')))

/** The units of times: their schema, and how a venue writes a time, of which each has `step` ms. */
export const UNITS = {
  ms: { unit: Milliseconds, step: 1, written: (ms: Ms) => ms },
  seconds: { unit: Seconds, step: 1000, written: (ms: Ms) => ms / 1000 },
  utc: { unit: UtcTime, step: 1000, written: isoOf },
} as const

export const timeIn = (time: TimeMember) => {
  if ('ms' in time) return { member: time.ms, ...UNITS.ms }
  return 'seconds' in time ? { member: time.seconds, ...UNITS.seconds } : { member: time.utc, ...UNITS.utc }
}

export interface AnswerForm {
  /** A member that says whether the answer has what was requested, and what it says then. */
  readonly ok?: readonly [member: Member, value: string]
  readonly busy?: readonly [member: Member, value: string]
  readonly refusal?: (body: unknown) => SourceErrorCode | null
  readonly rows?: Member
  /** Whether the rows are the members of an object. Each is then read as `[name, value]`. */
  readonly isMap?: true
  readonly time?: TimeMember
}

export function reader(member: Member): (row: unknown) => unknown {
  const [first = '', ...more] = String(member).split('.')
  if (more.length === 0) return (row) => (isObject(row) ? row[first] : undefined)
  return (row) => {
    let value = isObject(row) ? row[first] : undefined
    for (const name of more) value = isObject(value) ? value[name] : undefined
    return value
  }
}

const at = (row: unknown, member: Member): unknown => reader(member)(row)

function rowsIn(body: unknown, { rows, isMap }: AnswerForm): readonly unknown[] | string {
  const list = rows === undefined ? body : at(body, rows)
  const where = rows === undefined ? 'the answer' : `\`${rows}\``
  if (isMap) return isObject(list) && !Array.isArray(list) ? Object.entries(list) : `${where} is no object`
  return Array.isArray(list) ? list : `${where} is no list`
}

/** A text, number or flag of an envelope as text; empty for anything else, of which lists in lists have no end of text. */
const wordIn = (value: unknown): string => (typeof value === 'object' && value !== null ? '' : String(value))
const shown = (value: unknown): string => (/^[\w.-]{1,20}$/.test(wordIn(value)) ? wordIn(value) : 'of another form')

/** Returns the schema of an answer. Errors in an answer of HTTP status 200 fail it, or throw if there were too many requests. */
export const answer = (envelope: AnswerForm, host: string) =>
  z.transform((body: unknown, context) => {
    const { ok, busy, refusal, time } = envelope
    const fail = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const refused = refusal?.(body)
    const value = ok && at(body, ok[0])
    if (refused === 'source_rate_limited' || (busy && wordIn(at(body, busy[0])) === busy[1]))
      throw new SourceError('source_rate_limited', `${host}: too many requests, in an answer of HTTP 200`)
    if (refused) return fail('an error in an answer of HTTP 200')
    if (ok && wordIn(value) !== ok[1]) return fail(`\`${ok[0]}\` is ${shown(value)} instead of ${ok[1]}`)
    const rows = rowsIn(body, envelope)
    if (typeof rows === 'string') return fail(rows)
    const { member, unit } = time ? timeIn(time) : {}
    return { body, rows, time: member === undefined || !unit ? null : (unit.safeParse(at(body, member)).data ?? null) }
  })

export type Answer = z.infer<ReturnType<typeof answer>>

/** Where a row has each of these members. */
export type Members = Readonly<Record<string, Member | undefined>>

export function outline(members: Members) {
  const readers = Object.entries(members).flatMap(([name, member]) =>
    member === undefined ? [] : [[name, reader(member)] as const],
  )
  return (row: unknown): Fields => {
    const taken: Record<string, unknown> = {}
    for (const [name, read] of readers) taken[name] = read(row)
    return taken
  }
}

/** What a member says: a text, or a list with commas between, that matches; one of these values; or none of these. */
type Test = RegExp | readonly unknown[] | { readonly not: readonly unknown[] }

/** Reasons to skip a row, each with what one of its members says then. A missing member is no reason. */
export type Without = Readonly<Record<string, Readonly<Record<Member, Test>>>>

const textOf = (value: unknown): string =>
  [value]
    .flat()
    .filter((one) => typeof one === 'string')
    .join(',')

function holds(test: Test, value: unknown): boolean {
  if (value === undefined) return false
  if (test instanceof RegExp) return test.test(textOf(value))
  return 'not' in test ? !test.not.includes(value) : test.includes(value)
}

export function reasons(without: Without = {}): (row: unknown) => string | null {
  const tests = Object.entries(without).flatMap(([reason, members]) =>
    Object.entries(members).map(([member, test]) => ({ reason, read: reader(member), test })),
  )
  return (row) => tests.find(({ read, test }) => holds(test, read(row)))?.reason ?? null
}

/** A list: where it is, where its rows are, which of them do not count, and what a venue's functions read of them. */
export interface ListForm {
  readonly path: string
  readonly envelope?: AnswerForm
  readonly without?: Without
  readonly also?: readonly Member[]
}

type RowForm = Readonly<Record<string, Member | readonly Member[] | undefined>>

/** Returns the names of the members that are read of a list: of its envelope and of its rows. */
export function namesRead({ row, without = {}, also = [], envelope = {} }: ListForm & { readonly row: RowForm }) {
  const ofRows = [...Object.values(row).flat(), ...also, ...Object.values(without).flatMap(Object.keys)]
  return [...ofRows, envelope.rows, envelope.ok?.[0]].flatMap((member = '') => String(member).split('.'))
}

export function template(text: string): (values: Readonly<Record<string, string | number>>) => string {
  const parts = text.split(/[{}]/)
  return (values) => parts.map((part, index) => (index % 2 === 0 ? part : (values[part] ?? ''))).join('')
}
