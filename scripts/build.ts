import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suggestion } from '../src/config/nearest.ts'
import type { Config } from '../src/config/settings.ts'
import type { SourcesKind } from '../src/core/contract/product.ts'
import { GATE, type GateRule } from '../src/core/feed/gate.ts'
import { knownAssets } from '../src/core/registry/known-assets.ts'
import { openRegistry } from '../src/core/registry/registry.ts'
import { collectBundle } from '../src/core/run/recording.ts'
import type { Inputs, Limits, Ports, RunReport, Tell } from '../src/core/run/run.ts'
import { snapshot } from '../src/core/run/snapshot.ts'
import { type Bundle, type BundleRead, writeBundle } from '../src/core/sources/bundle.ts'
import { type Connection, connect } from '../src/core/sources/http.ts'
import { clockOf } from '../src/core/sources/merge-recordings.ts'
import { reachability } from '../src/core/sources/request.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/core/sources/sample/sample.ts'
import { select } from '../src/core/sources/selection.ts'
import type { Source } from '../src/core/sources/source.ts'
import { liveSources } from '../src/core/sources/table.ts'
import { placeAt } from '../src/core/tree/remote.ts'
import { mostListings } from '../src/delivery/budgets.ts'
import { type Queue, requestsOfRun } from '../src/requests/queue.ts'
import { ENGINE_VERSION, environment, runTime } from './environment.ts'
import { siteComposition } from './pages.ts'
import { type Settings, brandOf, budgetIn, registryOf, siteOf } from './settings.ts'
import { UsageError } from './command.ts'

const DEADLINE_MS = 10 * 60 * 1000
export const HISTORY_REQUESTS = { perRun: 120, perSource: 15 }
/** The same in the run that has no series yet: most listings get their year from it. */
const FIRST_HISTORY_REQUESTS = { perRun: 2000, perSource: 300, seconds: 120 }

export interface Build {
  readonly kind: SourcesKind
  readonly out: string
  readonly settings: Settings
  readonly fresh?: boolean
  readonly from?: readonly string[]
  readonly historyRequests?: number | undefined
  readonly accept?: ReadonlySet<GateRule>
  readonly queue?: Queue | null
  readonly recordings?: readonly BundleRead[] | undefined
  readonly record?: string | undefined
  readonly commit?: string | undefined
}

export async function build(options: Build, tell: Tell): Promise<RunReport> {
  const { kind, settings, recordings, record, queue } = options
  const now = (recordings && clockOf(recordings, kind, runTime())) ?? runTime()
  const limits = limitsOf(options)
  const inputs = { ...(await inputsOf(options, now, tell)), recordings }
  return onNetwork((network) => {
    const ports = {
      ...network,
      ...placesOf(options),
      compress: settings.config.compress,
      record: record === undefined ? undefined : (bundle: Bundle) => void writeBundle(record, bundle),
      requests: queue ? requestsOfRun(queue) : undefined,
      wallNow: Date.now(),
    }
    return snapshot(inputs, ports, limits, tell)
  })
}

export async function recording(options: Build, tell: Tell): Promise<Bundle> {
  const inputs = await inputsOf(options, runTime(), tell)
  const listings = listingsOf(options.settings.config)
  return onNetwork((network) => collectBundle({ ...network, ...inputs, ...placesOf(options), listings, tell }))
}

const placesOf = ({ out, from = [] }: Build) => ({ root: resolve(out), from: from.map((place) => placeAt(place)) })

async function inputsOf({ kind, settings, fresh = false, commit }: Build, now: number, tell: Tell): Promise<Inputs> {
  const { config, originOf } = settings
  const { product, label, country, ecosystem, only, rights } = config
  const isSample = kind === 'sample'
  const registry = openRegistry({
    ...registryOf(settings),
    site: siteOf(config),
    ...(isSample ? { label: 'sample registry', spelledAs: SAMPLE_SPELLINGS } : {}),
  })
  const site = {
    product,
    ecosystem,
    address: siteOf(config),
    brand: brandOf(settings),
    names: only !== null,
    pages: true,
    program: ENGINE_VERSION,
  }
  const all = isSample ? sampleSources(now, config.listings) : keyedSources()
  const isOption = originOf('sources.only') === 'option'
  // The file names live sources.
  const chosen = isSample && !isOption ? all : chosenOf(all, config.sources)
  const selected = select(chosen, { rights: rights && new Set(rights), country })
  if (selected.left.length + selected.elsewhere.length > 0) tell({ kind: 'selected', selected })
  if (selected.asked.length === 0) throw new UsageError('No source is left. Change --only, --rights or --country.')
  return {
    kind,
    site,
    label,
    sources: selected.asked,
    // The option asks some sources for one run, and removes none.
    configured: isOption ? all : chosen,
    registry,
    only,
    // The sample is made from the same directory and has listings of its own.
    known: isSample ? undefined : knownAssets(registry),
    now,
    cadenceMs: config.cadenceMinutes * 60_000,
    fresh,
    composition: await siteComposition(site),
    commit: commit ?? environment().GITHUB_SHA,
  }
}

function limitsOf({ kind, settings: { config }, historyRequests, accept = new Set() }: Build): Limits {
  const { rights, host, only, candles } = config
  const listings = listingsOf(config)
  return {
    listings,
    history: historyOf(kind, historyRequests),
    leastListings:
      kind === 'sample' ? undefined : Math.min(GATE.listings_floor, listings ?? Infinity, only?.length ?? Infinity),
    hasBars: candles ?? only === null,
    rights: rights === null ? undefined : new Set(rights),
    budget: budgetIn(host ?? undefined),
    accept,
  }
}

/** Null: what each aggregator gives at once, since who is who is decided among all. */
function listingsOf({ listings, only, host }: Config): number | null {
  if (only !== null) return null
  const budget = budgetIn(host ?? undefined)
  const most = budget ? mostListings(budget) : null
  if (most !== null && listings > most)
    throw new UsageError(
      `listings: a tree of ${listings} listings may exceed the files that ${host} takes. Set at most ${most}, or choose another host.`,
    )
  return listings
}

function historyOf(kind: SourcesKind, requests: number | undefined): Limits['history'] {
  if (kind === 'sample') return { perRun: requests ?? Infinity, perSource: requests ?? Infinity }
  if (requests === undefined) return { ...HISTORY_REQUESTS, first: FIRST_HISTORY_REQUESTS }
  return { ...HISTORY_REQUESTS, perRun: requests }
}

export function keyedSources(): readonly Source[] {
  const { COINGECKO_API_KEY: apiKey, COINGECKO_PLAN: plan } = environment()
  return liveSources({ apiKey, plan })
}

function chosenOf(all: readonly Source[], { only, off }: Config['sources']): readonly Source[] {
  const ids = all.map(({ id }) => id)
  const unknown = only?.find((id) => !ids.includes(id))
  if (unknown !== undefined) throw new UsageError(`There is no source "${unknown}". ${suggestion(unknown, ids)}`)
  return all.filter(({ id }) => (only ?? ids).includes(id) && !off.includes(id))
}

async function onNetwork<Result>(work: (network: Pick<Ports, 'connect' | 'signal' | 'elapsed'>) => Promise<Result>) {
  // A machine sets the proxy in small or capital letters.
  const { MKT_UPSTREAM, HTTPS_PROXY, https_proxy: proxy = HTTPS_PROXY, NO_PROXY, no_proxy } = environment()
  const network = reachability()
  const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), network.signal])
  // Every source listens to it. Node warns of a leak above 10 listeners.
  setMaxListeners(0, signal)
  const options = {
    upstream: MKT_UPSTREAM === undefined ? null : new URL(MKT_UPSTREAM),
    userAgent: `quotetree/${ENGINE_VERSION}`,
    proxy: proxy === undefined ? null : { url: proxy, except: no_proxy ?? NO_PROXY ?? '' },
    deadline: { at: performance.now() + DEADLINE_MS, signal },
    network,
    now: () => performance.now(),
    random: Math.random,
    pause: (ms: number, ended: AbortSignal) => sleep(ms, undefined, { signal: ended }),
  }
  const opened: Connection[] = []
  const open = (source: Source): Connection => {
    const connection = connect(source, options)
    opened.push(connection)
    return connection
  }
  try {
    return await work({ connect: open, signal, elapsed: () => performance.now() })
  } finally {
    await Promise.all(opened.map((connection) => connection.close()))
  }
}
