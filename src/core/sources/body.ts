import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Limits } from './pace.ts'
import { SourceError } from './source-error.ts'

export interface Meter {
  readonly received: (bytes: number) => void
  /** Called with the number of decoded bytes. @throws SourceError if the volume of the source is exceeded */
  readonly decoded: (bytes: number) => void
}

/** Up to this size every ratio is allowed: a page of spaces compresses a thousandfold. */
const HARMLESS_BYTES = 2 ** 20

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
])

export const ACCEPT_ENCODING = 'gzip, br, deflate'

// Error codes of zlib (Z_DATA_ERROR) and brotli (ERR_PADDING_1). A lost connection is UND_ERR_* or E*.
const UNDECODABLE = /^(Z_|ERR_)/

/** Returns the decoded text of a body. @throws SourceError `source_invalid` if it is too large or cannot be decoded */
export async function textOf(
  body: Readable,
  { encoding, name, limits, meter }: { encoding: string; name: string; limits: Limits; meter: Meter },
): Promise<string> {
  // An aborted body emits an error (undici: RequestAbortedError), and an `error` event without a listener ends the process.
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
  // No callback is needed: an error of any stage ends the last one, and so the loop below.
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
