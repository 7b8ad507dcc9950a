import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib'
import type { ENCODINGS } from './layout.ts'

const COMPRESSIBLE = /\.(json|html|css|js|svg|xml|txt|csv|ndjson|webmanifest)$/
/** Smaller files fit into one packet uncompressed. */
const LEAST_BYTES = 1024
// 9 of 11: a tenth of the time for a few percent more bytes. Thousands of files change every half hour.
const BROTLI_EFFORT = 9

export const isCompressible = (file: string, bytes: number): boolean => COMPRESSIBLE.test(file) && bytes >= LEAST_BYTES

/**
 * Returns the binary logarithm of the smallest window that spans a file (RFC 7932 section 9.1). The default of 4 MiB sets
 * up as much memory for every file, which takes several times as long as compressing a small one.
 */
const windowFor = (bytes: number): number =>
  Math.min(
    constants.BROTLI_DEFAULT_WINDOW,
    Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(bytes + 16))),
  )

export function encodings(body: Uint8Array): readonly (readonly [(typeof ENCODINGS)[number], Buffer])[] {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_EFFORT,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    [constants.BROTLI_PARAM_LGWIN]: windowFor(body.length),
  }
  return [
    ['.gz', gzipSync(body, { level: 9 })],
    ['.br', brotliCompressSync(body, { params })],
  ]
}

/** Returns what a precompressed file has; null if it cannot be unpacked. */
export function unpacked(file: string, content: Uint8Array | null): Uint8Array | null {
  try {
    return content && (file.endsWith('.gz') ? gunzipSync(content) : brotliDecompressSync(content))
  } catch {
    return null
  }
}
