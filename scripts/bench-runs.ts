import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { commitData } from '../src/delivery/data-branch.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import type { Listed, ObjectStore } from '../src/delivery/object-store.ts'
import { published } from '../src/endpoints/table.ts'
import { median } from '../src/feed/statistics.ts'
import { HOST_BUDGETS } from '../src/hosting/budgets.ts'
import { CADENCE_MS, snapshot } from '../src/run/run.ts'
import { ARCHIVE } from '../src/tree/layout.ts'
import { filesBelow } from '../src/tree/reader.ts'
import { gitEnvironment } from './git-environment.ts'
import { sampleRun } from './sample-run.ts'

/** What many runs in a row take, and what they leave behind. Figures of a run are medians, the first run apart. */
export interface RunsFigures {
  readonly listings: number
  readonly cpuMs: number
  /** Files that a run wrote. */
  readonly written: number
  /** Requests that a publication to a bucket took. */
  readonly requests: number
  readonly mostRequests: number
  /** Lines of the data branch that a run changed. */
  readonly lines: number
  /** The data branch, packed, and what it would grow by in a month at this rate. */
  readonly branchMiB: number
  readonly branchMonthMiB: number
  readonly stateMiB: number
  /** Share of listings with at least 95 % of the buckets of the last day. */
  readonly fullDays: number
  readonly peakMiB: number
}

/** Runs every half hour over `count` listings, publishing each run to a bucket and a data branch. */
export async function benchRuns(work: string, begin: number, count: number, runs: number): Promise<RunsFigures> {
  const [root, remote] = [join(work, 'tree'), join(work, 'remote.git')]
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['--git-dir', remote, ...args], { encoding: 'utf8', env: gitEnvironment() })
  git('init', '--quiet', '--bare')
  const store = countingStore()
  const figures = { cpu: Array<number>(), written: Array<number>(), requests: Array<number>(), lines: Array<number>() }
  let [listings, branchAt] = [0, 0]
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage()
    const now = begin + run * CADENCE_MS
    const report = await snapshot({
      ...sampleRun(root, now, count),
      history: { perRun: 600, perSource: 600 },
      archive: true,
      budget: HOST_BUDGETS.bucket,
      fresh: run === 0,
    })
    const { user, system } = process.cpuUsage(before)
    if (!report.published) throw new Error(report.refusals.map(({ message }) => message).join('; '))
    listings = report.listings
    await publishTo(store, { root, endpoints: published }, { gzip: false, paths: true })
    const commit = { root, to: { remote, branch: 'snapshots' }, author: 'Bench <bench@example.org>' }
    await commitData({ ...commit, settings: { scratch: work, env: gitEnvironment() } })
    const requests = store.counted()
    if (run === 0) {
      branchAt = packed(git, remote)
      continue
    }
    figures.cpu.push((user + system) / 1000)
    figures.written.push(report.published.written.length)
    figures.requests.push(requests)
    figures.lines.push(linesOf(git, now))
  }
  const branch = packed(git, remote)
  return {
    listings,
    cpuMs: median(figures.cpu),
    written: median(figures.written),
    requests: median(figures.requests),
    mostRequests: Math.max(...figures.requests),
    lines: median(figures.lines),
    branchMiB: branch / 2 ** 20,
    branchMonthMiB: (((branch - branchAt) / (runs - 1)) * ((30 * 86_400_000) / CADENCE_MS)) / 2 ** 20,
    stateMiB:
      filesBelow(root, ARCHIVE.folder).reduce((sum, file) => sum + statSync(join(root, file)).size, 0) / 2 ** 20,
    fullDays: shareOfFullDays(root),
    peakMiB: process.resourceUsage().maxRSS / 1024,
  }
}

/** A bucket that keeps digests alone, and the texts that a publication reads again. */
function countingStore(): ObjectStore & { counted(): number } {
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
        etag: createHash('md5').update(body).digest('hex'),
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
