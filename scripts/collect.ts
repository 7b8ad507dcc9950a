import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readJson } from '../src/contract/read-json.ts'
import { writeBundle } from '../src/observations/bundle-files.ts'
import { openRegistry } from '../src/registry/registry.ts'
import { collectBundle } from '../src/run/collect-bundle.ts'
import { sourceLine } from '../src/run/report.ts'
import { RunPlan, type Shard } from '../src/run/run-plan.ts'
import { SAMPLE_SPELLINGS } from '../src/sources/sample/sample.ts'
import { select } from '../src/sources/selection.ts'
import { DEADLINE_MS, chosen, clock, connections, deadlineIn, sourcesOf, tellLeft } from './build.ts'
import { environment } from './environment.ts'
import { kindIn, overridesIn, textIn } from './run-options.ts'
import { type Settings, settingsWith } from './settings.ts'
import { registryOf } from './registry-file.ts'
import { type Parsed, declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

const OPTIONS = {
  sources: { type: 'string', about: 'live (the default) or sample' },
  only: { type: 'string', about: 'comma-separated ids of sources to collect from, all by default' },
  plan: { type: 'string', about: 'file that npm run plan wrote; with --shard it says what to collect' },
  shard: { type: 'string', about: 'name of the part of the plan that this machine collects' },
  out: { type: 'string', about: 'folder to write the bundle into, bundles by default' },
  state: {
    type: 'string',
    about: 'folder with what collections keep for the next one: slow lists and spent quotas; none by default',
  },
  listings: { type: 'string', about: 'number of listings to request from each aggregator' },
  cadence: { type: 'string', about: 'minutes between runs, 30 by default' },
  region: { type: 'string', about: 'name of this place, for the bundle' },
  country: { type: 'string', about: 'country of this machine, such as US' },
} as const

export const command = declare({
  options: OPTIONS,
  async run(given, _, output) {
    const env = environment()
    const deadline = deadlineIn(DEADLINE_MS)
    const hosts = connections(env.MKT_UPSTREAM, deadline)
    const state = stateIn(textIn(given.state))
    try {
      const bundle = await collectBundle({
        ...wantedIn(given, await settingsFor(given), clock(env.MKT_NOW)),
        state: state.folder,
        elapsed: () => performance.now(),
        signal: deadline.signal,
        connect: (source) => hosts.connect(source),
        commit: env.GITHUB_SHA ?? null,
        onProgress: (report) => output.line(sourceLine(report)),
      })
      const { path, bytes } = writeBundle(textIn(given.out) ?? 'bundles', bundle)
      const rows = [...bundle.rows.values()].reduce((sum, { length }) => sum + length, 0)
      output.result(
        { path, rows, bytes },
        () => `${rows} rows of ${bundle.header.sources.length} sources, ${(bytes / 1024).toFixed(0)} KiB: ${path}`,
      )
      return bundle.header.sources.some(({ error }) => error === null) ? EXIT.done : EXIT.no_source
    } finally {
      await hosts.close()
      state.close()
    }
  },
})

type Options = Parsed<typeof OPTIONS>['values']

/** A plan, and the part of it that this machine collects. */
interface Planned {
  readonly plan: RunPlan
  readonly shard: Shard
}

/** Returns the settings of a collection. A plan says what the options do not. */
function settingsFor(given: Options): Promise<Settings> {
  const { only: _, ...rest } = given
  const planned = plannedIn(given.plan, given.shard)
  return settingsWith({ ...(planned ? settingsOf(planned) : {}), ...overridesIn(rest) })
}

/** Returns the settings that a plan says. */
const settingsOf = ({ plan, shard }: Planned) => ({
  ...(plan.listings === null ? {} : { listings: plan.listings }),
  ...(shard.country === null ? {} : { country: shard.country }),
  cadenceMinutes: plan.cadence_ms / 60_000,
})

/** Returns what the options ask for: on their own, or as a part of a plan. */
function wantedIn(given: Options, settings: Settings, now: number) {
  const planned = plannedIn(given.plan, given.shard)
  const kind = kindIn(given.sources ?? planned?.plan.kind)
  const { listings, country, cadenceMinutes, sources } = settings.config
  const only = given.only?.split(',') ?? planned?.shard.sources ?? (kind === 'live' ? sources.only : null)
  const offered = sourcesOf(kind, settings.config, now)
  const selected = select(offered, { rights: null, country })
  const isOff = (id: string) => given.only === undefined && !planned && sources.off.includes(id)
  return {
    kind,
    now,
    planned,
    listings,
    sources: only?.length === 0 ? [] : chosen(tellLeft(selected), only).filter(({ id }) => !isOff(id)),
    all: selected.asked,
    registry: openRegistry({
      ...registryOf(settings),
      ...(kind === 'sample' ? { label: 'sample registry', spelledAs: SAMPLE_SPELLINGS } : {}),
    }),
    cadenceMs: cadenceMinutes * 60_000,
    region: given.region ?? planned?.shard.region ?? null,
  }
}

/** The plan, and the part of it that this machine collects. */
function plannedIn(file: string | undefined, name: string | undefined): Planned | null {
  if (file === undefined && name === undefined) return null
  if (file === undefined || name === undefined) throw new UsageError('--plan and --shard go together.')
  const plan = readJson(readFileSync(file, 'utf8'), RunPlan)
  if (!plan) throw new UsageError(`${file} is not a plan. Write one with npm run plan -- --write ${file}`)
  const shard = plan.shards.find((one) => one.name === name)
  if (shard) return { plan, shard }
  throw new UsageError(`The plan has no shard "${name}". It has ${plan.shards.map((one) => one.name).join(', ')}.`)
}

/** The folder that is kept between collections, or one that goes with this process. */
function stateIn(folder: string | null): { readonly folder: string; close(): void } {
  if (folder !== null) {
    mkdirSync(folder, { recursive: true })
    return { folder, close: () => {} }
  }
  const passing = mkdtempSync(join(tmpdir(), 'quotetree-collect-'))
  return { folder: passing, close: () => rmSync(passing, { recursive: true, force: true }) }
}
