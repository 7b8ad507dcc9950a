import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openRegistry } from '../src/registry/registry.ts'
import { type RunReport, snapshot } from '../src/snapshot.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/sources/sample/sample.ts'
import { benchFeed } from './bench-feed.ts'
import { type HistoryFigures, benchHistory } from './bench-history.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const ROUNDS = 5

const build = (root: string): Promise<RunReport> =>
  snapshot({
    root,
    kind: 'sample',
    sources: sampleSources(NOON, 1200),
    registry: openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS }),
    now: NOON,
    wallNow: Date.now(),
    elapsed: () => performance.now(),
    signal: new AbortController().signal,
    connect: () => ({
      stats: { requests: 0, retries: 0, bytes: 0 },
      json: () => Promise.reject(new Error('the sample asks nobody')),
      close: async () => {},
    }),
    listings: null,
    history: { perRun: 1_000_000, perSource: 1_000_000 },
    fresh: false,
  })

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}
const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** The floor: the very same documents from memory, serialized with JSON.stringify and written, a file after the other. */
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

const work = mkdtempSync(join(tmpdir(), 'quotetree-bench-'))
const fresh: number[] = []
const unchanged: number[] = []
const floors: number[] = []
let written = ''
let histories: readonly HistoryFigures[] = []
for (let round = 0; round < ROUNDS; round++) {
  const tree = join(work, `tree-${round}`)
  fresh.push(await timed(() => build(tree)))
  unchanged.push(
    await timed(async () => {
      written = (await build(tree)).published?.written.join(', ') ?? ''
    }),
  )
  const documents = readdirSync(tree, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name): readonly [string, unknown] => [name, JSON.parse(readFileSync(join(tree, name), 'utf8'))])
  const plain = join(work, `floor-${round}`)
  floors.push(await timed(() => floor(documents, plain)))
  if (round === 0)
    console.log(`${documents.length} documents of 1,200 sample assets; ${cpus().length} cores, Node ${process.version}`)
  if (round === ROUNDS - 1) {
    // The first round warms up; it is the second that counts.
    benchHistory(tree, NOON, 1200)
    histories = [1200, 10_000].map((assets) => benchHistory(tree, NOON, assets))
  }
  rmSync(tree, { recursive: true })
  rmSync(plain, { recursive: true })
}
rmSync(work, { recursive: true })

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const [a, b, c] = [middle(fresh), middle(unchanged), middle(floors)]
console.log(`floor (stringify and write)  ${seconds(c)}`)
console.log(`fresh build                  ${seconds(a)}   ${(a / c).toFixed(2)} x floor      (at most 2.5)`)
console.log(
  `unchanged rebuild            ${seconds(b)}   ${(b / a).toFixed(2)} x fresh      (at most 0.5), wrote ${written}`,
)

const { quotes, cpuMs, heapMiB, priced } = await benchFeed(NOON)
console.log(
  `${quotes} quotes of 12 venues to ${priced} priced listings: ${seconds(cpuMs)} CPU (under 1 s), heap grew ${heapMiB.toFixed(0)} MiB (under 400)`,
)

for (const { assets, series, cpuMs, heapMiB } of histories)
  console.log(
    `${series} series of ${assets} assets extended: ${seconds(cpuMs)} CPU, ${(cpuMs / assets).toFixed(2)} ms an asset, heap grew ${heapMiB.toFixed(0)} MiB at most`,
  )
const [few, many] = histories.map(({ assets, cpuMs }) => cpuMs / assets)
if (few !== undefined && many !== undefined)
  console.log(`10,000 assets against 1,200, time per asset: ${(many / few).toFixed(2)} (at most 1.2)`)
