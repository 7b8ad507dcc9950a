import * as z from 'zod'
import { type Facts, listingFacts } from '../changes/events.ts'
import { record } from '../changes/record.ts'
import { folderOfBlock } from '../contract/blocks.ts'
import { closesDay } from '../contract/closes.ts'
import { gridOf } from '../contract/history.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { DAY_MS, dayOf } from '../contract/time.ts'
import { compose } from '../endpoints/compose.ts'
import type { World } from '../endpoints/endpoint.ts'
import { GATE, type Refusal } from '../feed/gate-rules.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { extendedTotals } from '../history/extended-totals.ts'
import { timestampOf } from '../history/grid.ts'
import { countDocuments, layoutOfOwn, layoutWithin } from '../service/block-plan.ts'
import { footprintOf, withinBudget } from '../service/budgets.ts'
import { type Checkpoint, partsOf } from '../tree/checkpoint.ts'
import type { LastPublication } from '../tree/last-publication.ts'
import { CHECKPOINT } from '../tree/layout.ts'
import type { Published } from '../tree/tree.ts'
import type { State } from './open-state.ts'
import type { Past } from './past.ts'
import type { Inputs, Limits, Ports } from './run.ts'

interface Told extends Pick<World, 'sources' | 'requests' | 'runs'>, Pick<Facts, 'moved'> {
  /** SHA-256 of the source data. */
  readonly inputs: string
  readonly run: Pick<Inputs, 'commit' | 'closing'>
}

/** Returns everything that the documents are made of. */
export function worldOf(
  snapshot: Snapshot,
  past: Past,
  { previous, known }: Pick<State, 'previous' | 'known'>,
  { sources, requests, runs, inputs, run, ...told }: Told,
): World {
  const read = (file: string) => known.read(file)
  const last = { facts: factsBefore(previous), files: known.files, read }
  const { at, nextBuildAt, listed, bySlug, methodology } = snapshot
  const facts: Facts = {
    ...told,
    closing: run.closing,
    pastHeld: past.daily.held,
    build: { at, nextAt: nextBuildAt },
    // Nobody knows what changed in listings whose last facts are lost.
    listings: listingFacts(listed.flatMap(({ asset }) => (previous.unreadable?.has(asset.slug) ? [] : asset))),
    successor: (slug) => bySlug.get(slug)?.asset.replaced_by ?? null,
    sources: snapshot.sources,
    methodology,
    requests: requests.rows,
  }
  return Object.freeze({
    ...snapshot,
    ...past,
    sources,
    requests,
    runs,
    changes: record(last, facts, at),
    last: read,
    totals: extendedTotals(snapshot, { files: known.documents('totals'), last: known }),
    provenance: { before: previous.manifest, inputs, commit: run.commit ?? null },
  })
}

function factsBefore(last: LastPublication): Facts | null {
  const { label, publishedAt: at, nextBuildAt: nextAt, listings, sources } = last
  if (label === null) return null
  return {
    build: at === null || nextAt === null ? undefined : { at, nextAt },
    listings: listingFacts([...listings.values()].map(({ asset }) => asset)),
    successor: () => null,
    sources: [...sources.values()],
    methodology: last.methodology,
    requests: last.requests,
  }
}

/**
 * Publishes a world, or says why not. Returns what was published, or why nothing was; findings that the run may publish all
 * the same; and a function for the size of the tree with its checkpoint.
 *
 * @param unreadable returns files of the last publication that could not be read back, of those read so far
 */
export function publishWorld(
  world: World,
  { tree, known, previous }: State,
  {
    inputs,
    ports,
    limits,
  }: { readonly inputs: Inputs; readonly ports: Pick<Ports, 'compress'>; readonly limits: Limits },
  unreadable: () => readonly string[],
) {
  const { composition, pages, product, cadenceMs, now } = inputs
  const { budget = null, accept } = limits
  const { endpoints } = composition
  const layout = inputs.only
    ? layoutOfOwn(world.listings.length, limits.hasBars ?? true)
    : budget && layoutWithin(countDocuments(endpoints, world, pages !== undefined), budget)
  const attachments = [...composition.attachments, ...(pages ? [pages] : [])]
  const edition = { product, layout, before: (file: string) => tree.last(file), starts: tree.partStarts }
  const documents = compose({ endpoints, attachments }, world, edition)
  const ledger: ManifestRow[] = []
  const { sizes } = known
  const lifted: Refusal[] = []
  function* complete() {
    yield* withinBudget(documents, budget, ledger)
    const fall = historyFall({
      before: sizes,
      after: ledger,
      publishedAt: Date.parse(previous.publishedAt ?? '') || 0,
      now,
      isRegridded: isRegridded(cadenceMs, previous),
      keptDays: null,
      unreadable: [...new Set([...unreadable(), ...tree.damaged])].toSorted(),
    })
    if (fall !== null && !accept?.has(fall.rule)) throw new Refused(fall)
    if (fall !== null) lifted.push(fall)
  }
  const done = publishedOrNot(world.at, () => tree.publish(complete(), ports.compress))
  const footprint = (checkpoint: Checkpoint | null) => footprintOf([...ledger, ...checkpointFiles(checkpoint)])
  return { done, lifted, footprint }
}

/** Whether the cadence changed so that the shortest ranges have another grid than in the last publication. */
function isRegridded(cadenceMs: number, { publishedAt, nextBuildAt }: State['previous']): boolean {
  if (publishedAt === null || nextBuildAt === null) return false
  return gridOf(Date.parse(nextBuildAt) - Date.parse(publishedAt))[1] !== gridOf(cadenceMs)[1]
}

/** Returns the files of the checkpoint, which a host counts as any other. */
function checkpointFiles(checkpoint: Checkpoint | null): SizedFile[] {
  if (checkpoint === null) return []
  const parts = partsOf(checkpoint).map(({ file, bytes }) => ({ path: `${CHECKPOINT.folder}/${file}`, bytes }))
  return [...parts, { path: CHECKPOINT.pointer, bytes: JSON.stringify(checkpoint).length }]
}

/**
 * Publishes, or returns a refusal: if the past would shrink, or if a document breaks its contract, which is a bug.
 */
function publishedOrNot(at: string, publish: () => Published): Published | Refusal {
  try {
    return publish()
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    if (!(error instanceof z.ZodError)) throw error
    const [issue] = error.issues
    const message = `a document breaks its contract: ${issue?.path.join('.')}: ${issue?.message}`
    return { rule: 'schema', message, since: at, release: 'It ends by a corrected program' }
  }
}

type SizedFile = Pick<ManifestRow, 'path' | 'bytes'>

/** What is compared, by the folder of its documents. */
const PASTS = [
  ['history', 'the history of prices'],
  ['candles', 'the candles'],
  ['closes', 'the daily closes'],
  ['daily', 'the daily bars'],
  ['rates', 'the rates of past days'],
] as const

/** Bytes by which the head of a document may shrink: it names the sources that give no answer, while they do not. */
const HEAD_BYTES = 400

interface Publications {
  /** Files of the last publication, with the sizes that they had then. */
  readonly before: readonly SizedFile[]
  readonly after: readonly SizedFile[]
  /** Times of the last publication, 0 if unknown, and of this run, in ms since 1970. */
  readonly publishedAt: number
  readonly now: number
  /** Whether the shortest ranges have buckets of another width from now on, because the cadence changed. */
  readonly isRegridded: boolean
  /** Days of closes that stay in the tree; null: all. */
  readonly keptDays: number | null
  readonly unreadable: readonly string[]
}

/**
 * Returns the refusal of a publication whose documents of the past are much smaller than those of the last one; null if
 * they are not. Sizes are compared, because they are known of documents that are damaged. Retention, a change of the cadence
 * and the time since the last publication are allowed for; a renamed listing takes its rows with it, and a delisted one keeps them.
 */
export function historyFall(publications: Publications): Refusal | null {
  const { before, after, publishedAt, now, isRegridded, keptDays, unreadable } = publications
  const daysWithout = isRegridded ? 1 : Math.min(1, Math.max(0, now - publishedAt) / DAY_MS)
  const oldestDay = keptDays === null ? '' : dayOf(now - (keptDays - 1) * DAY_MS)
  for (const [folder, what] of PASTS) {
    const isOf = ({ path }: SizedFile) =>
      path.endsWith('.json') &&
      (path.startsWith(`${API_FOLDER}/${folder}/`) || folderOfBlock(path) === folder) &&
      (closesDay(path) ?? '9999') >= oldestDay
    const held = before.filter(isOf)
    const [had, has] = [held, after.filter(isOf)].map((files) => files.reduce((sum, { bytes }) => sum + bytes, 0))
    // These have no window that moves.
    const moved = ['closes', 'daily', 'rates'].includes(folder) ? 0 : GATE.history_window_percent * daysWithout
    const limit = GATE.history_fall_percent + moved
    const fall = had ? (100 * (had - (has ?? 0))) / had : 0
    if (fall <= limit || (had ?? 0) - (has ?? 0) <= HEAD_BYTES * held.length) continue
    const [first] = unreadable
    const why =
      first === undefined ? '' : `; ${unreadable.length} documents could not be read back, the first is ${first}`
    return {
      rule: 'history_fall',
      message:
        `${what} would shrink from ${kib(had)} to ${kib(has)}, by ${Math.round(fall)} %, and the limit is ` +
        `${Math.round(limit)} %${why}`,
      since: timestampOf(now),
      release: 'It ends when the folder or its checkpoint is restored from a copy of the last publication',
    }
  }
  return null
}

const kib = (bytes = 0): string => `${Math.round(bytes / 1024)} KiB`

/** Throws the refusal of a publication once its last document is composed: nothing is published then. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
