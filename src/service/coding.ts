import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { weightsIn } from './headers.ts'

export type Coding = 'br' | 'gzip'

// Brotli at quality 11 takes seconds for a long list. At 5 it is as fast as gzip at 6, and smaller. A window of 2^18 bytes
// instead of 2^22 saves several MB of memory, and hardly affects a long list of short rows.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } }

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

export const encode = (body: Uint8Array, coding: Coding): Promise<Buffer> =>
  coding === 'br' ? brotli(body, BROTLI) : deflate(body)

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
