import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { sha256Of } from '../src/core/contract/digest.ts'
import { isoOf } from '../src/core/contract/time.ts'
import { CADENCE_MS, type RunReport } from '../src/core/run/run.ts'
import { snapshot } from '../src/core/run/snapshot.ts'
import { filesBelow } from '../src/core/tree/reader.ts'
import { sampleRun } from './sample-run.ts'
import { print } from './terminal.ts'

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

/** Builds the sample's 1,200 assets into a folder. */
export function buildSample(root: string, at: number): Promise<RunReport> {
  const run = sampleRun(root, at, 1200)
  return snapshot(run, run, run)
}

const Usage = z.object({ cpuMs: z.number(), peakMiB: z.number() })

/** What a process says of itself when it ends: CPU of all its threads, and the most memory that it held. */
const SAYS_USAGE = `process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 }
  process.getBuiltinModule('node:fs').writeFileSync(process.env.BENCH_USAGE, JSON.stringify(usage))
})`

/** A tree in a folder for work, and the time of a run. */
interface Tree {
  readonly work: string
  readonly tree: string
  readonly at: number
}

/** Runs the command that publishes the sample, and returns what it took. */
function published({ work, tree, at }: Tree, options: readonly string[] = []) {
  const usage = join(work, 'usage.json')
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(SAYS_USAGE)}`,
      fileURLToPath(new URL('quotetree.mjs', import.meta.url)),
      'snapshot',
      '--sources=sample',
      `--out=${tree}`,
      '--quiet',
      ...options,
    ],
    { env: { ...process.env, MKT_NOW: isoOf(at), BENCH_USAGE: usage }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return Usage.parse(JSON.parse(readFileSync(usage, 'utf8')))
}

/** Returns the CPU in ms of writing files into a new folder, hashing them, and parsing and printing their JSON. */
function floorOf(files: readonly (readonly [name: string, content: Buffer])[], scratch: string): number {
  const folders = new Set(files.map(([name]) => dirname(join(scratch, name))))
  const before = process.cpuUsage()
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  for (const [name, content] of files) {
    writeFileSync(join(scratch, name), content)
    sha256Of(content)
    if (name.endsWith('.json')) JSON.stringify(JSON.parse(content.toString('utf8')))
  }
  const { user, system } = process.cpuUsage(before)
  rmSync(scratch, { recursive: true })
  return (user + system) / 1000
}

/** Prints what a run took beside the floor: what the bare machine needs for the files that the run wrote. */
function line(what: string, { cpuMs, peakMiB }: z.infer<typeof Usage>, { work, tree, at }: Tree): void {
  const files = filesBelow(tree, '')
    .filter((name) => statSync(join(tree, name)).mtimeMs === at)
    .map((name) => [name, readFileSync(join(tree, name))] as const)
  const bytes = files.reduce((sum, [, { length }]) => sum + length, 0)
  const floor = floorOf(files, join(work, 'floor'))
  print(
    `${what.padEnd(16)} ${seconds(cpuMs)} CPU, ${peakMiB.toFixed(0)} MiB, ${files.length} files written, ` +
      `${(bytes / 1e6).toFixed(1)} MB; floor ${seconds(floor)}, ratio ${(cpuMs / floor).toFixed(1)}`,
  )
}

/** Prints CPU, memory and the ratio to the floor of a fresh run, of half hours after it, and of one without news. */
export function benchRun(work: string, at: number): void {
  const tree = join(work, 'tree')
  const times = [0, 1, 2, 3].map((run) => at + run * CADENCE_MS)
  const runs = times.map((now) => ({ work, tree, at: now }))
  for (const [number, run] of runs.entries())
    line(number === 0 ? 'fresh run' : `half hour ${number}`, published(run), run)
  const { cpuMs, peakMiB } = published({ work, tree, at: times.at(-1) ?? at })
  print(`${'without news'.padEnd(16)} ${seconds(cpuMs)} CPU, ${peakMiB.toFixed(0)} MiB`)
}

/** Prints CPU a listing and memory of a fresh run and a half hour of more and more listings with a year of prices. */
export function benchScale(work: string, at: number): void {
  for (const listings of [1252, 5000, 10_000]) {
    const tree = join(work, String(listings))
    for (const [what, now] of [
      ['fresh run', at],
      ['half hour', at + CADENCE_MS],
    ] as const) {
      const { cpuMs, peakMiB } = published({ work, tree, at: now }, [`--listings=${listings}`])
      print(
        `${listings} listings, ${what}: ${seconds(cpuMs)} CPU, ${(cpuMs / listings).toFixed(1)} ms a listing, ${peakMiB.toFixed(0)} MiB`,
      )
    }
    rmSync(tree, { recursive: true })
  }
}
