import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { resolve } from 'node:path'
import type { SourcesKind } from '../src/core/contract/product.ts'
import { placeAt } from '../src/core/tree/remote.ts'
import { requestsOfRun } from '../src/requests/of-run.ts'
import type { Queue } from '../src/requests/queue.ts'
import type { HistoryBudget } from '../src/core/history/past-prices.ts'
import { GATE, type GateRule } from '../src/core/feed/gate.ts'
import type { Bundle } from '../src/core/sources/bundle.ts'
import { bundlesAt, writeBundle } from '../src/core/sources/bundle-files.ts'
import { clockOf } from '../src/core/sources/merge-recordings.ts'
import { collectBundle } from '../src/core/run/recording.ts'
import { knownAssets } from '../src/core/registry/known-assets.ts'
import { type Registry, openRegistry } from '../src/core/registry/registry.ts'
import type { Inputs, Limits, Ports, RunReport, Tell } from '../src/core/run/run.ts'
import { snapshot } from '../src/core/run/snapshot.ts'
import { type Report, collect } from '../src/core/sources/collect.ts'
import { type Connection, type Deadline, type HttpProxy, connect } from '../src/core/sources/http.ts'
import { type Reachability, reachability } from '../src/core/sources/reachability.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/core/sources/sample/sample.ts'
import { type Selected, openAt, select } from '../src/core/sources/selection.ts'
import type { Source } from '../src/core/sources/source.ts'
import { type SourceKeys, liveSources } from '../src/core/sources/table.ts'
import type { Config } from '../src/config/settings.ts'
import { mostListings } from '../src/delivery/budgets.ts'
import type { Budget } from '../src/core/tree/budget.ts'
import { ENGINE_VERSION, environment, runTime } from './environment.ts'
import { compositionOf } from './pages.ts'
import { registryOf } from './registry-file.ts'
import { type Settings, brandOf, budgetIn, siteOf } from './settings.ts'
import { REMOTE } from './tree-reader.ts'
import { UsageError } from './usage.ts'

/** Time limit of a collection. The run publishes what has arrived by then. */
const DEADLINE_MS = 10 * 60 * 1000
/** Limits of requests for past prices in a run of live sources. */
export const HISTORY_REQUESTS = { perRun: 120, perSource: 15 }
/** The same in the run that has no series yet: most listings get their year from it. */
const FIRST_HISTORY_REQUESTS = { perRun: 2000, perSource: 300, seconds: 120 }
const UNLIMITED = 1_000_000

export interface Build {
  readonly kind: SourcesKind
  readonly out: string
  /** The publisher's settings, with those that options override. */
  readonly settings: Settings
  readonly fresh?: boolean
  /** Sites and folders to restore the last publication from if `out` holds none; none by default. */
  readonly from?: readonly string[]
  /** Requests for past prices; the usual number by default. */
  readonly historyRequests?: number | undefined
  /** Gate rules that this run may break; none by default. */
  readonly accept?: ReadonlySet<GateRule>
  /** Queue of listing requests; null by default: none. */
  readonly queue?: Queue | null
  /** Registry file instead of the built-in one and the publisher's own. */
  readonly registry?: string | undefined
  /** Folders and files of recordings to take instead of asking the sources; absent: ask. */
  readonly recordings?: readonly string[] | undefined
  /** Folder to write what the sources returned into; absent: none. */
  readonly record?: string | undefined
  /** Commit in the manifest; absent: that of the environment. */
  readonly commit?: string | undefined
}

/** Runs with the clocks, the network and the environment of this machine. */
export async function build(options: Build, tell: Tell): Promise<RunReport> {
  const { kind, settings, record } = options
  const recordings = options.recordings && (await bundlesAt(options.recordings))
  const now = (recordings && clockOf(recordings, kind, runTime())) ?? runTime()
  const limits = limitsOf(options)
  return onNetwork(async (network) => {
    return snapshot(
      { ...(await inputsOf(options, now, tell)), recordings },
      {
        ...network,
        root: resolve(options.out),
        from: placesOf(options),
        compress: settings.config.compress,
        record: record === undefined ? undefined : (bundle) => void writeBundle(record, bundle),
        requests: options.queue ? requestsOfRun(options.queue) : undefined,
        wallNow: Date.now(),
      },
      limits,
      tell,
    )
  })
}

/** Runs work with the network and the stopwatch of this machine, for as long as a collection may take. */
async function onNetwork<Result>(
  work: (network: Pick<Ports, 'connect' | 'signal' | 'elapsed'>) => Promise<Result>,
): Promise<Result> {
  const deadline = deadlineIn(DEADLINE_MS)
  const hosts = connections(environment().MKT_UPSTREAM, deadline)
  try {
    return await work({
      connect: (source) => hosts.connect(source),
      signal: deadline.signal,
      elapsed: () => performance.now(),
    })
  } finally {
    await hosts.close()
  }
}

const placesOf = ({ from = [] }: Build) => from.map((place) => placeAt(place, REMOTE))

/** Returns what a run is made of at a time. */
async function inputsOf(
  { kind, settings, registry, fresh = false, commit }: Build,
  now: number,
  tell: Tell,
): Promise<Inputs> {
  const { config } = settings
  const { product, label, country, ecosystem } = config
  const rights = config.rights && new Set(config.rights)
  const reviewed = registryFor(kind, settings, registry)
  const { logo, colours, currencies } = brandOf(settings)
  const site = {
    product,
    ecosystem,
    address: siteOf(config),
    brand: { logo, colours: { ...colours }, currencies: currencies && [...currencies] },
    names: config.only !== null,
    pages: true,
    program: ENGINE_VERSION,
  }
  return {
    kind,
    site,
    label,
    sources: asked(select(sourcesIn(kind, settings, now), { rights, country }), tell),
    configured: configuredIn(kind, settings, now),
    registry: reviewed,
    only: config.only,
    // The sample is made from the same directory and has listings of its own.
    known: kind === 'sample' ? undefined : knownAssets(reviewed),
    now,
    cadenceMs: config.cadenceMinutes * 60_000,
    fresh,
    composition: await compositionOf(site),
    commit: commit ?? environment().GITHUB_SHA,
  }
}

/** Returns what a run may request, keep and publish. */
function limitsOf({ kind, settings: { config }, historyRequests, accept = new Set() }: Build): Limits {
  const { rights, host, only, candles } = config
  const budget = budgetIn(host ?? undefined)
  const listings = listingsOf(config, budget)
  return {
    listings,
    history: historyOf(kind, historyRequests),
    leastListings:
      kind === 'sample' ? undefined : Math.min(GATE.listings_floor, listings ?? Infinity, only?.length ?? Infinity),
    hasBars: candles ?? only === null,
    rights: rights === null ? undefined : new Set(rights),
    budget,
    accept,
  }
}

/**
 * Returns the listings to request from each aggregator; null: what each gives at once, since who is who is decided among all.
 *
 * @throws UsageError if a tree of so many would exceed the limits of the host
 */
function listingsOf({ listings, only, host }: Config, budget: Budget | undefined): number | null {
  if (only !== null) return null
  const most = budget ? mostListings(budget) : null
  if (most !== null && listings > most)
    throw new UsageError(
      `listings: a tree of ${listings} listings may exceed the files that ${host} takes. Set at most ${most}, or choose another host.`,
    )
  return listings
}

/** Returns the limits of requests for past prices. The sample needs no network. */
function historyOf(kind: SourcesKind, requests: number | undefined): HistoryBudget {
  if (kind === 'sample') return { perRun: requests ?? UNLIMITED, perSource: requests ?? UNLIMITED }
  if (requests === undefined) return { ...HISTORY_REQUESTS, first: FIRST_HISTORY_REQUESTS }
  return { ...HISTORY_REQUESTS, perRun: requests }
}

/** Records sources for a build elsewhere. */
export async function recording(options: Build, tell: Tell): Promise<Bundle> {
  const { kind, settings, registry } = options
  const { config } = settings
  const env = environment()
  const now = runTime()
  const rights = config.rights && new Set(config.rights)
  const selected = select(openAt(sourcesIn(kind, settings, now), now), { rights, country: config.country })
  return onNetwork((network) =>
    collectBundle({
      ...network,
      root: resolve(options.out),
      from: placesOf(options),
      kind,
      sources: asked(selected, tell),
      registry: registryFor(kind, settings, registry),
      only: config.only,
      now,
      listings: listingsOf(config, undefined),
      cadenceMs: config.cadenceMinutes * 60_000,
      commit: env.GITHUB_SHA,
      tell,
    }),
  )
}

/** Asks each live source of the settings once for its list. Returns what they answered, and when they were asked. */
export async function asking(
  settings: Settings,
): Promise<{ readonly reports: readonly Report[]; readonly now: number }> {
  const now = runTime()
  const { country } = settings.config
  const selected = select(openAt(sourcesIn('live', settings, now), now), { rights: null, country })
  const wants = () => ({ listings: ASKED_LISTINGS, profiles: () => [], tokens: ASKED_TOKENS })
  const sources = asked(selected, () => {})
  const reports = await onNetwork(({ connect, signal, elapsed }) =>
    collect(sources, { at: now, now: elapsed, signal, connect, wants }),
  )
  return { reports, now }
}

/** What a check asks aggregators and sources of tokens for: a few pages, and two dollars by their contracts. */
const ASKED_LISTINGS = 500
const ASKED_TOKENS = [
  { platform: 'ethereum', address: '0xdac17f958d2ee523a2206206994597c13d831ec7' },
  { platform: 'ethereum', address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' },
]

const registryFor = (kind: SourcesKind, settings: Settings, file: string | undefined): Registry =>
  openRegistry({
    ...registryOf(settings, file),
    site: siteOf(settings.config),
    ...(kind === 'sample' ? { label: 'sample registry', spelledAs: SAMPLE_SPELLINGS } : {}),
  })

type RunDeadline = Deadline & { readonly network: Reachability }

/** The end of all requests, in so many ms, or earlier where no host can be reached. */
function deadlineIn(ms: number): RunDeadline {
  const network = reachability()
  const signal = AbortSignal.any([AbortSignal.timeout(ms), network.signal])
  const deadline = { at: performance.now() + ms, signal, network }
  // Every source listens to the deadline. Node warns of a leak above 10 listeners.
  setMaxListeners(0, deadline.signal)
  return deadline
}

const sourcesOf = (kind: SourcesKind, config: Config, now: number): readonly Source[] =>
  kind === 'sample' ? sampleSources(now, config.listings) : liveSources(sourceKeys())

/** Returns the sources of a kind that the settings choose. */
export function sourcesIn(kind: SourcesKind, { config, origins }: Settings, now: number): readonly Source[] {
  const { only, off } = config.sources
  const all = sourcesOf(kind, config, now)
  // The file names live sources.
  if (kind === 'sample' && origins.get('sources.only') !== 'option') return all
  return chosen(all, only).filter(({ id }) => !off.includes(id))
}

/** Returns the sources of the feed. The option `--only` asks some of them for one run, and removes none. */
const configuredIn = (kind: SourcesKind, settings: Settings, now: number): readonly Source[] =>
  settings.origins.get('sources.only') === 'option'
    ? sourcesOf(kind, settings.config, now)
    : sourcesIn(kind, settings, now)

/** Returns the keys of sources in the environment. */
export function sourceKeys(): SourceKeys {
  const { COINGECKO_API_KEY: apiKey, COINGECKO_PLAN: plan } = environment()
  return apiKey === undefined ? {} : { coingecko: { apiKey, plan } }
}

/** Returns the proxy of the environment. A machine sets it in small or capital letters. */
function proxyOf({ HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy }: ReturnType<typeof environment>): HttpProxy | null {
  const url = https_proxy ?? HTTPS_PROXY
  return url === undefined ? null : { url, except: no_proxy ?? NO_PROXY ?? '' }
}

/** Returns one connection per source, opened on demand, and a function that closes them. */
function connections(upstream: string | undefined, deadline: RunDeadline) {
  const open = new Map<string, Connection>()
  return {
    connect(source: Source): Connection {
      const connection =
        open.get(source.id) ??
        connect(source, {
          upstream: upstream === undefined ? null : new URL(upstream),
          userAgent: `quotetree/${ENGINE_VERSION}`,
          proxy: proxyOf(environment()),
          deadline,
          network: deadline.network,
          now: () => performance.now(),
          random: Math.random,
          pause: (ms, signal) => sleep(ms, undefined, { signal }),
        })
      open.set(source.id, connection)
      return connection
    },
    close: () => Promise.all([...open.values()].map((connection) => connection.close())),
  }
}

/** Returns the sources of a selection that are asked, and tells of the others. @throws UsageError if there are none */
function asked(selected: Selected, tell: Tell): readonly Source[] {
  if (selected.left.length + selected.elsewhere.length > 0) tell({ kind: 'selected', selected })
  if (selected.asked.length === 0) throw new UsageError('No source is left. Change --only, --rights or --country.')
  return selected.asked
}

function chosen(all: readonly Source[], only: readonly string[] | null): readonly Source[] {
  const known = new Set(all.map(({ id }) => id))
  for (const id of only ?? [])
    if (!known.has(id)) throw new UsageError(`There is no source "${id}". Choose from ${[...known].join(', ')}.`)
  // In the order of the table, which says whose figures come first.
  return only === null ? all : all.filter(({ id }) => only.includes(id))
}
