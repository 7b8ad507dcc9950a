import type { ChangeEvent } from '../contract/changes.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { SourceRow } from '../contract/collector.ts'
import type { RightsClass } from '../contract/rights.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import type { GateRule } from '../feed/gate-rules.ts'
import type { MarketMove, Refusal } from '../feed/gate.ts'
import type { Budget, Footprint } from '../hosting/budgets.ts'
import type { Composition } from '../endpoints/compose.ts'
import type { Place } from '../tree/place.ts'
import type { RestoredFrom } from '../tree/restore-newest.ts'
import type { Published } from '../tree/tree.ts'
import type { Queue } from '../queue/queue.ts'
import type { KnownAssets } from '../registry/known-assets.ts'
import type { Registry } from '../registry/registry.ts'
import type { HistoryBudget } from '../history/past-prices.ts'
import type { CollectOptions, Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import type { SourcesKind } from '../contract/product.ts'
import type { Bundle } from '../observations/bundle.ts'
import type { BundleRead, Observations } from '../observations/merge.ts'
import type { QueueChanges } from './listing-requests.ts'
import type { Damage } from './damage.ts'
import type { HistoryPlan } from './progress.ts'
import type { Spared } from './rationed.ts'

/** Default time between runs. */
export const CADENCE_MS = 30 * 60 * 1000

/** Everything a run reads, requests or writes. */
export interface Run {
  readonly root: string
  readonly kind: SourcesKind
  /** Name of the service; {@link PRODUCT} by default. */
  readonly product?: string
  /** The publisher's own label of live data. */
  readonly label?: string | null
  readonly sources: readonly Source[]
  /**
   * Sources of the feed, of which a run may ask only some: what the others reported is carried. Nothing is kept of any
   * other source. By default `sources`.
   */
  readonly configured?: readonly Source[]
  readonly registry: Registry
  /** Directory of assets that exchanges may trade. Without it, only aggregators and the registry make listings. */
  readonly known?: KnownAssets
  /** Time of the data, in ms since 1970. */
  readonly now: number
  /** Time of the machine, in ms since 1970, for the age of locks. */
  readonly wallNow: number
  /** A monotonic clock, in ms. */
  readonly elapsed: () => number
  readonly signal: AbortSignal
  readonly connect: CollectOptions['connect']
  readonly listings: number | null
  readonly history: HistoryBudget
  /** Days of closes that stay in the tree; all by default. */
  readonly closesDays?: number | undefined
  /** Time between runs, in ms; {@link CADENCE_MS} by default. It sets the finest history grid. */
  readonly cadenceMs?: number | undefined
  /** Replace the tree instead of extending it. */
  readonly fresh: boolean
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from?: readonly Place[]
  /** Age from which a restored publication is refused if another place could not be read; a day by default. */
  readonly maxStateAgeMs?: number | undefined
  /** Write the checkpoint beside the tree. */
  readonly checkpoint?: boolean
  /** Queue of listing requests. Without one, their last published state is kept. */
  readonly queue?: Queue
  /** Gate rules that this run may break. */
  readonly accept?: ReadonlySet<GateRule>
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number
  /** Endpoints and files to publish; all by default. */
  readonly composition?: Composition
  /** Pages to publish with the data. */
  readonly pages?: Attachments
  /** Commit of this program, for the manifest. */
  readonly commit?: string
  /** Limits of the tree's size. Documents are put in blocks to keep below its number of files; a larger tree is refused. */
  readonly budget?: Budget
  /** Whether documents have precompressed files beside them; by default those that have them keep them. */
  readonly compress?: boolean
  /** Classes of rights that may be published; all by default. A tree with values of other sources is not extended. */
  readonly rights?: ReadonlySet<RightsClass>
  /** Bundles to take the observations from. Only past prices that they lack are requested then; `now` is their clock. */
  readonly bundles?: readonly BundleRead[]
  /** Ids of sources that some bundle must have, besides those that the bundles expect. */
  readonly expected?: readonly string[]
  /** Called with what the run observed, also if it is refused. */
  readonly onObserved?: (bundle: Bundle) => void
  /** Called with the sources that are asked, before they are. */
  readonly onAsking?: (sources: readonly Source[]) => void
  readonly onProgress?: (report: Report) => void
  /** Called with the sources that are not asked in this run. */
  readonly onSpared?: (spared: readonly Spared[]) => void
  /** Called with the plan for past prices before they are requested. */
  readonly onHistory?: (plan: HistoryPlan) => void
  /** Called with the number of requests for past prices that were made, gap by gap. */
  readonly onPastPrices?: (requests: number) => void
  /** Called before the documents are composed and written. */
  readonly onWriting?: () => void
}

/** Returns the time between runs, in ms. */
export const cadenceOf = ({ cadenceMs }: Pick<Run, 'cadenceMs'>): number => cadenceMs ?? CADENCE_MS

/** Result of a run. */
export interface RunReport {
  readonly outcome: 'published' | 'no_usable_source' | 'refused'
  /** Why nothing was published; empty if something was. */
  readonly refusals: readonly Refusal[]
  /** Findings of the gate that were confirmed or accepted. */
  readonly lifted: readonly Refusal[]
  /** A move of the whole market that witnesses confirm. */
  readonly moved: MarketMove | null
  readonly reports: readonly Report[]
  /** Bundles that could not be used, and sources that told two collectors different things. */
  readonly collection: Pick<Observations, 'refused' | 'disagreements'>
  readonly published: Published | null
  /** Size of the tree, and its estimated size as gzip. */
  readonly footprint: (Footprint & { readonly compressed: number }) | null
  readonly listings: number
  readonly priced: number
  /** Damaged documents of the last publication, by what became of them; none if nothing was published. */
  readonly damaged: Damage
  /** Result of restoring the last publication; null if nothing was restored. */
  readonly restored: RestoredFrom | null
  readonly historyRequests: number
  /** Gaps in past prices that a later run may fill. */
  readonly historyLeft: number
  /** Listings with a value on at least half of the days of the year. */
  readonly withHistory: number
  /** Whether it published into a folder that held no publication. */
  readonly isFirst: boolean
  readonly historyFailures: readonly string[]
  /** Changes since the last publication. */
  readonly events: readonly ChangeEvent[]
  /** Figures that are held back, as published. */
  readonly held: readonly QuarantineRow[]
  /** Health of every source, as published; empty if nothing was published. */
  readonly sources: readonly SourceRow[]
  /** Result of the due changes in the queue of listing requests; null without a queue. */
  readonly requests: QueueChanges | null
  /** Duration of each stage in ms. */
  readonly stages: Readonly<Record<'read' | 'collect' | 'feed' | 'history' | 'publish', number>>
}
