import type { Asset } from '../../src/core/contract/asset.ts'
import { NO_REQUESTS } from '../../src/core/contract/listing-request.ts'
import type { ManifestRow } from '../../src/core/contract/manifest.ts'
import { isoOf } from '../../src/core/contract/time.ts'
import { compose } from '../../src/core/endpoints/compose.ts'
import { candleList, candles, closes, closesOfDay, daily, dailyList, history } from '../../src/core/endpoints/series.ts'
import { totals } from '../../src/core/endpoints/whole-market.ts'
import { worldOf as worldOfRows } from '../../src/core/endpoints/world.ts'
import type { PastAnswer } from '../../src/core/history/answers.ts'
import { NO_ROWS, type Rows } from '../../src/core/history/rows.ts'
import { changesBetween } from '../../src/core/run/row-changes.ts'
import { rowsAfter } from '../../src/core/run/rows-after.ts'
import { type TableList, decodeTables, encodeTables } from '../../src/core/tree/tables.ts'
import { sourceRowOf, worldOf } from '../endpoints/worlds.ts'
import { assetOf } from '../feed/world.ts'
import { SITE } from '../sample-tree.ts'

/** What a run sees and is told, at a time in ms since 1970. */
export interface Run {
  readonly now: number
  readonly assets: readonly (Partial<Asset> & Pick<Asset, 'slug'>)[]
  readonly prices?: ReadonlyMap<string, readonly PastAnswer[]> | undefined
  readonly cadence_ms?: number
}

function afterRun(rows: Rows, { now, assets, prices = new Map(), cadence_ms = 1_800_000 }: Run) {
  const snapshot = {
    ...worldOf(assets.map(({ slug, ...given }) => [assetOf(slug, given)])),
    at: isoOf(now),
  }
  const { at } = snapshot
  const { label, methodology } = snapshot.run
  const answers = {
    prices,
    rates: [],
    sources: ['kraken', 'okx'].map((id) => sourceRowOf(id)),
    requests: NO_REQUESTS,
    site: { ...SITE, members: [] },
    run: {
      at,
      next_at: isoOf(now + cadence_ms),
      cadence_ms,
      label,
      methodology,
      inputs: '',
      token_list: { major: 1, minor: 0, patch: 0, timestamp: at },
      commit: null,
    },
    unpublished: [],
    moved: null,
    closing: [],
  }
  return rowsAfter(rows, { snapshot, stocks: [] }, answers, now)
}

/** The list of tables, and the content of the parts that are not in the last one. */
export function encoded(...[rows, last, changed]: [Rows, TableList | null, ReadonlySet<string> | null]) {
  const files = new Map<string, Uint8Array>()
  const list = encodeTables(rows, last, changed, ({ path }, content) => files.set(path, content))
  return { list, files }
}

/** A folder of tables that runs extend: each reads what the last one wrote, and writes what it changed. */
export function tablesOf() {
  const files = new Map<string, Uint8Array>()
  const lists: TableList[] = []
  const read = (list: TableList): Rows => decodeTables(list, ({ path }) => files.get(path) ?? Buffer.alloc(0))
  return {
    files,
    lists,
    read,
    run(given: Run) {
      const last = lists.at(-1) ?? null
      const before = last === null ? NO_ROWS : read(last)
      const { rows } = afterRun(before, given)
      const changed = changesBetween(before, rows)
      const { list, files: written } = encoded(rows, last, changed)
      for (const [path, content] of written) files.set(path, content)
      lists.push(list)
      return { rows, changed, list, written: [...written.keys()], restored: read(list) }
    },
  }
}

const OF_THE_PAST = [history, candles, candleList, daily, dailyList, closes, closesOfDay, totals] as const

export function pastFiles(
  rows: Rows,
  changed: ReadonlySet<string> | null,
  before: ReadonlyMap<string, ManifestRow>,
): ReadonlyMap<string, ManifestRow> {
  const composition = { endpoints: OF_THE_PAST, attachments: [], tables: () => [] }
  const last = { documents: before, holds: () => true, changed }
  const tables = { path: 'state/tables.json', bytes: 0, sha256: '', timestamp: rows.run?.at ?? '' }
  const documents = compose(composition, worldOfRows(rows), last, () => tables)
  return new Map([...documents].map(({ content: _, ...row }) => [row.path, row]))
}
