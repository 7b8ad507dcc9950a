import { setMaxListeners } from 'node:events'
import { feedOf } from '../src/core/feed/feed.ts'
import { NOTHING_BEFORE } from '../src/core/feed/listing.ts'
import { openRegistry } from '../src/core/registry/registry.ts'
import { collect } from '../src/core/sources/collect.ts'
import { okx } from '../src/core/sources/okx.ts'
import type { Observation, Source } from '../src/core/sources/source.ts'
import { SAMPLE_SPELLINGS, priceAt, randomOf, sampleSources, sampleWorld } from '../src/core/sources/sample/sample.ts'
import { seconds } from './bench-run.ts'
import { print } from './terminal.ts'

const VENUES = 12
const PAIRS = 1667

/** Returns a venue's ticker list: each asset in four currencies, in the wire format of OKX. */
function bodyOf(venue: number, at: number): string {
  const { assets } = sampleWorld(at, 1200)
  const random = randomOf(venue)
  const worth = new Map(assets.map((asset) => [asset.symbol, priceAt(asset, at) ?? 1]))
  const data = assets
    .flatMap(({ symbol }) => ['USDT', 'USDC', 'BTC', 'USD'].map((quote) => ({ symbol, quote })))
    .filter(({ symbol, quote }) => symbol !== quote)
    .slice(0, PAIRS)
    .map(({ symbol, quote }) => {
      const last = ((worth.get(symbol) ?? 1) / (worth.get(quote) ?? 1)) * (1 + (random() - 0.5) * 0.002)
      return {
        instType: 'SPOT',
        instId: `${symbol.replaceAll('-', '')}-${quote}`,
        last: String(last),
        bidPx: String(last * 0.999),
        askPx: String(last * 1.001),
        open24h: String(last * 0.98),
        vol24h: String(1e6 * random()),
        volCcy24h: '',
        ts: String(at),
      }
    })
  return JSON.stringify({ code: '0', msg: '', data })
}

/** Prints CPU and memory from response bodies to priced listings: parsing, matching and pricing 20,000 quotes of 12 venues. */
export async function benchFeed(_: string, at: number): Promise<void> {
  const registry = openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS })
  const bodies = Array.from({ length: VENUES }, (_, venue) => bodyOf(venue, at))
  const [aggregator] = sampleSources(at, 1200)
  if (!aggregator) throw new Error('the sample has no aggregator')
  let told: Iterable<Observation> | undefined
  // What the sample invents is no work of a feed.
  const list: Source = {
    ...aggregator,
    observe: async (http, wants) => (told ??= [...(await aggregator.observe(http, wants))]),
  }
  const venues = bodies.map((_, venue) => ({ ...okx, id: `venue-${venue}`, label: `Venue ${venue}` }))
  const bodyAt = new Map(venues.map(({ id }, venue) => [id, bodies[venue] ?? '']))
  const once = async () => {
    const { signal } = new AbortController()
    // Every venue listens to the signal. Node warns of a leak above 10 listeners.
    setMaxListeners(0, signal)
    const reports = await collect([list, ...venues], {
      at,
      now: () => performance.now(),
      signal,
      connect: (source) => ({
        stats: { requests: 0, retries: 0, bytes: 0 },
        json: async (_path, schema) => schema.parse(JSON.parse(bodyAt.get(source.id) ?? '')),
        close: async () => {},
      }),
      wants: () => ({ listings: null, profiles: () => [], tokens: [] }),
    })
    const { snapshot } = feedOf({
      reports,
      registry,
      previous: NOTHING_BEFORE,
      now: at,
      label: 'bench',
      nextBuildAt: at,
    })
    return {
      quotes: reports.reduce((sum, { quotes }) => sum + quotes.length, 0),
      priced: snapshot.listed.filter(({ asset }) => asset.price_usd !== null).length,
    }
  }
  await once()
  globalThis.gc?.()
  const start = process.cpuUsage()
  const before = process.memoryUsage().heapUsed
  const { quotes, priced } = await once()
  const { user, system } = process.cpuUsage(start)
  const heapMiB = (process.memoryUsage().heapUsed - before) / 2 ** 20
  print(
    `${quotes} quotes of 12 venues to ${priced} priced listings: ${seconds((user + system) / 1000)} CPU (under 1 s), heap grew ` +
      `${heapMiB.toFixed(0)} MiB (under 400)`,
  )
}
