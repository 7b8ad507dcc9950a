import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { Asset } from '../contract/asset.ts'
import { ChangeEvent, ChangesMembers } from '../contract/changes.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { RequestRow } from '../contract/listing-request.ts'
import { readJson } from '../contract/read-json.ts'
import { LastFiles } from '../tree/last-files.ts'
import { LAYOUT, profileSlug } from '../tree/layout.ts'
import { DeliveryError } from './delivery-error.ts'
import type { BranchFacts } from './fact-tables.ts'

const Index = z.object({ generatedAt: IndexMembers.generatedAt })
const Profile = z.object({ asset: Asset })
const Collector = z.object({ rows: z.array(SourceRow), methodology: CollectorMembers.methodology })
const Requests = z.object({ rows: z.array(RequestRow) })
const Changes = z.object({ days: ChangesMembers.days })
const ChangesOfDay = z.object({ rows: z.array(ChangeEvent) })

/** Facts of a published tree, and its build time in ms since 1970. */
interface DatedFacts {
  readonly at: number
  readonly facts: BranchFacts
}

/**
 * Reads the facts of a published tree.
 *
 * @throws DeliveryError if the folder holds no published tree, or one of its documents cannot be read
 */
export function branchFacts(root: string): DatedFacts {
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
    },
  }
}

function needed<Schema extends z.ZodType>(tree: LastFiles, file: string, schema: Schema): z.infer<Schema> {
  const document = optional(tree, file, schema)
  if (document !== null) return document
  throw new DeliveryError(`Could not read ${file} in ${tree.root}. Run npm run snapshot to publish a tree there.`)
}

const optional = <Schema extends z.ZodType>(tree: LastFiles, file: string, schema: Schema): z.infer<Schema> | null =>
  readJson(tree.read(file), schema)
