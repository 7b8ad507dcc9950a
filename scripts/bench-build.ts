import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { median } from '../src/feed/statistics.ts'
import type { RunReport } from '../src/run/run.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { sampleRun } from './sample-run.ts'

const ROUNDS = 3

/** Builds the sample's 1,200 assets into a folder. */
export function buildSample(root: string, at: number): Promise<RunReport> {
  const run = sampleRun(root, at, 1200)
  return snapshot(run, run, run)
}

/** Time of a piece of work in ms: by the clock, and of this process's CPU. Other processes lengthen the first more. */
export interface Times {
  readonly wallMs: number
  readonly cpuMs: number
}

async function timed(work: () => unknown): Promise<Times> {
  const [start, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { wallMs: performance.now() - start, cpuMs: (user + system) / 1000 }
}
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

/** Medians of all rounds. */
export interface BuildFigures {
  readonly documents: number
  readonly floor: Times
  readonly fresh: Times
  readonly unchanged: Times
  /** Files that a rebuild without changes wrote. */
  readonly written: readonly string[]
}

/** Measures a fresh build and a rebuild without changes against a plain loop that writes the same documents. */
export async function benchBuild(work: string, at: number): Promise<BuildFigures> {
  const fresh: Times[] = []
  const unchanged: Times[] = []
  const floors: Times[] = []
  let written: readonly string[] = []
  let documents = 0
  for (let round = 0; round < ROUNDS; round++) {
    const tree = join(work, `tree-${round}`)
    fresh.push(await timed(() => buildSample(tree, at)))
    unchanged.push(
      await timed(async () => {
        written = (await buildSample(tree, at)).published?.written ?? []
      }),
    )
    const bodies = readdirSync(tree, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name): readonly [string, unknown] => [name, JSON.parse(readFileSync(join(tree, name), 'utf8'))])
    documents = bodies.length
    const plain = join(work, `floor-${round}`)
    floors.push(await timed(() => floor(bodies, plain)))
    rmSync(tree, { recursive: true })
    rmSync(plain, { recursive: true })
  }
  return { documents, floor: medians(floors), fresh: medians(fresh), unchanged: medians(unchanged), written }
}
