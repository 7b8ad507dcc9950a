import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { closesDay, closesFile } from '../src/contract/closes.ts'
import { compose } from '../src/endpoints/compose.ts'
import type { World } from '../src/endpoints/endpoint.ts'
import { published } from '../src/endpoints/table.ts'
import { worldWithoutPast } from '../src/endpoints/world-without-past.ts'
import { feedOf } from '../src/feed/feed.ts'
import { NOTHING_BEFORE } from '../src/feed/listing.ts'
import { type ExtendedCloses, extendedCloses } from '../src/history/closes.ts'
import { NO_CANDLES } from '../src/history/extended-candles.ts'
import { type Footprint, footprintOf, hostsFor } from '../src/hosting/budgets.ts'
import { collect } from '../src/sources/collect.ts'
import { randomOf } from '../src/sources/sample/random.ts'
import { PublishedManifest } from '../src/tree/published-documents.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { Tree } from '../src/tree/tree.ts'
import { writeArchive } from '../src/tree/write-archive.ts'
import { sampleRun } from './sample-run.ts'

const DAY_MS = 86_400_000
const HALF_HOUR_MS = 1_800_000
/** One day in so many is compressed. */
const SAMPLED = 100

/** What the daily closes of years take. */
export interface ClosesFigures {
  readonly listings: number
  readonly days: number
  /** Documents of days, with their bytes, and those of a sample of them as br at quality 5 and 11. */
  readonly files: number
  readonly bytes: number
  readonly largest: number
  readonly compressed: readonly [quality5: number, quality11: number]
  readonly footprint: Footprint
  readonly hosts: ReturnType<typeof hostsFor>
  /** CPU of a run in the first and in the last tenth of the days. */
  readonly runMs: readonly [first: number, last: number]
  /** The state archive: written whole, and by the run after that. */
  readonly archive: {
    readonly bytes: number
    readonly wholeMs: number
    readonly nextMs: number
    readonly months: number
  }
}

const ENDPOINTS = published.filter(({ name }) =>
  ['closes', 'closes-of-day', 'collector', 'manifest', 'index'].includes(name),
)

/** The listings of the sample at one time, without their past. */
async function listingsAt(at: number, count: number): Promise<World> {
  const { registry, sources, signal, connect } = sampleRun('', at, count)
  const wants = () => ({ listings: null, profiles: () => [], tokens: [] })
  const reports = await collect(sources, { at, now: () => 0, signal, connect, wants })
  const { snapshot } = feedOf({ registry, reports, previous: NOTHING_BEFORE, now: at, label: 'bench', nextBuildAt: at })
  return worldWithoutPast(snapshot)
}

/** A feed whose prices, volumes and market caps walk from run to run. */
function walking(world: World) {
  const random = randomOf(1)
  const factors = world.listed.map(() => 1)
  const digits = (value: number | null, factor: number, count: number) =>
    value === null ? null : Number((value * factor).toPrecision(count))
  return () =>
    world.listed.map(({ asset, markets }, at) => {
      const factor = (factors[at] ?? 1) * (1 + (random() - 0.5) * 0.04)
      factors[at] = factor
      const { price_usd, volume_24h_usd, market_cap_usd } = asset
      return {
        markets,
        asset: {
          ...asset,
          price_usd: digits(price_usd, factor, 8),
          volume_24h_usd: digits(volume_24h_usd, factor, 11),
          market_cap_usd: digits(market_cap_usd, factor, 13),
        },
      }
    })
}

/** Returns an empty tree, and a function that publishes the closes of a day in it. */
async function treeOfCloses(root: string, begin: number, listings: number) {
  const world = await listingsAt(begin, listings)
  const walk = walking(world)
  const tree = new Tree(root)
  const extend = (now: number, earlier: ExtendedCloses | null): ExtendedCloses => {
    const day = new Date(now).toISOString().slice(0, 10)
    const pending = earlier && new Map([[closesFile(day), JSON.stringify(earlier.closesOf(day))]])
    return extendedCloses({
      snapshot: { listed: walk(), sources: world.sources },
      files: [...tree.files, ...(pending?.keys() ?? [])],
      last: { read: (file) => pending?.get(file) ?? tree.read(file), head: (file) => tree.head(file) },
      candles: NO_CANDLES,
      now,
      interval: '30m',
      keptDays: null,
    })
  }
  /** A day of two runs, of which the second is published. Returns its CPU in ms. */
  const publishDay = (day: number): number => {
    const open = begin + day * DAY_MS
    const first = extend(open, null)
    const before = process.cpuUsage()
    const at = open + DAY_MS - HALF_HOUR_MS
    const closes = extend(at, first)
    const today: World = { ...world, closes, at: `${new Date(at).toISOString().slice(0, 19)}Z` }
    tree.publish(compose({ endpoints: ENDPOINTS, attachments: [] }, today, (file) => tree.last(file), 'Quotetree'))
    return cpuSince(before)
  }
  return { tree, publishDay }
}

/** Writes the closes of `days` days of two runs each by the program's own stages and publications, and measures them. */
export async function benchCloses(
  root: string,
  begin: number,
  {
    listings,
    days,
    onYear,
  }: { readonly listings: number; readonly days: number; readonly onYear: (day: string) => void },
): Promise<ClosesFigures> {
  const { tree, publishDay } = await treeOfCloses(root, begin, listings)
  const spent: number[] = []
  for (let day = 0; day < days; day++) {
    spent.push(publishDay(day))
    if (day % 365 === 364) onYear(new Date(begin + day * DAY_MS).toISOString().slice(0, 10))
  }
  const tenth = Math.ceil(days / 10)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const whole = await timed(() => writeArchive(tree))
  publishDay(days)
  const next = await timed(() => writeArchive(tree))
  const { rows } = PublishedManifest.parse(JSON.parse(tree.read(LAYOUT.manifest) ?? ''))
  const ofDays = rows.filter(({ path }) => closesDay(path) !== null)
  const footprint = footprintOf(rows, published)
  return {
    listings,
    days: ofDays.length,
    files: ofDays.length,
    bytes: ofDays.reduce((sum, { bytes }) => sum + bytes, 0),
    largest: Math.max(...ofDays.map(({ bytes }) => bytes)),
    compressed: compressedShare(root, ofDays),
    footprint,
    hosts: hostsFor(footprint),
    runMs: [mean(spent.slice(0, tenth)), mean(spent.slice(-tenth))],
    archive: { bytes: next.value.bytes, wholeMs: whole.ms, nextMs: next.ms, months: next.value.months.length },
  }
}

/** Returns the share of the bytes that a sample of files has as br at quality 5 and 11. */
function compressedShare(root: string, rows: readonly { readonly path: string }[]): readonly [number, number] {
  const sampled = rows.filter((_, at) => at % SAMPLED === 0).map(({ path }) => readFileSync(join(root, path)))
  const whole = sampled.reduce((sum, { length }) => sum + length, 0)
  const share = (quality: number) => sampled.reduce((sum, body) => sum + brotliAt(body, quality), 0) / whole
  return [share(5), share(11)]
}

const brotliAt = (body: Buffer, quality: number): number =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length

const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const before = process.cpuUsage()
  const value = await work()
  return { value, ms: cpuSince(before) }
}
