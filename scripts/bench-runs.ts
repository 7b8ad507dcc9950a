import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { md5Of } from '../src/contract/digest.ts'
import { DAY_MS } from '../src/contract/time.ts'
import { readJson } from '../src/contract/read-json.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import type { Listed, ObjectStore } from '../src/delivery/object-store.ts'
import { published } from '../src/endpoints/table.ts'
import { HOST_BUDGETS } from '../src/service/budgets.ts'
import { CADENCE_MS } from '../src/run/run.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { CHECKPOINT } from '../src/tree/layout.ts'
import { filesBelow, textAt } from '../src/tree/reader.ts'
import { gitEnvironment } from './environment.ts'
import { sampleRun } from './sample-run.ts'

/** What one run took, and what it left behind. */
const RunFigures = z.object({
  cpuMs: z.number(),
  /** Files that the run wrote. */
  written: z.number(),
  /** Requests that a publication to a bucket took. */
  requests: z.number(),
  /** Lines of the data branch that the run changed. */
  lines: z.number(),
  /** Bytes of the checkpoint. */
  state: z.number(),
})
export type RunFigures = z.infer<typeof RunFigures>

/** What many runs in a row take, and what they leave behind. */
export interface RunsFigures {
  readonly listings: number
  /** The first run apart. */
  readonly runs: readonly RunFigures[]
  /** The data branch, packed, and what it would grow by in a month at this rate. */
  readonly branchMiB: number
  readonly branchMonthMiB: number
  /** Share of listings with at least 95 % of the buckets of the last day. */
  readonly fullDays: number
  readonly peakMiB: number
}

/** The runs so far, from which a later call goes on. */
const Progress = z.object({
  listings: z.number(),
  /** Bytes of the data branch after the first run. */
  branchAt: z.number(),
  runs: z.array(RunFigures),
  objects: z.array(
    z.tuple([z.string(), z.object({ etag: z.string(), modifiedAt: z.number(), text: z.string().nullable() })]),
  ),
})
type Progress = z.infer<typeof Progress>

/** Arguments of {@link benchRuns}. */
export interface RunsBench {
  /** Folder for the tree, the data branch and the progress. A call with the folder of an earlier one goes on from it. */
  readonly work: string
  readonly begin: number
  readonly count: number
  readonly runs: number
  /** Called after each run but the first. */
  readonly onRun: (run: number, figures: RunFigures) => void
}

/** Runs every half hour over `count` listings, publishing each run to a bucket and a data branch. */
export async function benchRuns({ work, begin, count, runs, onRun }: RunsBench): Promise<RunsFigures> {
  const [root, remote, kept] = [join(work, 'tree'), join(work, 'remote.git'), join(work, 'progress.json')]
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['--git-dir', remote, ...args], { encoding: 'utf8', env: gitEnvironment() })
  const earlier = readJson(textAt(kept), Progress)
  if (earlier === null) git('init', '--quiet', '--bare')
  const progress: Progress = earlier ?? { listings: 0, branchAt: 0, runs: [], objects: [] }
  const store = countingStore(progress.objects)
  for (let run = earlier === null ? 0 : progress.runs.length + 1; run < runs; run++) {
    const now = begin + run * CADENCE_MS
    const before = process.cpuUsage()
    const sample = sampleRun(root, now, count)
    const report = await snapshot(
      { ...sample, fresh: run === 0 },
      { ...sample, checkpoint: true },
      { ...sample, history: { perRun: 600, perSource: 600 }, budget: HOST_BUDGETS.bucket },
    )
    const { user, system } = process.cpuUsage(before)
    if (!report.published) throw new Error(report.refusals.map(({ message }) => message).join('; '))
    await publishTo(store, { root, endpoints: published }, { gzip: false, paths: true })
    const commit = { root, to: { remote, branch: 'snapshots' }, author: 'Bench <bench@example.org>' }
    await commitData({ ...commit, settings: { scratch: work, env: gitEnvironment() } })
    const figures = {
      cpuMs: (user + system) / 1000,
      written: report.published.written.length,
      requests: store.counted(),
      lines: linesOf(git, now),
      state: stateBytes(root),
    }
    progress.listings = report.listings
    if (run === 0) progress.branchAt = packed(git, remote)
    else {
      progress.runs.push(figures)
      onRun(run, figures)
    }
    writeFileSync(`${kept}.new`, JSON.stringify({ ...progress, objects: store.objects() }))
    renameSync(`${kept}.new`, kept)
  }
  const branch = packed(git, remote)
  return {
    listings: progress.listings,
    runs: progress.runs,
    branchMiB: branch / 2 ** 20,
    branchMonthMiB: (((branch - progress.branchAt) / progress.runs.length) * ((30 * DAY_MS) / CADENCE_MS)) / 2 ** 20,
    fullDays: shareOfFullDays(root),
    peakMiB: process.resourceUsage().maxRSS / 1024,
  }
}

const stateBytes = (root: string): number =>
  filesBelow(root, CHECKPOINT.folder).reduce((sum, file) => sum + statSync(join(root, file)).size, 0)

interface CountingStore extends ObjectStore {
  /** Requests since the last call. */
  counted(): number
  objects(): Progress['objects']
}

/** A bucket that keeps digests alone, and the texts that a publication reads again. */
function countingStore(kept: Progress['objects']): CountingStore {
  const objects = new Map<string, Listed & { readonly text: string | null }>(kept)
  let requests = 0
  return {
    name: 'bench',
    counted() {
      const since = requests
      requests = 0
      return since
    },
    objects: () => [...objects].map(([key, { etag, modifiedAt, text }]) => [key, { etag, modifiedAt, text }]),
    async list() {
      requests += Math.ceil((objects.size + 1) / 1000)
      return new Map(objects)
    },
    async read(key) {
      requests++
      return objects.get(key)?.text ?? null
    },
    async put({ key, body }) {
      requests++
      const isRead = key.startsWith('.') || key.endsWith('manifest.json')
      objects.set(key, {
        etag: md5Of(body),
        modifiedAt: Date.now(),
        text: isRead ? Buffer.from(body).toString('utf8') : null,
      })
    },
    async remove(key) {
      requests++
      objects.delete(key)
    },
  }
}

/** Added and deleted lines of the commit of this run; 0 where nothing was committed. */
function linesOf(git: (...args: readonly string[]) => string, now: number): number {
  const [time, ...counts] = git('log', '-1', '--format=%at', '--numstat', 'snapshots').trim().split('\n')
  if (Number(time) * 1000 !== now) return 0
  return counts.reduce((sum, line) => {
    const [added, deleted] = line.split('\t')
    return sum + (Number(added) || 0) + (Number(deleted) || 0)
  }, 0)
}

/** Size of the repository when everything is packed, in bytes. */
function packed(git: (...args: readonly string[]) => string, remote: string): number {
  git('gc', '--quiet', '--prune=now')
  const packs = filesBelow(remote, 'objects/pack')
  return packs.reduce((sum, file) => sum + statSync(join(remote, file)).size, 0)
}

const Day = z.object({ count: z.number(), missing: z.number() })

function shareOfFullDays(root: string): number {
  const days = filesBelow(root, 'api/mkt/history').filter((file) => file.endsWith('/days=1.json'))
  const full = days.filter((file) => {
    const { count, missing } = Day.parse(JSON.parse(readFileSync(join(root, file), 'utf8')))
    return count >= 0.95 * (count + missing)
  })
  return full.length / days.length
}
