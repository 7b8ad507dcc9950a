import type { Ms } from '../contract/time.ts'
import type { ChangeEvent } from '../contract/changes.ts'
import type { SourceRow } from '../contract/collector.ts'
import type { QueueChanges, RequestsPort } from '../contract/listing-request.ts'
import type { SourcesKind } from '../contract/product.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { RightsClass } from '../contract/rights.ts'
import type { Composition } from '../endpoints/compose.ts'
import type { GateRule, MarketMove, Refusal } from '../feed/gate.ts'
import type { SiteRow } from '../history/rows.ts'
import type { PastEvent } from '../history/past-prices.ts'
import type { KnownAssets } from '../registry/known-assets.ts'
import type { Registry } from '../registry/registry.ts'
import type { Budget } from '../tree/budget.ts'
import type { Bundle, BundleRead } from '../sources/bundle.ts'
import type { CollectOptions, Report } from '../sources/collect.ts'
import type { Recording } from '../sources/merge-recordings.ts'
import type { Selected } from '../sources/selection.ts'
import type { Source } from '../sources/source.ts'
import type { Place } from '../tree/remote.ts'
import type { State } from '../tree/state.ts'
import type { Published } from '../tree/tree.ts'

/** Default time between runs. */
export const CADENCE_MS = 30 * 60 * 1000

/** What a run asks of whom. */
export interface CollectionInputs {
  readonly kind: SourcesKind
  readonly sources: readonly Source[]
  /** Recordings in place of the sources. Only past prices that they lack are requested then; `now` is their clock. */
  readonly recordings?: readonly BundleRead[] | undefined
  readonly registry: Registry
  /** The listings that the publisher names; all by default. */
  readonly only?: readonly string[] | null | undefined
  /**
   * Directory of assets that exchanges may trade. Without it, only aggregators and the registry make listings, and lists of
   * currencies are of no use.
   */
  readonly known?: KnownAssets | undefined
  readonly now: Ms
  /** Time between runs, in ms. It sets the finest history grid. */
  readonly cadenceMs: number
  /** Commit of this program, for the manifest. */
  readonly commit?: string | undefined
}

/** What a publication is made of, besides the last one: equal inputs give equal bytes. */
export interface Inputs extends CollectionInputs {
  /** The publisher; the members of its ecosystem are those of the registry. */
  readonly site: Omit<SiteRow, 'members'>
  /** The publisher's own label of live data. */
  readonly label?: string | null | undefined
  /**
   * Sources of the feed, of which a run may ask only some: what the others reported is carried. Nothing is kept of any
   * other source. By default `sources`.
   */
  readonly configured?: readonly Source[] | undefined
  /** Replace the tree instead of extending it. */
  readonly fresh: boolean
  readonly composition: Composition
}

/** What a run reads, requests and writes outside its own process. */
export interface Ports {
  readonly root: string
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from?: readonly Place[] | undefined
  /** Whether documents have precompressed files beside them; by default those that have them keep them. */
  readonly compress?: boolean | undefined
  /** Takes what the sources returned, also if the run is refused. */
  readonly record?: ((bundle: Bundle) => void) | undefined
  /** The queue of listing requests. Without one, their last published state is kept. */
  readonly requests?: RequestsPort | undefined
  readonly connect: CollectOptions['connect']
  readonly signal: AbortSignal
  /** A monotonic clock, in ms. */
  readonly elapsed: () => number
  /** Time of the machine, for the age of locks. */
  readonly wallNow: Ms
}

/** What a run may request, keep and publish. */
export interface Limits {
  /** Number of listings to request from each aggregator; null: all. */
  readonly listings: number | null
  /** Requests for past prices. */
  readonly history: {
    readonly perRun: number
    readonly perSource: number
    /** More, for the run that has no series to extend; of each source as many as its pace allows in `seconds`. */
    readonly first?: { readonly perRun: number; readonly perSource: number; readonly seconds: number }
  }
  /** Whether bars of venues are requested, which candles and daily bars are made of; true by default. */
  readonly hasBars?: boolean | undefined
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number | undefined
  /** Limits of the tree's size. A larger tree is refused. */
  readonly budget?: Budget | undefined
  /** Classes of rights that may be published; all by default. A tree with values of other sources is not extended. */
  readonly rights?: ReadonlySet<RightsClass> | undefined
  /** Gate rules that this run may break. */
  readonly accept?: ReadonlySet<GateRule> | undefined
}

export type SkippedSource = Selected['left'][number]

export type RunEvent =
  /** Some sources are left out, or asked at another host. */
  | { readonly kind: 'selected'; readonly selected: Selected }
  /** Some sources are not asked in this run. */
  | { readonly kind: 'spared'; readonly spared: readonly SkippedSource[] }
  | { readonly kind: 'asking'; readonly sources: readonly Pick<Source, 'id' | 'label'>[] }
  | { readonly kind: 'answered'; readonly report: Report }
  | PastEvent
  /** Documents are composed and written from now on. */
  | { readonly kind: 'composing' }

export type Tell = (event: RunEvent) => void

export interface RunReport {
  readonly outcome: 'published' | 'no_usable_source' | 'refused'
  /** Why nothing was published; empty if something was. */
  readonly refusals: readonly Refusal[]
  /** Findings of the gate that were confirmed or accepted. */
  readonly lifted: readonly Refusal[]
  /** A move of the whole market that witnesses confirm. */
  readonly moved: MarketMove | null
  readonly reports: readonly Report[]
  /** Bundles that could not be used. */
  readonly collection: Pick<Recording, 'refused'>
  readonly published: Published | null
  readonly listings: number
  readonly priced: number
  /** Where the last publication was restored from; null if the folder itself had it. */
  readonly restored: State['restored']
  readonly historyRequests: number
  /** Gaps in past prices that a later run may fill. */
  readonly historyLeft: number
  /** Listings with a value on at least half of the days of the year. */
  readonly withHistory: number
  /** Whether it published into a folder that held no publication. */
  readonly isFirst: boolean
  readonly historyFailures: readonly string[]
  readonly events: readonly ChangeEvent[]
  readonly held: readonly QuarantineRow[]
  /** Health of every source, as published; empty if nothing was published. */
  readonly sources: readonly SourceRow[]
  /** Result of the due changes in the queue of listing requests; null without a queue. */
  readonly requests: QueueChanges | null
  /** Duration of each stage in ms. */
  readonly stages: Readonly<Record<'read' | 'collect' | 'feed' | 'history' | 'publish', number>>
}
