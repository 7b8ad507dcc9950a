import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod'
import { readJson } from '../src/contract/read-json.ts'
import { openRegistry } from '../src/registry/registry.ts'
import { planRun } from '../src/run/plan-run.ts'
import { MOST_SHARDS, type Region } from '../src/run/plan-shards.ts'
import { CADENCE_MS } from '../src/run/run.ts'
import { SAMPLE_SPELLINGS } from '../src/sources/sample/sample.ts'
import { placeAt } from '../src/tree/place.ts'
import { chosen, clock, sourcesOf } from './build.ts'
import { environment } from './environment.ts'
import { kindIn } from './run-options.ts'
import { print, printError } from './terminal.ts'
import { REMOTE } from './tree-reader.ts'
import { EXIT, UsageError, main, options, valuesOf, wholeNumber } from './usage.ts'

/** One machine of GitHub, which has a US address. */
const HERE: Region = { name: 'us', runs_on: 'ubuntu-24.04', country: 'US', addresses: 1 }

const Regions = z
  .array(
    z.object({
      name: z.string().regex(/^[a-z0-9-]{1,40}$/),
      runs_on: z.string().min(1).max(100),
      country: z
        .string()
        .regex(/^[A-Z]{2}$/)
        .nullable()
        .default(null),
      addresses: z.int().min(1).max(MOST_SHARDS).default(1),
    }),
  )
  .min(1)

/** Seconds that past prices may take on one machine before they are divided among several. */
const SECONDS = 300

const OPTIONS = {
  tree: { type: 'string', about: 'folder of the tree that the run will extend, dist by default' },
  from: { type: 'string', multiple: true, about: 'site or folder to restore the tree from if the folder holds none' },
  sources: { type: 'string', about: 'live (the default) or sample' },
  only: { type: 'string', about: 'comma-separated ids of sources' },
  listings: { type: 'string', about: 'number of listings to request from each aggregator' },
  cadence: { type: 'string', about: 'minutes between runs, 30 by default' },
  regions: {
    type: 'string',
    about:
      'machines as JSON: [{"name":"eu","runs_on":"eu-runner","country":"DE","addresses":2}], one of GitHub by default',
  },
  shards: { type: 'string', about: `most shards, as many as there are addresses by default, ${MOST_SHARDS} at most` },
  'least-shards': {
    type: 'string',
    about: 'shards among which sources are spread even where one would do, 1 by default',
  },
  seconds: { type: 'string', about: `time that past prices may take on one machine, ${SECONDS} by default` },
  write: { type: 'string', about: 'file to write the plan into, for npm run collect -- --plan' },
} as const

await main(async () => {
  const given = options('plan', 'Prints the shards of a collection as the JSON of a matrix of GitHub Actions.', OPTIONS)
  const kind = kindIn(given['sources'])
  const now = clock(environment().MKT_NOW)
  const listings = wholeNumber('listings', given['listings']) ?? null
  const cadence = wholeNumber('cadence', given['cadence'])
  const only = given['only'] === undefined ? null : String(given['only']).split(',')
  const { plan, spared } = await planRun({
    root: resolve(String(given['tree'] ?? 'dist')),
    from: valuesOf(given['from']).map((place) => placeAt(place, REMOTE)),
    kind,
    sources: chosen(sourcesOf({ kind, listings }, now), only),
    registry: openRegistry(kind === 'sample' ? { label: 'sample registry', spelledAs: SAMPLE_SPELLINGS } : {}),
    now,
    cadenceMs: cadence ? cadence * 60_000 : CADENCE_MS,
    listings,
    regions: regionsIn(given['regions']),
    mostShards: wholeNumber('shards', given['shards']) || MOST_SHARDS,
    leastShards: wholeNumber('least-shards', given['least-shards']) || 1,
    seconds: wholeNumber('seconds', given['seconds']) || SECONDS,
  })
  for (const { source, reason } of spared) printError(`Not asked: ${source.label} (${reason})`)
  if (given['write'] !== undefined) writeFileSync(String(given['write']), `${JSON.stringify(plan)}\n`)
  const include = plan.shards.map(({ name, region, runs_on, sources, gaps }) => ({
    shard: name,
    region,
    runs_on,
    sources: sources.join(','),
    past: gaps.length,
  }))
  print(JSON.stringify({ include }))
  return EXIT.done
})

function regionsIn(given: string | boolean | undefined): readonly Region[] {
  if (given === undefined || given === '') return [HERE]
  const regions = readJson(String(given), Regions)
  if (regions) return regions
  throw new UsageError(
    '--regions takes JSON such as [{"name":"eu","runs_on":"eu-runner","country":"DE","addresses":2}].',
  )
}
