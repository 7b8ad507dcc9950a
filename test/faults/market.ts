import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { Source } from '../../src/core/sources/source.ts'

export interface Coin {
  readonly number: number
  readonly symbol: string
  readonly price: number
}

/** The market that the upstreams of the fault matrix speak of, as one source sees it. */
export interface Market {
  readonly now: number
  readonly coins: readonly Coin[]
  /** The coins that this source lists or trades: never all, so that each fault leaves some coins alone. */
  readonly own: readonly Coin[]
  /** Contracts on Ethereum: of the first coin, of the dollar that it is paired with, and of their pool. */
  readonly token: { readonly address: string; readonly dollar: string; readonly pool: string }
}

/**
 * Bodies of one upstream by path, the longest path first that a request begins with. `<path> page=1` is for requests with
 * that query. A source named `x` has its upstream in `test/sources/x.upstream.ts`, exported as `upstream`.
 */
export type Upstream = (market: Market) => Readonly<Record<string, unknown>>

const Module = z.object({ upstream: z.custom<Upstream>((value) => typeof value === 'function') })
const folder = fileURLToPath(new URL('../sources', import.meta.url))
const ENDING = '.upstream.ts'

/** Thirty-six coins with three letters each, `CAA` to `CBJ`. */
const COINS: readonly Coin[] = Array.from({ length: 36 }, (_, number) => ({
  number,
  symbol: `C${String.fromCharCode(65 + Math.floor(number / 26))}${String.fromCharCode(65 + (number % 26))}`,
  price: 10 + number,
}))

const TOKEN = {
  address: '0x00000000000000000000000000000000000000c0',
  dollar: '0x00000000000000000000000000000000000000e0',
  pool: '0x00000000000000000000000000000000000000d0',
}

/** Aggregators share coins without a turn and have those of their own; a venue trades all but those of its turn. */
function ownCoins(source: Source, sources: readonly Source[]): readonly Coin[] {
  const alike = sources.filter(({ type }) => type === source.type)
  const turn = alike.indexOf(source)
  if (source.type === 'aggregator')
    return COINS.filter(({ number }) => [0, turn + 1].includes(number % (alike.length + 1)))
  return COINS.filter(({ number }) => number % alike.length !== turn)
}

export async function bodiesOf(sources: readonly Source[], now: number): Promise<ReadonlyMap<string, unknown>> {
  const files = new Set(readdirSync(folder))
  const bodies = await Promise.all(
    sources
      .filter(({ id }) => files.has(`${id}${ENDING}`))
      .map(async (source) => {
        const { upstream } = Module.parse(await import(join(folder, `${source.id}${ENDING}`)))
        const own = ownCoins(source, sources)
        return Object.entries(upstream({ now, coins: COINS, own, token: TOKEN })).map(
          ([path, body]) => [`${source.host}${path}`, body] as const,
        )
      }),
  )
  return new Map(bodies.flat())
}
