import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { weightsIn } from './headers.ts'

export type Coding = 'br' | 'gzip'

// Brotli at quality 11 takes seconds for a long list. At 5 it is as fast as gzip at 6, and smaller. A window of 2^18 bytes
// instead of 2^22 saves several MB of memory, and hardly affects a long list of short rows.
const brotliOptions = (quality: number) => ({
  params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 18 },
})
const BROTLI = brotliOptions(5)
// `/prices`, 31 KB: 14.6 KB in 3 ms at 5, 12.7 KB in 30 ms at 10. Worth it for the few documents that many clients poll.
const DENSE_BROTLI = brotliOptions(10)
/** Larger bodies take too long at a high quality. */
const MOST_DENSE_BYTES = 64 * 1024

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Compresses a body. With `isPolled`, it takes more time for a smaller result, unless the body is large. */
export const encode = (body: Uint8Array, coding: Coding, isPolled = false): Promise<Buffer> =>
  coding === 'br'
    ? brotli(body, isPolled && body.byteLength <= MOST_DENSE_BYTES ? DENSE_BROTLI : BROTLI)
    : deflate(body)

/**
 * Returns the content coding for an Accept-Encoding header (RFC 9110 section 12.5.3): the one with the highest weight, br
 * before gzip before none if equal. If the client refuses all codings, the answer has none: it is more useful than a 406.
 */
export function codingFor(accepted: string): Coding | null {
  if (accepted === '') return null
  const weights = weightsIn(accepted)
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [br, gz, plain] = [weight('br'), weight('gzip'), weights.get('identity') ?? 0]
  if (Math.max(br, gz) <= 0 || plain > Math.max(br, gz)) return null
  return br >= gz ? 'br' : 'gzip'
}
