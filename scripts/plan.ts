import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { openRegistry } from '../src/registry/registry.ts'
import { planRun } from '../src/run/plan-run.ts'
import { MOST_SHARDS, type Region } from '../src/run/plan-shards.ts'
import { SAMPLE_SPELLINGS } from '../src/sources/sample/sample.ts'
import { placeAt } from '../src/tree/place.ts'
import { clock, sourcesIn } from './build.ts'
import { environment } from './environment.ts'
import { kindIn, overridesIn } from './run-options.ts'
import { settingsWith } from './settings.ts'
import { registryOf } from './registry-file.ts'
import { print, printError } from './terminal.ts'
import { REMOTE } from './tree-reader.ts'
import { declare } from './command.ts'
import { EXIT, wholeNumber } from './usage.ts'

/** One machine of GitHub, which has a US address. */
const HERE: Region = { name: 'us', runs_on: 'ubuntu-24.04', country: 'US', addresses: 1 }

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

export const command = declare({
  without: { json: 'it always prints JSON', quiet: 'its output is its result' },
  options: OPTIONS,
  async run(given) {
    const kind = kindIn(given.sources)
    const now = clock(environment().MKT_NOW)
    const settings = await settingsWith(overridesIn(given))
    const { listings, cadenceMinutes, regions } = settings.config
    const { plan, spared } = await planRun({
      root: resolve(given.tree ?? 'dist'),
      from: (given.from ?? []).map((place) => placeAt(place, REMOTE)),
      kind,
      sources: sourcesIn(kind, settings, now),
      registry: openRegistry({
        ...registryOf(settings),
        ...(kind === 'sample' ? { label: 'sample registry', spelledAs: SAMPLE_SPELLINGS } : {}),
      }),
      now,
      cadenceMs: cadenceMinutes * 60_000,
      listings,
      regions: regions ?? [HERE],
      mostShards: wholeNumber('shards', given.shards) || MOST_SHARDS,
      leastShards: wholeNumber('least-shards', given['least-shards']) || 1,
      seconds: wholeNumber('seconds', given.seconds) || SECONDS,
    })
    for (const { source, reason } of spared) printError(`Not asked: ${source.label} (${reason})`)
    if (given.write !== undefined) writeFileSync(given.write, `${JSON.stringify(plan)}\n`)
    const include = plan.shards.map(({ name, region, runs_on, sources, gaps }) => ({
      shard: name,
      region,
      runs_on,
      sources: sources.join(','),
      past: gaps.length,
    }))
    print(JSON.stringify({ include }))
    return EXIT.done
  },
})
