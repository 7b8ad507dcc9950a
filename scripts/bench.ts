import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchAway } from './bench-away.ts'
import { type Times, benchBuild, buildSample } from './bench-build.ts'
import { benchBundles, benchMerge } from './bench-bundles.ts'
import { type Churn, benchChurn } from './bench-churn.ts'
import { benchCloses } from './bench-closes.ts'
import { benchFeed } from './bench-feed.ts'
import { benchGrowth } from './bench-growth.ts'
import { benchHistory } from './bench-history.ts'
import { benchPages } from './bench-pages.ts'
import { type Distances, benchPrice } from './bench-price.ts'
import { benchQuota } from './bench-quota.ts'
import { benchRuns } from './bench-runs.ts'
import { type Load, benchServe } from './bench-serve.ts'
import { median } from '../src/feed/statistics.ts'
import { sitePages } from './pages.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

/** A file system in memory: on a disk, the disk's time hides that of the program. */
const MEMORY = '/dev/shm'

async function build(work: string): Promise<void> {
  const places = [
    { name: 'disk', folder: work, most: 1.5 },
    ...(existsSync(MEMORY) ? [{ name: 'memory', folder: mkdtempSync(join(MEMORY, 'quotetree-bench-')), most: 3 }] : []),
  ]
  for (const { name, folder, most } of places) {
    const { documents, floor, fresh, unchanged, written } = await benchBuild(folder, NOON)
    const line = (what: string, { wallMs, cpuMs }: Times, rest = '') =>
      console.log(`${what.padEnd(18)} ${seconds(wallMs)}, ${seconds(cpuMs)} CPU${rest}`)
    const against = (mine: Times, theirs: Times) => (mine.wallMs / theirs.wallMs).toFixed(2)
    console.log(`${name}, ${documents} documents of 1,200 assets; the floor stringifies and writes them`)
    line('floor', floor)
    line('fresh build', fresh, `  ${against(fresh, floor)} x floor (at most ${most})`)
    line(
      'unchanged rebuild',
      unchanged,
      `  ${against(unchanged, fresh)} x fresh (at most 0.5), wrote ${written.join(', ')}`,
    )
    if (folder !== work) rmSync(folder, { recursive: true })
  }
}

async function feed(): Promise<void> {
  const { quotes, cpuMs, heapMiB, priced } = await benchFeed(NOON)
  console.log(
    `${quotes} quotes of 12 venues to ${priced} priced listings: ${seconds(cpuMs)} CPU (under 1 s), heap grew ${heapMiB.toFixed(0)} MiB (under 400)`,
  )
}

async function prices(): Promise<void> {
  const { assets, oneLiar, oneLiarDispersed, dispersed, twoLiars, honest } = benchPrice()
  const bp = (value: number) => `${value.toFixed(1)} bp`
  const line = (what: string, { count, median, p95, p99, max }: Distances, limits: string) =>
    console.log(`${what}: ${bp(median)} median, ${bp(p95)} p95, ${bp(p99)} p99, ${bp(max)} max of ${count} (${limits})`)
  console.log(`${assets} made assets at 3 to 12 venues; of each liar the worst of 57 lies`)
  line('one liar among four or more honest venues ', oneLiar, 'at most 10, 50, -, 100')
  line('the same of prices published as dispersed', oneLiarDispersed, 'counted apart')
  for (const { opinions, toNeighbour } of dispersed)
    console.log(
      `  venues at ${opinions.map((opinion) => opinion.toFixed(0)).join(', ')} bp of the median: a lie moves the median to a ` +
        `neighbour, up to ${bp(toNeighbour)}; any other price can be taken out of the range of three by the other two`,
    )
  line('two colluding among six', twoLiars, 'median at most 30')
  line('honest, from the median of the mids', honest, 'median at most 7, p99 60')
}

/** A first build of so many listings: 10,000 are to take at most 60 s of CPU and 1 GB. */
const growthTo =
  (count: number) =>
  async (work: string): Promise<void> => {
    const { listings, files, largestMiB, cpuMs, peakMiB } = await benchGrowth(join(work, 'tree'), NOON, count)
    console.log(
      `${listings} listings with their past: ${files} files (at most 20000), the largest ${largestMiB.toFixed(1)} MiB (at most 25), ` +
        `${seconds(cpuMs)} CPU, ${(cpuMs / listings).toFixed(1)} ms a listing, peak ${peakMiB.toFixed(0)} MiB`,
    )
  }

/** Limits of a run over 3,000 listings, and the months of the data branch. */
const LIMITS = { requests: 2500, lines: 50, branchMonthMiB: 3 }

/** Settings of the part `runs`. */
interface RunsSettings {
  readonly count: number
  /** A folder from which a later call goes on. */
  readonly keep: string | undefined
}

async function runs(work: string, { count, keep }: RunsSettings): Promise<void> {
  if (keep !== undefined) mkdirSync(keep, { recursive: true })
  const verdict = (holds: boolean) => (holds ? 'held' : 'EXCEEDED')
  const figures = await benchRuns({
    work: keep ?? work,
    begin: NOON,
    count: 3000,
    runs: count,
    onRun: (run, { cpuMs, written, requests, lines, state }) =>
      console.log(
        `  run ${run}: ${seconds(cpuMs)} CPU, ${written} files, ${requests} requests, ${lines} lines, ` +
          `state ${(state / 2 ** 20).toFixed(2)} MiB${requests > LIMITS.requests || lines > LIMITS.lines ? ', OVER A LIMIT' : ''}`,
      ),
  })
  const of = (name: 'cpuMs' | 'written' | 'requests' | 'lines' | 'state') =>
    figures.runs.map((run) => run[name]).toSorted((a, b) => a - b)
  const most = (values: readonly number[]) => values.at(-1) ?? Number.NaN
  const [requests, lines] = [of('requests'), of('lines')]
  console.log(
    `${figures.runs.length} half-hourly runs over ${figures.listings} listings, after the first: median ` +
      `${seconds(median(of('cpuMs')))} CPU, ${median(of('written'))} files written; requests to a bucket ${median(requests).toFixed(0)}, ` +
      `at most ${most(requests)} (limit ${LIMITS.requests}: ${verdict(most(requests) <= LIMITS.requests)}); lines of the data ` +
      `branch ${median(lines)}, at most ${most(lines)} (limit ${LIMITS.lines} in a normal half hour: ` +
      `${verdict(median(lines) <= LIMITS.lines)})`,
  )
  console.log(
    `  data branch ${figures.branchMiB.toFixed(2)} MiB packed, ${figures.branchMonthMiB.toFixed(2)} MiB a month (limit ` +
      `${LIMITS.branchMonthMiB}: ${verdict(figures.branchMonthMiB <= LIMITS.branchMonthMiB)}); state at most ` +
      `${(most(of('state')) / 2 ** 20).toFixed(1)} MiB; ${(figures.fullDays * 100).toFixed(1)} % of the days of files of ` +
      `their own have 95 % of their buckets; peak ${figures.peakMiB.toFixed(0)} MiB`,
  )
}

async function history(work: string): Promise<void> {
  const tree = join(work, 'history')
  await buildSample(tree, NOON)
  // The first call warms up. Only the second is measured.
  benchHistory(tree, NOON, 1200)
  const perAsset = [1200, 10_000].map((count) => {
    const { assets, series, cpuMs, heapMiB } = benchHistory(tree, NOON, count)
    console.log(
      `${series} series of ${assets} assets extended: ${seconds(cpuMs)} CPU, peak heap growth ${heapMiB.toFixed(0)} MiB (under 300)`,
    )
    return cpuMs / assets
  })
  const [few = Number.NaN, many = Number.NaN] = perAsset
  console.log(`10,000 assets against 1,200, time per asset: ${(many / few).toFixed(2)} (at most 1.2)`)
}

async function serve(work: string): Promise<void> {
  const tree = join(work, 'served')
  await buildSample(tree, NOON)
  const servers = await benchServe(tree, work)
  if (servers === null) {
    console.log('Serving was not measured. Install wrk, and nginx for comparison: apt-get install wrk nginx')
    return
  }
  const [own] = servers
  const against = (mine: Load | null | undefined, theirs: Load) =>
    !mine || mine === theirs
      ? ''
      : `  Quotetree: ${(mine.perSecond / theirs.perSecond).toFixed(2)} x, p99 ${(mine.p99Ms / theirs.p99Ms).toFixed(2)} x`
  for (const { server, loads, memoryMiB } of servers) {
    console.log(memoryMiB === null ? `${server}:` : `${server}: peak ${memoryMiB.toFixed(0)} MiB`)
    for (const [name, load] of Object.entries(loads))
      console.log(
        load === null
          ? `  ${name.padEnd(20)} the server exited`
          : `  ${name.padEnd(20)} ${load.perSecond.toFixed(0).padStart(7)}/s  p99 ${load.p99Ms.toFixed(1).padStart(6)} ms` +
              `${load.failed > 0 ? `, ${load.failed} failed` : ''}${against(own?.loads[name], load)}`,
      )
  }
}

async function pages(work: string): Promise<void> {
  const tree = join(work, 'pages')
  await buildSample(tree, NOON, await sitePages())
  for (const rows of [1200, 10_000]) {
    const measured = await benchPages(tree, rows)
    if (measured === null) {
      console.log('Scrolling was not measured. Install Chromium: apt-get install chromium')
      return
    }
    const { interactiveCpuMs, longTasksMs, frameP95Ms, frameP99Ms, drawnRows } = measured
    const longest = longTasksMs.length === 0 ? '' : `, the longest ${Math.max(...longTasksMs).toFixed(0)} ms`
    console.log(
      `market table of ${rows} rows: ${seconds(interactiveCpuMs)} of CPU until it is complete (2 s); scrolled to its end: ${longTasksMs.length} tasks over 50 ms (none)${longest}; ` +
        `frames ${frameP95Ms.toFixed(0)} ms at p95, ${frameP99Ms.toFixed(0)} ms at p99; ${drawnRows} rows drawn`,
    )
  }
}

async function quota(work: string): Promise<void> {
  for (const { keys, runs, requests, sources } of await benchQuota(work, 30)) {
    console.log(`${runs} runs of 30 days ${keys}: ${requests} requests`)
    for (const { id, limit, counted, told, spared } of sources)
      console.log(
        `  ${id.padEnd(12)} ${counted} of ${limit} counted by the gateway (${counted <= limit ? 'held' : 'EXCEEDED'}), ` +
          `${told} by the run; not asked in ${spared} runs`,
      )
  }
  console.log('each source of a small market away for a week, and back')
  const folder = existsSync(MEMORY) ? mkdtempSync(join(MEMORY, 'quotetree-bench-')) : work
  for await (const { id, runs, listings, ofExchanges, lost, refused } of benchAway(folder))
    console.log(
      `  ${id.padEnd(16)} ${lost.length} of ${listings} listings lost (${ofExchanges} known to exchanges alone); ` +
        `${refused} of ${runs} runs refused`,
    )
  if (folder !== work) rmSync(folder, { recursive: true })
}

async function bundles(work: string): Promise<void> {
  const { listings, directMs, throughMs, shards, mergeWallMs } = await benchBundles(work, NOON)
  const more = (throughMs / directMs - 1) * 100
  console.log(
    `a run over ${listings} listings: ${seconds(directMs)} CPU, through bundles ${seconds(throughMs)} (${more.toFixed(1)} % more, at most 10); ` +
      `${shards} bundles read and merged in ${seconds(mergeWallMs)} (at most 5 s)`,
  )
  const perQuote = [10_000, 50_000, 100_000].map((count) => {
    const { quotes, priced, mergeMs, cpuMs, peakMiB, fileMiB } = benchMerge(work, NOON, count)
    console.log(
      `${quotes} quotes merged: ${seconds(mergeMs)} CPU, with the feed of ${priced} listings ${seconds(cpuMs)}, peak ${peakMiB.toFixed(0)} MiB (under 1024), bundles of ${fileMiB.toFixed(1)} MiB`,
    )
    return cpuMs / quotes
  })
  const [few = Number.NaN, , many = Number.NaN] = perQuote
  console.log(`100,000 quotes against 10,000, time per quote: ${(many / few).toFixed(2)} (at most 1.2)`)
}

async function churn(work: string): Promise<void> {
  const { news, noNews } = await benchChurn(work, NOON, 1250)
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  const line = ({ name, changed, files, bytes, compressed }: Churn) =>
    console.log(
      `  ${name.padEnd(24)} ${`${changed} of ${files}`.padStart(14)} ${kB(bytes).padStart(12)} ${kB(compressed).padStart(11)} br`,
    )
  for (const [what, rows] of [
    ['a half-hourly run with new prices', news],
    ['a half-hourly run with the same answers', noNews],
  ] as const) {
    console.log(what)
    for (const row of rows.filter(({ changed }) => changed > 0)) line(row)
    const sum = (of: (row: Churn) => number) => rows.reduce((total, row) => total + of(row), 0)
    line({
      name: 'in all',
      changed: sum((row) => row.changed),
      files: sum((row) => row.files),
      bytes: sum((row) => row.bytes),
      compressed: sum((row) => row.compressed),
    })
  }
}

/** Days of ten years. */
const TEN_YEARS = 3653

async function closes(work: string): Promise<void> {
  const { listings, days, bytes, largest, compressed, footprint, hosts, runMs, archive } = await benchCloses(
    join(work, 'tree'),
    NOON - (NOON % 86_400_000),
    { listings: CLOSES.listings, days: CLOSES.days, onYear: (day) => console.log(`  ${day}`) },
  )
  const MB = (value: number) => `${(value / 1e6).toFixed(2)} MB`
  const [fast, dense] = compressed.map((share) => MB(share * bytes))
  console.log(
    `daily closes of ${listings} listings, ${days} days: ${days} files, ${MB(bytes)}, the largest ${MB(largest)}; ` +
      `br at quality 5 ${fast}, at 11 ${dense} (every 100th day compressed)`,
  )
  console.log(`  with manifest and index: ${footprint.files} files, ${MB(footprint.bytes)}`)
  for (const { host, excess } of hosts)
    console.log(`  ${host.padEnd(16)} ${excess.length === 0 ? 'fits' : excess.join('; ')}`)
  console.log(
    `  a run: ${seconds(runMs[0])} CPU in the first tenth of the days, ${seconds(runMs[1])} in the last; state archive ` +
      `${MB(archive.bytes)} with ${archive.months} closed months: ${seconds(archive.wholeMs)} CPU at first, ${seconds(archive.nextMs)} a run`,
  )
}

/** Settings of the part `closes`; the environment changes them for a shorter one. */
const CLOSES = {
  listings: Number(process.env['CLOSES_LISTINGS'] ?? 5000),
  days: Number(process.env['CLOSES_DAYS'] ?? TEN_YEARS),
}

const PARTS = {
  build,
  churn,
  feed,
  bundles,
  history,
  'growth-1200': growthTo(1200),
  'growth-10000': growthTo(10_000),
  'growth-20000': growthTo(20_000),
  runs,
  price: prices,
  serve,
  pages,
  quota,
  closes,
}
/** The parts of a name: itself, or all that it begins. */
function partsOf(name: string): (keyof typeof PARTS)[] {
  const named = Object.keys(PARTS).filter((part) => part === name || part.startsWith(`${name}-`))
  if (named.length > 0) return named.filter(isPart)
  throw new UsageError(`There is no part "${name}". Choose one of ${Object.keys(PARTS).join(', ')}.`)
}
/** Heaps of parts that have to fit into less than they would take: with room, garbage is collected late. */
const HEAP_MIB: Readonly<Record<string, number>> = { 'growth-10000': 850 }

const isPart = (name: string): name is keyof typeof PARTS => Object.hasOwn(PARTS, name)

/** Measures one part in its own folder. */
async function measure(part: keyof typeof PARTS, settings: RunsSettings): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'quotetree-bench-'))
  try {
    await PARTS[part](work, settings)
  } finally {
    rmSync(work, { recursive: true })
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

await main(async () => {
  const { positionals, values } = parsed('bench', {
    allowPositionals: true,
    options: {
      here: { type: 'boolean' },
      runs: { type: 'string', default: '200' },
      keep: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values['help'] === true) {
    console.log(
      `npm run bench -- [${Object.keys(PARTS).join('] [')}]\nMeasures these parts, all by default, each in a process of its own.\n` +
        '--runs N: number of runs of the part "runs", 200 by default. --keep FOLDER: it goes on from there in a later call.',
    )
    return EXIT.done
  }
  const parts = (positionals.length > 0 ? positionals : Object.keys(PARTS)).flatMap(partsOf)
  const settings = { count: Number(values['runs']), keep: textOf(values['keep']) }
  if (!Number.isInteger(settings.count) || settings.count < 2) throw new UsageError('--runs is a number of 2 or more.')
  if (values['here'] === true) {
    for (const part of parts) await measure(part, settings)
    return EXIT.done
  }
  console.log(`${cpus().length} cores, Node ${process.version}`)
  // One process per part: in a process that has built trees before, pricing takes nearly twice the time.
  for (const part of parts) {
    const given = [`--runs=${settings.count}`, ...(settings.keep === undefined ? [] : [`--keep=${settings.keep}`])]
    const heap = HEAP_MIB[part] === undefined ? [] : [`--max-old-space-size=${HEAP_MIB[part]}`]
    const { status } = spawnSync(
      process.execPath,
      [...process.execArgv, ...heap, import.meta.filename, '--here', part, ...given],
      { stdio: 'inherit' },
    )
    if (status !== EXIT.done) return status ?? EXIT.fault
  }
  return EXIT.done
})
