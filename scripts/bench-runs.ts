import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { md5Of } from '../src/core/contract/digest.ts'
import { DAY_MS } from '../src/core/contract/time.ts'
import { commitData } from '../src/delivery/data-branch.ts'
import { publishTo } from '../src/delivery/bucket.ts'
import type { ObjectStore } from '../src/delivery/objects.ts'
import { HOST_BUDGETS } from '../src/delivery/budgets.ts'
import { CADENCE_MS } from '../src/core/run/run.ts'
import { snapshot } from '../src/core/run/snapshot.ts'
import { STATE } from '../src/core/tree/tables.ts'
import { filesBelow } from '../src/core/tree/reader.ts'
import { median } from '../src/core/feed/statistics.ts'
import { seconds } from './bench-run.ts'
import { gitEnvironment } from './environment.ts'
import { sampleRun } from './sample-run.ts'
import { print } from './terminal.ts'

/** What one run took and left: CPU, written files, requests to a bucket, changed lines of the data branch, bytes of the tables of rows. */
type RunFigures = Readonly<Record<'cpuMs' | 'written' | 'requests' | 'lines' | 'state', number>>

const LISTINGS = 3000
/** Limits of a run over so many listings, and the months of the data branch. */
const LIMITS = { requests: 2500, lines: 50, branchMonthMiB: 3 }

/** Prints what runs every half hour over 3,000 listings take, each published to a bucket and a data branch. */
export async function benchRuns(work: string, begin: number, runs: number): Promise<void> {
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
    const sample = sampleRun(root, now, LISTINGS)
    const report = await snapshot({ ...sample, fresh: run === 0 }, sample, {
      ...sample,
      history: { perRun: 600, perSource: 600 },
      budget: HOST_BUDGETS.bucket,
    })
    const { user, system } = process.cpuUsage(before)
    if (!report.published) throw new Error(report.refusals.map(({ message }) => message).join('; '))
    await publishTo(store, root)
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
      const { cpuMs, written, requests, lines, state } = figures
      print(
        `  run ${run}: ${seconds(cpuMs)} CPU, ${written} files, ${requests} requests, ${lines} lines, ` +
          `state ${(state / 2 ** 20).toFixed(2)} MiB${requests > LIMITS.requests || lines > LIMITS.lines ? ', OVER A LIMIT' : ''}`,
      )
    }
  }
  const branchMiB = packed(git, remote) / 2 ** 20
  const branchMonthMiB = ((branchMiB - branchAt / 2 ** 20) / all.length) * ((30 * DAY_MS) / CADENCE_MS)
  const verdict = (holds: boolean) => (holds ? 'held' : 'EXCEEDED')
  const of = (name: keyof RunFigures) => all.map((figures) => figures[name]).toSorted((a, b) => a - b)
  const most = (values: readonly number[]) => values.at(-1) ?? Number.NaN
  const [requests, lines] = [of('requests'), of('lines')]
  print(
    `${all.length} half-hourly runs over ${listings} listings, after the first: median ` +
      `${seconds(median(of('cpuMs')))} CPU, ${median(of('written'))} files written; requests to a bucket ${median(requests).toFixed(0)}, ` +
      `at most ${most(requests)} (limit ${LIMITS.requests}: ${verdict(most(requests) <= LIMITS.requests)}); lines of the data ` +
      `branch ${median(lines)}, at most ${most(lines)} (limit ${LIMITS.lines} in a normal half hour: ` +
      `${verdict(median(lines) <= LIMITS.lines)})`,
  )
  print(
    `  data branch ${branchMiB.toFixed(2)} MiB packed, ${branchMonthMiB.toFixed(2)} MiB a month (limit ` +
      `${LIMITS.branchMonthMiB}: ${verdict(branchMonthMiB <= LIMITS.branchMonthMiB)}); state at most ` +
      `${(most(of('state')) / 2 ** 20).toFixed(1)} MiB; peak ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`,
  )
}

const stateBytes = (root: string): number =>
  filesBelow(root, STATE.folder).reduce((sum, file) => sum + statSync(join(root, file)).size, 0)

/** A bucket that keeps digests alone, and the texts that a publication reads again. It counts the requests since the last call. */
function countingStore(): ObjectStore & { counted(): number } {
  const objects = new Map<string, { readonly etag: string; readonly text: string | null }>()
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
      return new Map([...objects].map(([key, { etag }]) => [key, etag]))
    },
    async read(key) {
      requests++
      return objects.get(key)?.text ?? null
    },
    async put({ key, body }) {
      requests++
      const isRead = key.endsWith('manifest.json')
      objects.set(key, { etag: md5Of(body), text: isRead ? Buffer.from(body).toString('utf8') : null })
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
