import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../src/core/contract/digest.ts'
import { isoOf } from '../src/core/contract/time.ts'
import { CADENCE_MS } from '../src/core/run/run.ts'
import { filesBelow } from '../src/core/tree/reader.ts'
import { say } from './terminal.ts'
import { EXIT, main } from './command.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const PROGRAM = join(import.meta.dirname, 'quotetree.mjs')

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

const Usage = z.object({ cpuMs: z.number(), peakMiB: z.number() })

/** What a process says of itself when it ends: CPU of all its threads, and the most memory that it held. */
const SAYS_USAGE = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 }
  process.getBuiltinModule('node:fs').writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage))
})`

function published(tree: string, at: number, listings: number) {
  const usage = `${tree}.usage.json`
  const counter = `--import=data:text/javascript,${encodeURIComponent(SAYS_USAGE)}`
  const { status, stderr } = spawnSync(
    process.execPath,
    [counter, PROGRAM, 'snapshot', '--sources=sample', `--out=${tree}`, '--quiet', `--listings=${listings}`],
    { env: { ...process.env, MKT_NOW: isoOf(at), BENCH_USAGE: usage }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return Usage.parse(JSON.parse(readFileSync(usage, 'utf8')))
}

function floorOf(files: readonly (readonly [name: string, content: Buffer])[], scratch: string): number {
  const before = process.cpuUsage()
  for (const folder of new Set(files.map(([name]) => dirname(join(scratch, name)))))
    mkdirSync(folder, { recursive: true })
  for (const [name, content] of files) {
    writeFileSync(join(scratch, name), content)
    sha256Of(content)
    if (name.endsWith('.json')) JSON.stringify(JSON.parse(content.toString('utf8')))
  }
  const { user, system } = process.cpuUsage(before)
  rmSync(scratch, { recursive: true, force: true })
  return (user + system) / 1000
}

/** The half hours of the runs. The last two are the same, so that the last run has no news. */
const HALF_HOURS = [0, 1, 2, 2]

/** Prints CPU and memory of runs beside what the bare machine needs to write their files. */
function benchRuns(work: string, listings: number): void {
  const tree = join(work, String(listings))
  for (const [index, halfHour] of HALF_HOURS.entries()) {
    const at = NOON + halfHour * CADENCE_MS
    const { cpuMs, peakMiB } = published(tree, at, listings)
    const isNews = halfHour !== HALF_HOURS[index - 1]
    const files = filesBelow(tree, '')
      .filter((name) => isNews && statSync(join(tree, name)).mtimeMs === at)
      .map((name) => [name, readFileSync(join(tree, name))] as const)
    const megabytes = files.reduce((sum, [, { length }]) => sum + length, 0) / 1e6
    const floor = floorOf(files, join(work, 'floor'))
    say(
      `${listings} listings, ${halfHour === 0 ? 'fresh' : `half hour ${halfHour}`}${isNews ? '' : ' again'}: ` +
        `${seconds(cpuMs)} CPU, ${(cpuMs / listings).toFixed(1)} ms a listing, ${peakMiB.toFixed(0)} MiB` +
        (isNews
          ? `; ${files.length} files, ${megabytes.toFixed(1)} MB; floor ${seconds(floor)}, ratio ${(cpuMs / floor).toFixed(1)}`
          : ''),
    )
  }
}

await main(async () => {
  say(`${cpus().length} cores, Node ${process.version}`)
  const work = mkdtempSync(join(tmpdir(), 'quotetree-bench-'))
  const sizes = process.argv.slice(2)
  try {
    for (const listings of sizes.length === 0 ? ['1252'] : sizes) benchRuns(work, Number(listings))
  } finally {
    rmSync(work, { recursive: true })
  }
  return EXIT.done
})
