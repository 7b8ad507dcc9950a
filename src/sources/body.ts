import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { SourceError } from './source-error.ts'

/** How large a body may be. */
export interface BodyLimits {
  /** Most bytes after decoding. */
  readonly maxBytes: number
  /** Most bytes that one received byte may become. */
  readonly maxRatio: number
}

/** Told of a body while it arrives. */
export interface Meter {
  /** Bytes as they came over the wire. */
  readonly received: (bytes: number) => void
  /** Bytes after decoding. Throws SourceError when they are more than may be kept. */
  readonly decoded: (bytes: number) => void
}

/** Below this size no ratio is suspicious: a page of spaces packs a thousandfold. */
const HARMLESS_BYTES = 2 ** 20

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
])

/** What {@link textOf} can decode, as Accept-Encoding says it. */
export const ACCEPT_ENCODING = 'gzip, br, deflate'

// zlib says Z_DATA_ERROR and the like, brotli ERR_PADDING_1 and the like; a lost connection is UND_ERR_* or E*.
const UNDECODABLE = /^(Z_|ERR_)/

/**
 * Reads a body to its end, decodes it and hands back its text. It is measured while it arrives: a body that grows past
 * a limit is cut off there, not kept. `name` is what errors call it. Throws SourceError `source_invalid` for a body too
 * large or undecodable; a lost connection as it is.
 */
export async function textOf(
  body: Readable,
  encoding: string,
  name: string,
  limits: BodyLimits,
  meter: Meter,
): Promise<string> {
  // A body given up half-way reports its own abort (undici: RequestAbortedError). Nobody waits for that, and an `error`
  // that nobody listens to ends the process.
  body.on('error', () => {})
  const decoder = DECODERS.get(encoding)
  if (decoder === undefined && encoding !== '' && encoding !== 'identity') {
    body.destroy()
    throw new SourceError('source_invalid', `${name}: unknown content encoding`)
  }

  let arrived = 0
  async function* measured(parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      arrived += part.length
      meter.received(part.length)
      yield part
    }
  }
  // The callback has nothing to do: an error of any stage ends the last one, and with it the loop below.
  const decoded = decoder ? pipeline(body, measured, decoder(), () => {}) : measured(body)

  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of decoded) {
      parts.push(part)
      size += part.length
      meter.decoded(part.length)
      if (size > limits.maxBytes) throw new SourceError('source_invalid', `${name}: more than ${limits.maxBytes} bytes`)
      if (size > HARMLESS_BYTES && size > arrived * limits.maxRatio)
        throw new SourceError('source_invalid', `${name}: packed more than ${limits.maxRatio} to 1`)
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    throw UNDECODABLE.test(code) ? new SourceError('source_invalid', `${name}: undecodable body`, { cause }) : cause
  }
  return Buffer.concat(parts).toString()
}
