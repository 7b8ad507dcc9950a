import { EVERY_ANSWER, EXPOSES_MORE, isUnchanged, namesTag, preflight } from './headers.ts'

/** Bytes of a file: `length` from `from`. */
interface ByteRange {
  readonly from: number
  readonly length: number
}

/** Files that answer ranges: tables for analysts and those of rows. They are compressed inside, so no coding is applied to them. */
export const RANGED = /\.(jsonl\.gz|parquet)$/

export interface RangedFile {
  readonly bytes: number
  readonly headers: Readonly<Record<'etag' | 'last-modified', string>> & Readonly<Record<string, string>>
  readonly read: (range: ByteRange) => Promise<Uint8Array<ArrayBuffer>> | ReadableStream
}

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

/** Whether a range may be sent: `If-Range` names this version of the file by its strong ETag or its date, or is absent. */
function isSameVersion(condition: string | null, { headers }: RangedFile): boolean {
  if (condition === null) return true
  const { etag, 'last-modified': lastModified } = headers
  if (condition.includes('"')) return !etag.startsWith('W/') && condition.trim() === etag
  return condition.trim() === lastModified
}

/** Answers a GET or HEAD of a file with ranges. */
export async function rangedResponse(request: Request, file: RangedFile): Promise<Response> {
  const headers = { ...EVERY_ANSWER, ...EXPOSES_MORE, ...file.headers, 'accept-ranges': 'bytes' }
  const { etag, 'last-modified': lastModified } = headers
  const condition = request.headers.get('if-match')
  if (condition !== null && !namesTag(condition, etag)) return new Response(null, { status: 412, headers })
  if (isUnchanged(Object.fromEntries(request.headers), etag, lastModified))
    return new Response(null, { status: 304, headers })
  const asked = request.headers.get('range')
  const isWhole = asked === null || request.method !== 'GET' || !isSameVersion(request.headers.get('if-range'), file)
  const range = isWhole ? null : rangeIn(asked, file.bytes)
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${file.bytes}` } })
  if (range === null)
    return new Response(request.method === 'HEAD' ? null : await file.read({ from: 0, length: file.bytes }), {
      headers: { ...headers, 'content-length': String(file.bytes) },
    })
  const { from, length } = range
  return new Response(await file.read(range), {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(length),
      'content-range': `bytes ${from}-${from + length - 1}/${file.bytes}`,
    },
  })
}

/** Answers the preflight of a request for a range, which some browsers send. */
export const rangePreflight = (): Response => preflight(['GET', 'HEAD', 'OPTIONS'], 'Range, If-Range')
