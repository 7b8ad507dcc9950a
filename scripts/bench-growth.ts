import { HOST_BUDGETS } from '../src/hosting/budgets.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { sampleRun } from './sample-run.ts'

/** What a first build with the whole past of so many listings takes, in one process. */
export interface GrowthFigures {
  readonly listings: number
  readonly files: number
  readonly largestMiB: number
  readonly cpuMs: number
  /** Peak memory of the process. */
  readonly peakMiB: number
}

/** Measures a first build of `count` listings for a host with at most 20,000 files. */
export async function benchGrowth(root: string, at: number, count: number): Promise<GrowthFigures> {
  const before = process.cpuUsage()
  const { listings, footprint, refusals } = await snapshot({
    ...sampleRun(root, at, count),
    fresh: true,
    budget: HOST_BUDGETS.cloudflare,
  })
  if (footprint === null) throw new Error(`nothing was published: ${refusals.map(({ message }) => message).join('; ')}`)
  const { user, system } = process.cpuUsage(before)
  return {
    listings,
    files: footprint.files,
    largestMiB: (footprint.largest?.bytes ?? 0) / 2 ** 20,
    cpuMs: (user + system) / 1000,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  }
}
