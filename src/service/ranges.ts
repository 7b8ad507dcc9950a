import { EVERY_ANSWER, EXPOSES_MORE, isUnchanged, namesTag, preflight } from './headers.ts'

interface ByteRange {
  readonly from: number
  readonly length: number
}

/** Files that answer ranges: tables for analysts and those of rows. They are compressed inside, so no coding is applied to them. */
export const RANGED = /\.(jsonl\.gz|parquet)$/

/**
 * Returns the range of a `Range` header (RFC 9110 section 14.1.2). Null: the header is to be ignored, because it is not one
 * range of bytes. `unsatisfiable`: the file has no byte of it.
 */
export function rangeIn(header: string, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { from: bytes - length, length }
  }
  const [from, to] = [Number(first), last === '' ? Infinity : Number(last)]
  if (to < from) return null
  return from >= bytes ? 'unsatisfiable' : { from, length: Math.min(to + 1, bytes) - from }
}

type FileHeaders = Readonly<Record<'etag' | 'last-modified', string>> & Readonly<Record<string, string>>

/** Whether a range may be sent: `If-Range` names this version of the file by its strong ETag or its date, or is absent. */
function isSameVersion(condition: string | null, { etag, 'last-modified': lastModified }: FileHeaders): boolean {
  if (condition === null) return true
  if (condition.includes('"')) return !etag.startsWith('W/') && condition.trim() === etag
  return condition.trim() === lastModified
}

/** Returns status and headers of the answer to a GET or HEAD of a file with ranges, and the bytes that it has; null: none. */
export function rangedAnswer({ method, headers: asked }: Request, bytes: number, file: FileHeaders) {
  const headers = { ...EVERY_ANSWER, ...EXPOSES_MORE, ...file, 'accept-ranges': 'bytes' }
  const without = (status: number, more = {}) => ({ status, headers: { ...headers, ...more }, part: null })
  const condition = asked.get('if-match')
  if (condition !== null && !namesTag(condition, file.etag)) return without(412)
  if (isUnchanged(Object.fromEntries(asked), file.etag, file['last-modified'])) return without(304)
  const isPartial = method === 'GET' && isSameVersion(asked.get('if-range'), file)
  const range = isPartial ? rangeIn(asked.get('range') ?? '', bytes) : null
  if (range === 'unsatisfiable') return without(416, { 'content-range': `bytes */${bytes}` })
  if (method === 'HEAD') return without(200, { 'content-length': String(bytes) })
  const part = range ?? { from: 0, length: bytes }
  const place = range && { 'content-range': `bytes ${range.from}-${range.from + range.length - 1}/${bytes}` }
  return {
    status: range === null ? 200 : 206,
    headers: { ...headers, ...place, 'content-length': String(part.length) },
    part,
  }
}

export const rangePreflight = (): Response => preflight(['GET', 'HEAD', 'OPTIONS'], 'Range, If-Range')
