import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readJson } from '../src/contract/read-json.ts'
import { published } from '../src/endpoints/table.ts'
import { EXCHANGES } from '../src/feed/exchange-listings.ts'
import { knownAssets } from '../src/registry/known-assets.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { sampleSources } from '../src/sources/sample/sample.ts'
import type { Source } from '../src/sources/source.ts'
import { SourceError } from '../src/sources/source-error.ts'
import { sampleRun } from './sample-run.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 1)
const LISTINGS = 60
const DAYS = 7
/** Fewer than in operation: what stays without a source for a week does so with more runs too. */
const RUNS_A_DAY = 2

/** What became of the listings while one source was away. */
export interface AwayBench {
  readonly id: string
  readonly runs: number
  readonly listings: number
  /** Of these, known to exchanges alone. */
  readonly ofExchanges: number
  /** Slugs that were missing from the lists after any of the runs. */
  readonly lost: readonly string[]
  /** Runs that published nothing. */
  readonly refused: number
}

const Assets = z.object({ rows: z.array(z.object({ slug: z.string(), source_label: z.string() })) })
const rowsIn = (root: string) => readJson(readFileSync(join(root, 'api/mkt/assets.json'), 'utf8'), Assets)?.rows ?? []

/** Every tenth asset is known to exchanges alone. */
const sources = (now: number): Source[] =>
  sampleSources(now, LISTINGS).map((source) =>
    source.type === 'aggregator'
      ? {
          ...source,
          observe: async (http, wants) =>
            [...(await source.observe(http, wants))].filter(
              (one) => one.kind !== 'sighting' || (one.rank ?? 1) % 10 > 0,
            ),
        }
      : source,
  )

function runAt(root: string, now: number, away: string | null) {
  const run = sampleRun(root, now, LISTINGS)
  return snapshot({
    ...run,
    sources: sources(now).map((source) =>
      source.id === away
        ? { ...source, observe: () => Promise.reject(new SourceError('source_unreachable', `${source.id}: away`)) }
        : source,
    ),
    known: knownAssets(run.registry),
    history: { perRun: 0, perSource: 0 },
    composition: { endpoints: published, attachments: [] },
  })
}

/** Lets each source of a small market be away for a week and come back, one after another. */
export async function* benchAway(work: string): AsyncGenerator<AwayBench> {
  const begun = join(work, 'begun')
  await runAt(begun, START, null)
  await runAt(begun, START + HOUR / 2, null)
  const known = rowsIn(begun)
  const ofExchanges = known.filter(({ source_label }) => source_label === EXCHANGES).length
  for (const { id } of sources(START)) {
    const root = join(work, 'away')
    cpSync(begun, root, { recursive: true, preserveTimestamps: true })
    const lost = new Set<string>()
    const times = Array.from({ length: DAYS * RUNS_A_DAY }, (_, run) => START + HOUR + (run * 24 * HOUR) / RUNS_A_DAY)
    let refused = 0
    for (const [run, now] of [...times, START + (DAYS * 24 + 1) * HOUR].entries()) {
      const { outcome } = await runAt(root, now, run < times.length ? id : null)
      if (outcome !== 'published') refused++
      const listed = new Set(rowsIn(root).map(({ slug }) => slug))
      for (const { slug } of known) if (!listed.has(slug)) lost.add(slug)
    }
    rmSync(root, { recursive: true })
    const runs = times.length + 1
    yield { id, runs, listings: known.length, ofExchanges, lost: [...lost].toSorted(), refused }
  }
}
