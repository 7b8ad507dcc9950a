import * as z from 'zod'
import { DAY_MS, dayOf, dayIn } from '../contract/time.ts'
import { IndexMembers } from '../contract/api-index.ts'
import { Asset } from '../contract/asset.ts'
import { ChangeEvent, ChangesMembers } from '../contract/changes.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { Point, seriesFile } from '../contract/history.ts'
import { RequestRow } from '../contract/listing-request.ts'
import { readJson } from '../contract/read-json.ts'
import { LastFiles } from '../tree/last-files.ts'
import { LAYOUT, profileSlug } from '../tree/layout.ts'
import { DeliveryError } from './delivery-error.ts'
import type { BranchFacts } from './fact-tables.ts'

/** Maximum number of past days whose closes are added, if the branch was not updated for longer. */
const MOST_DAYS_OF_CLOSES = 30

const Index = z.object({ generatedAt: IndexMembers.generatedAt })
const Profile = z.object({ asset: Asset })
const Collector = z.object({ rows: z.array(SourceRow), methodology: CollectorMembers.methodology })
const Requests = z.object({ rows: z.array(RequestRow) })
const Changes = z.object({ days: ChangesMembers.days })
const ChangesOfDay = z.object({ rows: z.array(ChangeEvent) })
const Daily = z.object({ rows: z.array(Point) })

/** Facts of a published tree, and its build time in ms since 1970. */
interface DatedFacts {
  readonly at: number
  readonly facts: BranchFacts
}

/**
 * Reads the facts of a published tree.
 *
 * @param newestClose the latest UTC day whose closes are already on the branch; null if there is none
 * @throws DeliveryError if the folder holds no published tree, or one of its documents cannot be read
 */
export function branchFacts(root: string, newestClose: string | null): DatedFacts {
  const tree = new LastFiles(root)
  const at = Date.parse(needed(tree, LAYOUT.index, Index).generatedAt)
  const assets = tree
    .documents('assets')
    .filter((file) => profileSlug(file) !== null)
    .toSorted()
    .map((file) => needed(tree, file, Profile).asset)
  const collector = needed(tree, LAYOUT.collector, Collector)
  const days = needed(tree, `${LAYOUT.api}/changes.json`, Changes).days
  return {
    at,
    facts: {
      assets,
      sources: collector.rows,
      methodology: collector.methodology,
      requests: needed(tree, `${LAYOUT.api}/listing-requests.json`, Requests).rows,
      events: new Map(days.map((day) => [day, needed(tree, `${LAYOUT.api}/changes/${day}.json`, ChangesOfDay).rows])),
      closes: closesOf(tree, assets, closedDays(at, newestClose)),
    },
  }
}

/** Returns the UTC days that ended before `at` and after `newest`, oldest first; only yesterday if `newest` is null. */
function closedDays(at: number, newest: string | null): string[] {
  const today = Math.floor(at / DAY_MS)
  const first = newest === null ? today - 1 : Math.max(Date.parse(newest) / DAY_MS + 1, today - MOST_DAYS_OF_CLOSES)
  return Array.from({ length: Math.max(0, today - first) }, (_, place) => dayOf((first + place) * DAY_MS))
}

function closesOf(tree: LastFiles, assets: readonly Asset[], days: readonly string[]): BranchFacts['closes'] {
  const closes = new Map(days.map((day) => [day, new Map<string, number>()]))
  if (days.length === 0) return closes
  for (const { slug } of assets) {
    const rows = optional(tree, seriesFile(slug, 90), Daily)?.rows ?? []
    for (const { timestamp, price_usd } of rows) closes.get(dayIn(timestamp))?.set(slug, price_usd)
  }
  // Days without closes are left out. A later run may have them.
  return new Map([...closes].filter(([, prices]) => prices.size > 0))
}

function needed<Schema extends z.ZodType>(tree: LastFiles, file: string, schema: Schema): z.infer<Schema> {
  const document = optional(tree, file, schema)
  if (document !== null) return document
  throw new DeliveryError(`Could not read ${file} in ${tree.root}. Run npm run snapshot to publish a tree there.`)
}

const optional = <Schema extends z.ZodType>(tree: LastFiles, file: string, schema: Schema): z.infer<Schema> | null =>
  readJson(tree.read(file), schema)
