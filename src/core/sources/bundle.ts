import { readFileSync, readdirSync, statSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import * as z from 'zod'
import { isoOf } from '../contract/time.ts'
import { sha256Of, hashing } from '../contract/digest.ts'
import { by, groupBy } from '../contract/order.ts'
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  BundleHeader,
  MOST_ROWS,
  type ObservationRow,
  type BundleSource,
  type PastRow,
} from '../contract/observations.ts'
import { parseJson } from '../contract/read-json.ts'
import type { SourceErrorCode } from '../contract/words.ts'
import { parsedRows, reasonOf } from './rows.ts'
import { SourceError } from './source-error.ts'

export interface Bundle {
  readonly header: BundleHeader
  readonly rows: ReadonlyMap<string, readonly ObservationRow[]>
}

/** Why a recording is not used. Its header, where it can be read, names the sources that fail with this error. */
export class BundleError extends SourceError {
  readonly header: BundleHeader | null

  constructor(message: string, header: BundleHeader | null = null, code: SourceErrorCode = 'source_invalid') {
    super(code, message)
    this.header = header
  }
}

/** Largest bundle that is read. That of a first run of the sample, with the past, takes 46 MB as a file and 119 MB as text. */
export const BUNDLE_LIMITS = {
  bytes: 64 * 2 ** 20,
  textBytes: 192 * 2 ** 20,
  rowsPerSource: MOST_ROWS,
  lineLength: 2 ** 20,
  files: 1000,
}
export type BundleLimits = Readonly<typeof BUNDLE_LIMITS>

const BUNDLE_ENDING = '.ndjson.gz'

export interface NamedFile {
  readonly name: string
  readonly bytes: Buffer
}

/** RFC 1952: the tenth byte is the operating system, 255 unknown. It would be the only trace of the machine. */
const OPERATING_SYSTEM = 9

export function encodeBundle({ header, rows }: Bundle): NamedFile {
  const sources = header.sources.toSorted(by((row) => row.source_id))
  const first = BundleHeader.parse({ ...header, expected: header.expected.toSorted(), sources })
  const lines = [first, ...sources.flatMap(({ source_id }) => rows.get(source_id) ?? [])]
  const bytes = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { level: 6 })
  bytes[OPERATING_SYSTEM] = 255
  // The digest comes last. Before it is what a person looks for: the time, and the sources if they are few.
  const time = isoOf(header.clock).replaceAll(/[-:]/g, '')
  const of = sources.length === 1 ? (sources[0]?.source_id ?? '') : `${sources.length}-sources`
  return { name: `${time}-${of}-${sha256Of(bytes)}${BUNDLE_ENDING}`, bytes }
}

export function decodeBundle(file: NamedFile, limits: BundleLimits = BUNDLE_LIMITS) {
  const text = textOf(file, limits)
  const [first = '', ...lines] = text.toString().split('\n')
  if (lines.pop() !== '') throw new BundleError('its last line is cut off')
  if ([first, ...lines].some(({ length }) => length > limits.lineLength))
    throw new BundleError(`a line has more than ${limits.lineLength} characters`)
  const header = headerIn(jsonIn(first))
  try {
    return { header, rows: rowsIn(lines, header, limits), textBytes: text.length }
  } catch (error) {
    throw error instanceof SourceError ? new BundleError(error.message, header) : error
  }
}

/** Returns the text of a file whose bytes are those of its name. */
function textOf({ name, bytes }: NamedFile, limits: BundleLimits): Buffer {
  refuseLength(bytes.length, limits)
  if (sha256Of(bytes) !== /([0-9a-f]{64})\.ndjson\.gz$/.exec(name)?.[1])
    throw new BundleError('its bytes do not have the digest that its name ends in')
  try {
    return gunzipSync(bytes, { maxOutputLength: limits.textBytes })
  } catch (cause) {
    const isTooLong = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
    throw new BundleError(isTooLong ? `its text has more than ${limits.textBytes} bytes` : 'it cannot be decompressed')
  }
}

function refuseLength(length: number, { bytes }: BundleLimits): void {
  if (length > bytes) throw new BundleError(`it has ${length} bytes and at most ${bytes} are read`)
}

function jsonIn(line: string): unknown {
  const value = parseJson(line)
  if (value === undefined) throw new BundleError('a line is not JSON')
  return value
}

const Versioned = z.object({ format: z.literal(BUNDLE_FORMAT), version: z.number() })

function headerIn(value: unknown): BundleHeader {
  const version = Versioned.safeParse(value).data?.version
  if (version === undefined) throw new BundleError('its first line is not the header of a recording')
  if (version > BUNDLE_VERSION)
    throw new BundleError(`it has version ${version} and this program reads up to ${BUNDLE_VERSION}`)
  const header = BundleHeader.safeParse(value)
  if (header.success) return header.data
  throw new BundleError(`its header is invalid: ${reasonOf(header.error)}`)
}

const SourceOf = z.object({ source_id: z.string() })

function rowsIn(lines: readonly string[], { sources }: BundleHeader, limits: BundleLimits): Bundle['rows'] {
  const values = groupBy(lines.map(jsonIn), (value) => SourceOf.safeParse(value).data?.source_id ?? 'no source')
  const stray = [...values.keys()].find((id) => !sources.some(({ source_id }) => source_id === id))
  if (stray !== undefined) throw new BundleError(`it has rows of ${stray}, which it does not declare`)
  return new Map(
    sources.map(({ source_id: id, rows }) => {
      const own = values.get(id) ?? []
      if (own.length !== rows) throw new BundleError(`it has ${own.length} of ${rows} rows of ${id}`)
      return [id, parsedRows(id, own, limits.rowsPerSource)]
    }),
  )
}

/**
 * Returns the SHA-256 of an answer with past prices: of its line without the bars, then of each bar as little-endian doubles,
 * their number first and NaN for null. To print the numbers would take a tenth of a first build.
 */
export function pastDigest({ bars, ...head }: PastRow): string {
  const numbers = new Float64Array(bars.reduce((sum, bar) => sum + 1 + bar.length, 0))
  let at = 0
  for (const bar of bars) {
    numbers[at++] = bar.length
    for (let place = 0; place < bar.length; place++) numbers[at++] = bar[place] ?? Number.NaN
  }
  const bytes = Buffer.from(numbers.buffer)
  if (endianness() === 'BE') bytes.swap64()
  return hashing()
    .update(`${JSON.stringify(head)}\n`)
    .update(bytes)
    .digest('hex')
}

/** Returns the SHA-256 of what sources said, however bundles divide them; past prices by {@link pastDigest}. */
export function observationsDigest(
  sources: readonly Pick<BundleSource, 'source_id' | 'error'>[],
  rows: ReadonlyMap<string, readonly ObservationRow[]>,
  past: ReadonlyMap<string, readonly string[]>,
): string {
  const hash = hashing()
  for (const { source_id, error } of sources.toSorted(by((row) => row.source_id))) {
    hash.update(`${source_id} ${error?.code ?? 'ok'}\n`)
    for (const row of rows.get(source_id) ?? []) if (row.kind !== 'past') hash.update(`${JSON.stringify(row)}\n`)
    for (const digest of past.get(source_id) ?? []) hash.update(`${digest}\n`)
  }
  return hash.digest('hex')
}

export function writeBundle(folder: string, bundle: Bundle): { readonly path: string; readonly bytes: number } {
  const file = encodeBundle(bundle)
  return { path: writeWhole(folder, file), bytes: file.bytes.length }
}

export interface BundleRead {
  readonly name: string
  readonly result: Bundle | BundleError
}

/** Returns the recordings in a folder and the folders below it, or the file itself. Drafts are none. */
const pathsIn = (place: string): string[] =>
  statSync(place, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(place, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith(BUNDLE_ENDING) && !basename(file).startsWith('.'))
        .toSorted()
        .map((file) => join(place, file))
    : [place]

/** Returns the bytes of a regular file. A pipe would be read for ever, and a file larger than any bundle is not read. */
function bytesOf(path: string, limits: BundleLimits): Buffer {
  const stats = statSync(path)
  if (!stats.isFile()) throw new BundleError('it is not a regular file')
  refuseLength(stats.size, limits)
  return readFileSync(path)
}

/** Reads the bundles of places. A bad one costs no other anything; the limits hold for each place. */
export const bundlesAt = (places: readonly string[], limits: BundleLimits = BUNDLE_LIMITS): BundleRead[] =>
  places.flatMap((place) => {
    const paths = pathsIn(place)
    const many = `it is one of ${paths.length} recordings, and at most ${limits.files} of one place are read`
    let { textBytes } = limits
    return paths.slice(0, limits.files + 1).map((path, index) => {
      const name = basename(path)
      try {
        if (index === limits.files) throw new BundleError(many)
        const result = decodeBundle({ name, bytes: bytesOf(path, limits) }, { ...limits, textBytes })
        textBytes -= result.textBytes
        return { name, result }
      } catch (error) {
        if (error instanceof BundleError) return { name, result: error }
        if (!(error instanceof Error && 'syscall' in error)) throw error
        return { name, result: new BundleError(`it cannot be read: ${error.message}`) }
      }
    })
  })

/** Writes a file by a rename: a reader never sees a part of it, and the same bytes have the same name. */
export function writeWhole(folder: string, { name, bytes }: NamedFile): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  const draft = join(folder, `.${name}.${process.pid}`)
  try {
    writeFileSync(draft, bytes)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return path
}
