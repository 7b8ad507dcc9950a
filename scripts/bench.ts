import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Times, benchBuild, buildSample } from './bench-build.ts'
import { benchFeed } from './bench-feed.ts'
import { type Distances, benchPrice } from './bench-price.ts'
import { benchRuns } from './bench-runs.ts'
import { type Load, benchServe } from './bench-serve.ts'
import { median } from '../src/feed/statistics.ts'
import { EXIT, UsageError, main } from './usage.ts'

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

/** Limits of a run over 3,000 listings, and the months of the data branch. */
const LIMITS = { requests: 2500, lines: 50, branchMonthMiB: 3 }

async function runs(work: string, count: number): Promise<void> {
  const verdict = (holds: boolean) => (holds ? 'held' : 'EXCEEDED')
  const figures = await benchRuns({
    work,
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

async function serve(work: string): Promise<void> {
  const tree = join(work, 'served')
  await buildSample(tree, NOON)
  const servers = await benchServe(tree, work)
  if (servers === null) {
    console.log('Serving was not measured. Install wrk: apt-get install wrk')
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

const PARTS = { build, feed, runs, price: prices, serve }

function partOf(name: string): keyof typeof PARTS {
  if (isPart(name)) return name
  throw new UsageError(`There is no part "${name}". Choose one of ${Object.keys(PARTS).join(', ')}.`)
}
const isPart = (name: string): name is keyof typeof PARTS => Object.hasOwn(PARTS, name)

/** Measures one part in its own folder. */
async function measure(part: keyof typeof PARTS, runs: number): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'quotetree-bench-'))
  try {
    await PARTS[part](work, runs)
  } finally {
    rmSync(work, { recursive: true })
  }
}

await main(async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      here: { type: 'boolean' },
      runs: { type: 'string', default: '200' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(
      `npm run bench -- [${Object.keys(PARTS).join('] [')}]\nMeasures these parts, all by default, each in a process of its own.\n` +
        '--runs N: number of runs of the part "runs", 200 by default.',
    )
    return EXIT.done
  }
  const parts = (positionals.length > 0 ? positionals : Object.keys(PARTS)).map(partOf)
  const count = Number(values.runs)
  if (!Number.isInteger(count) || count < 2) throw new UsageError('--runs is a number of 2 or more.')
  if (values.here) {
    for (const part of parts) await measure(part, count)
    return EXIT.done
  }
  console.log(`${cpus().length} cores, Node ${process.version}`)
  // One process per part: in a process that has built trees before, pricing takes nearly twice the time.
  for (const part of parts) {
    const { status } = spawnSync(
      process.execPath,
      [...process.execArgv, import.meta.filename, '--here', part, `--runs=${count}`],
      { stdio: 'inherit' },
    )
    if (status !== EXIT.done) return status ?? EXIT.fault
  }
  return EXIT.done
})
