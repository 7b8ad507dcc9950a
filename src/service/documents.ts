import * as z from 'zod'
import type { Value } from '../contract/parameters.ts'
import { pickedRows } from '../contract/picked.ts'
import { cut, print } from '../contract/text.ts'
import { Envelope } from '../contract/envelope.ts'
import { Timestamp } from '../contract/words.ts'
import { sha256 } from './digest.ts'
import type { Resolution } from './resolve.ts'

/** Where the published files are. */
export interface Store {
  /** Text of a file of the tree, null where there is none. */
  read(file: string): Promise<string | null>
}

/** A body to answer with, and what its headers are made of. */
export interface Body {
  readonly text: string
  /** SHA-256 of the text, hexadecimal. */
  readonly sha256: string
  /** As an HTTP date. */
  readonly lastModified: string
}

type Asked = Extract<Resolution, { kind: 'document' }>

/** The body of a document: its own file, or the longer one cut to the rows that were asked for, or rows picked from it. */
export async function bodyOf({ spec, file, cut: shorter, pick }: Asked, store: Store): Promise<Body | null> {
  const own = await store.read(file)
  if (own !== null && pick) {
    const picked = pickedFrom(own, spec.name, pick.member, pick.value)
    return picked === null ? null : seal(picked)
  }
  if (own !== null) return seal(own)
  const full = shorter && (await store.read(shorter.file))
  return full ? seal(cut(full, shorter.rows)) : null
}

/**
 * The name of the document that a request asks for, the same for all requests with the same answer: a list of nine rows is
 * one document under `limit=9` and every higher one.
 */
export async function documentName({ file, cut: shorter, pick }: Asked, store: Store): Promise<string> {
  if (pick) return `${file} ${pick.member}=${pick.value}`
  if (!shorter || (await store.read(file)) !== null) return file
  const full = await store.read(shorter.file)
  return full !== null && rowsOf(full) <= shorter.rows ? shorter.file : file
}

const COUNT = /\n"count":(\d+),/
/** The envelope of a list, with its count, comes before its rows and is far shorter. */
const ENVELOPE_LENGTH = 4000

const rowsOf = (text: string): number =>
  Number(COUNT.exec(text.slice(0, ENVELOPE_LENGTH))?.[1] ?? Number.POSITIVE_INFINITY)

const Listed = z.object({ ...Envelope, rows: z.array(z.looseObject({})) })

/** The answer of another endpoint, made of the rows with a value in a member; null where there is none. */
function pickedFrom(text: string, endpoint: string, member: string, value: Value): string | null {
  // Most names that are asked for are in no row, and to parse a long list takes long.
  if (!text.includes(JSON.stringify(value))) return null
  const { rows: all, ...envelope } = Listed.parse(JSON.parse(text))
  const members = pickedRows(all, member, value)
  return members && print({ ...envelope, endpoint, ...members })
}

const TIMESTAMP = /^"timestamp":"([^"]+)"/m

/** A text as a body: its digest, and the date of its data. */
export async function seal(text: string): Promise<Body> {
  const digest = await sha256(text)
  const timestamp = Timestamp.safeParse(TIMESTAMP.exec(text.slice(0, 1000))?.[1])
  return { text, sha256: digest, lastModified: new Date(timestamp.success ? timestamp.data : 0).toUTCString() }
}

const REPLACED = /"replaced(?:_by|By)":"([a-z0-9-]+)"/

/** The slug that took the place of an asset's, told from any of its documents; null for one that stands for itself. */
export const successorIn = (text: string): string | null => REPLACED.exec(text)?.[1] ?? null
