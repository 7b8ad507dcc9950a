import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { md5Of } from '../src/contract/digest.ts'
import { DAY_MS } from '../src/contract/time.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import type { Listed, ObjectStore } from '../src/delivery/object-store.ts'
import { published } from '../src/endpoints/table.ts'
import { HOST_BUDGETS } from '../src/service/budgets.ts'
import { CADENCE_MS } from '../src/run/run.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { CHECKPOINT } from '../src/tree/layout.ts'
import { filesBelow } from '../src/tree/reader.ts'
import { gitEnvironment } from './environment.ts'
import { sampleRun } from './sample-run.ts'

/** What one run took, and what it left behind. */
export interface RunFigures {
  readonly cpuMs: number
  /** Files that the run wrote. */
  readonly written: number
  /** Requests that a publication to a bucket took. */
  readonly requests: number
  /** Lines of the data branch that the run changed. */
  readonly lines: number
  /** Bytes of the checkpoint. */
  readonly state: number
}

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

/** Arguments of {@link benchRuns}. */
export interface RunsBench {
  /** Folder for the tree and the data branch. */
  readonly work: string
  readonly begin: number
  readonly count: number
  readonly runs: number
  /** Called after each run but the first. */
  readonly onRun: (run: number, figures: RunFigures) => void
}

/** Runs every half hour over `count` listings, publishing each run to a bucket and a data branch. */
export async function benchRuns({ work, begin, count, runs, onRun }: RunsBench): Promise<RunsFigures> {
  const [root, remote] = [join(work, 'tree'), join(work, 'remote.git')]
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['--git-dir', remote, ...args], { encoding: 'utf8', env: gitEnvironment() })
  git('init', '--quiet', '--bare')
  const store = countingStore()
  const all: RunFigures[] = []
  let [listings, branchAt] = [0, 0]
  for (let run = 0; run < runs; run++) {
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
    listings = report.listings
    if (run === 0) branchAt = packed(git, remote)
    else {
      all.push(figures)
      onRun(run, figures)
    }
  }
  const branch = packed(git, remote)
  return {
    listings,
    runs: all,
    branchMiB: branch / 2 ** 20,
    branchMonthMiB: (((branch - branchAt) / all.length) * ((30 * DAY_MS) / CADENCE_MS)) / 2 ** 20,
    fullDays: shareOfFullDays(root),
    peakMiB: process.resourceUsage().maxRSS / 1024,
  }
}

const stateBytes = (root: string): number =>
  filesBelow(root, CHECKPOINT.folder).reduce((sum, file) => sum + statSync(join(root, file)).size, 0)

interface CountingStore extends ObjectStore {
  /** Requests since the last call. */
  counted(): number
}

/** A bucket that keeps digests alone, and the texts that a publication reads again. */
function countingStore(): CountingStore {
  const objects = new Map<string, Listed & { readonly text: string | null }>()
  let requests = 0
  return {
    name: 'bench',
    counted() {
      const since = requests
      requests = 0
      return since
    },
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
