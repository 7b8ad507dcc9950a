import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

export type Coding = 'br' | 'gzip'

// Brotli's effort goes to 11, which takes seconds for a long list; at 5 it is as fast as gzip at 6, and smaller. A window
// of 2^18 bytes instead of 2^22 saves several MB in each run, and costs a long list of short rows next to nothing.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } }

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** A body in a coding. */
export const encode = (body: Uint8Array, coding: Coding): Promise<Buffer> =>
  coding === 'br' ? brotli(body, BROTLI) : deflate(body)

/**
 * The coding to answer with: the one the client likes best, br before gzip before none where it likes both as much. None
 * also where it refuses every one: an answer that it may not read is more than a refusal that it may not read either.
 * RFC 9110 section 12.5.3.
 */
export function codingFor(accepted: string): Coding | null {
  if (accepted === '') return null
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
      const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined)
      return [name.trim(), q === undefined ? 1 : Number(q)] as const
    }),
  )
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [br, gz, plain] = [weight('br'), weight('gzip'), weights.get('identity') ?? 0]
  if (Math.max(br, gz) <= 0 || plain > Math.max(br, gz)) return null
  return br >= gz ? 'br' : 'gzip'
}

/** Different headers that are remembered; real clients send a handful. */
const REMEMBERED = 100

/** {@link codingFor}, which thinks once about each header. */
export function rememberedCodings(): (accepted: string) => Coding | null {
  const known = new Map<string, Coding | null>()
  return (accepted) => {
    const before = known.get(accepted)
    if (before !== undefined) return before
    const coding = codingFor(accepted)
    if (known.size < REMEMBERED) known.set(accepted, coding)
    return coding
  }
}
