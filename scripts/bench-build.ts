import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { median } from '../src/feed/statistics.ts'
import type { RunReport } from '../src/run/run.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { sampleRun } from './sample-run.ts'
import { print } from './terminal.ts'

const ROUNDS = 3

/** A file system in memory: on a disk, the disk's time hides that of the program. */
const MEMORY = '/dev/shm'

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

/** Builds the sample's 1,200 assets into a folder. */
export function buildSample(root: string, at: number): Promise<RunReport> {
  const run = sampleRun(root, at, 1200)
  return snapshot(run, run, run)
}

/** Returns the time of some work in ms: by the clock, and of this process's CPU. Other processes lengthen the first more. */
async function timed(work: () => unknown) {
  const [start, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 }
}
type Times = Awaited<ReturnType<typeof timed>>

const medians = (times: readonly Times[]): Times => ({
  wallMs: median(times.map(({ wallMs }) => wallMs)),
  cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
})

/** Serializes and writes the same documents, one file after another: the lower bound of a build. */
function floor(documents: readonly (readonly [string, unknown])[], root: string): void {
  const made = new Set<string>()
  for (const [file, value] of documents) {
    const path = join(root, file)
    const folder = dirname(path)
    if (!made.has(folder)) mkdirSync(folder, { recursive: true })
    made.add(folder)
    writeFileSync(path, JSON.stringify(value))
  }
}

/** Prints the time of a fresh build and of a rebuild without changes against a plain loop that writes the same documents. */
export async function benchBuild(work: string, at: number): Promise<void> {
  for (const { name, folder, most } of [
    { name: 'disk', folder: work, most: 1.5 },
    ...(existsSync(MEMORY) ? [{ name: 'memory', folder: mkdtempSync(join(MEMORY, 'quotetree-bench-')), most: 3 }] : []),
  ]) {
    const fresh: Times[] = []
    const unchanged: Times[] = []
    const floors: Times[] = []
    let written: readonly string[] = []
    let documents = 0
    for (let round = 0; round < ROUNDS; round++) {
      const tree = join(folder, `tree-${round}`)
      fresh.push(await timed(() => buildSample(tree, at)))
      unchanged.push(
        await timed(async () => {
          written = (await buildSample(tree, at)).published?.written ?? []
        }),
      )
      const bodies = readdirSync(tree, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.json'))
        .map((file): readonly [string, unknown] => [file, JSON.parse(readFileSync(join(tree, file), 'utf8'))])
      documents = bodies.length
      const plain = join(folder, `floor-${round}`)
      floors.push(await timed(() => floor(bodies, plain)))
      rmSync(tree, { recursive: true })
      rmSync(plain, { recursive: true })
    }
    const [least, first, again] = [medians(floors), medians(fresh), medians(unchanged)]
    const line = (what: string, { wallMs, cpuMs }: Times, rest = '') =>
      print(`${what.padEnd(18)} ${seconds(wallMs)}, ${seconds(cpuMs)} CPU${rest}`)
    const against = (mine: Times, theirs: Times) => (mine.wallMs / theirs.wallMs).toFixed(2)
    print(`${name}, ${documents} documents of 1,200 assets; the floor stringifies and writes them`)
    line('floor', least)
    line('fresh build', first, `  ${against(first, least)} x floor (at most ${most})`)
    line('unchanged rebuild', again, `  ${against(again, first)} x fresh (at most 0.5), wrote ${written.join(', ')}`)
    if (folder !== work) rmSync(folder, { recursive: true })
  }
}
