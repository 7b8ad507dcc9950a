import * as z from 'zod'
import { BUILT_IN } from '../exports/table.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { gridOf } from '../contract/history.ts'
import type { World } from '../endpoints/endpoint.ts'
import { record } from '../changes/record.ts'
import type { Refusal, Verdict } from '../feed/gate.ts'
import { estimateCompressed, footprintOf, withinBudget } from '../hosting/budgets.ts'
import { countDocuments, layoutWithin } from '../hosting/block-plan.ts'
import { compose } from '../endpoints/compose.ts'
import { type Checkpoint, partsOf } from '../tree/checkpoint.ts'
import { CHECKPOINT } from '../tree/layout.ts'
import type { Published } from '../tree/tree.ts'
import { PRODUCT } from '../contract/product.ts'
import { observationsDigest } from '../observations/bundle.ts'
import { factsBefore, factsNow } from './change-facts.ts'
import { readLastRun } from './last-run-file.ts'
import { requestsOfRun } from './listing-requests.ts'
import { Refused, historyFall } from './history-fall.ts'
import { type Run, cadenceOf } from './run.ts'
import { runDays } from './run-days.ts'
import type { Collected, RationedRun } from './run-observations.ts'
import type { Extended } from './extend-history.ts'

/** Everything the documents are made of. */
export async function worldOf(
  run: RationedRun,
  { tree, known, previous, observations }: Collected,
  { feed, verdict, series, candles, closes, past }: Extended & { readonly verdict: Pick<Verdict, 'moved'> },
) {
  const slugs = new Set(feed.snapshot.listed.map(({ asset }) => asset.slug))
  const requests = await requestsOfRun(run.queue ?? null, slugs, run.now, (file) => known.read(file))
  const last = { facts: factsBefore(previous), files: run.fresh ? [] : tree.files, read: known.read.bind(known) }
  const inputs = observationsDigest(observations.facts, observations.rows, past.digests)
  const world: World = Object.freeze({
    ...feed.snapshot,
    ...series,
    ...candles,
    sources: run.withQuotas(feed.snapshot.sources),
    requests: requests.published,
    closes,
    changes: record(
      last,
      factsNow(feed.snapshot, requests.published, {
        ...previous,
        disagreements: observations.disagreements,
        moved: verdict.moved,
      }),
      feed.snapshot.at,
    ),
    last: known.read.bind(known),
    runs: runDays(previous, readLastRun(run.root)?.unpublished ?? [], run.now),
    provenance: { before: previous.manifest, inputs, commit: run.commit ?? null },
  })
  return { world, requests }
}

/**
 * Publishes a world, or says why not.
 *
 * @param unreadable returns files of the last publication that could not be read back, of those read so far
 */
export function publishWorld(
  run: Run,
  { tree, previous }: Collected,
  world: World,
  unreadable: () => readonly string[],
) {
  const ledger: ManifestRow[] = []
  const { endpoints, attachments: files } = run.composition ?? BUILT_IN
  const composition = { endpoints, attachments: run.pages ? [...files, run.pages] : files }
  const layout = run.budget ? layoutWithin(countDocuments(endpoints, world, run.pages !== undefined), run.budget) : null
  const before = (file: string) => tree.last(file)
  const documents = compose(composition, world, { product: run.product ?? PRODUCT, layout, before })
  const sizes = run.fresh ? [] : tree.sizes
  const lifted: Refusal[] = []
  function* complete() {
    yield* withinBudget(documents, run.budget ?? null, ledger)
    const fall = historyFall({
      before: sizes,
      after: ledger,
      publishedAt: Date.parse(previous.publishedAt ?? '') || 0,
      now: run.now,
      isRegridded: isRegridded(run, previous),
      keptDays: run.closesDays ?? null,
      unreadable: [...new Set([...unreadable(), ...tree.damaged])].toSorted(),
    })
    if (fall !== null && !run.accept?.has(fall.rule)) throw new Refused(fall)
    if (fall !== null) lifted.push(fall)
  }
  const done = publishedOrNot(world.at, () => tree.publish(complete(), run.compress))
  const footprint = (checkpoint: Checkpoint | null) => ({
    ...footprintOf([...ledger, ...checkpointFiles(checkpoint, world.at)], endpoints),
    compressed: estimateCompressed(ledger, endpoints, (file) => tree.read(file)),
  })
  return { done, lifted, footprint }
}

/** Whether the cadence changed so that the shortest ranges have another grid than in the last publication. */
function isRegridded(run: Run, { publishedAt, nextBuildAt }: Collected['previous']): boolean {
  if (publishedAt === null || nextBuildAt === null) return false
  const cadenceMs = Date.parse(nextBuildAt) - Date.parse(publishedAt)
  return gridOf(cadenceMs)[1] !== gridOf(cadenceOf(run))[1]
}

/** Returns the files of the checkpoint, which a host counts as any other. */
function checkpointFiles(checkpoint: Checkpoint | null, timestamp: string): ManifestRow[] {
  if (checkpoint === null) return []
  const parts = partsOf(checkpoint).map(({ file, bytes }) => ({ path: `${CHECKPOINT.folder}/${file}`, bytes }))
  const pointer = { path: CHECKPOINT.pointer, bytes: JSON.stringify(checkpoint).length }
  return [...parts, pointer].map((file) => ({ ...file, sha256: '', timestamp }))
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
