import { group } from 'd3-array'
import { otherPrograms } from './other-programs.ts'
import { renameFile } from '../core/contract/paths.ts'
import { changeFeeds } from '../changes/feeds.ts'
import type { Ecosystem } from '../core/contract/product.ts'
import { descriptions } from './descriptions.ts'
import type { Attachments } from '../core/endpoints/endpoint.ts'
import type { Composition } from '../core/endpoints/compose.ts'
import { endpointsOf } from '../core/endpoints/table.ts'
import { metrics } from './metrics.ts'
import { tableViews } from './table-views.ts'
import { textTables } from './text-tables.ts'
import { tokensOf } from '../core/history/token-list.ts'

/** Exports one file per retired slug and alias with its replacement, so that servers can redirect. */
const renames: Attachments = ({ listings, bySlug }) => {
  const pairs = listings.flatMap(({ asset: { slug, aliases, replaced_by } }) =>
    replaced_by === null
      ? aliases.flatMap((alias) => (bySlug.has(alias) ? [] : [[alias, slug] as const]))
      : [[slug, replaced_by] as const],
  )
  return [...new Map(pairs)].map(([slug, replaced_by]) => ({
    path: renameFile(slug).slice(1),
    text: `${JSON.stringify({ slug, replaced_by })}\n`,
  }))
}

const tableStatements: Attachments = ({ site: { address } }, { tables }) => {
  const files = [...group(tables, ({ table }) => table)].map(([table, own]) => {
    const paths = own.map(({ path }) => `'${address ?? ''}${path}'`).join(', ')
    return `CREATE OR REPLACE VIEW ${table} AS SELECT * FROM read_parquet([${paths}], union_by_name = true);\n`
  })
  return [{ path: 'tables/views.sql', text: files.join('') }]
}

/** Exports a token list for wallets, https://github.com/Uniswap/token-lists. It only changes when its tokens change. */
const tokenList: Attachments = ({ listed, run, site }) => {
  const tokens = tokensOf(listed.map(({ asset }) => asset))
  // The schema rejects an empty list.
  if (tokens.length === 0) return []
  const { timestamp, ...version } = run.token_list
  const head = JSON.stringify({ name: site.product, timestamp, version }).slice(0, -1)
  const lines = tokens.map((token) => JSON.stringify(token)).join(',\n')
  return [{ path: 'tokenlist.json', text: `${head},"tokens":[\n${lines}\n]}\n` }]
}

/** Returns everything that a publisher's tree has: the answers of the API, and the files beside them. */
export const compositionOf = (ecosystem: Ecosystem): Composition => ({
  endpoints: endpointsOf(ecosystem).published,
  tables: tableViews,
  attachments: [
    changeFeeds,
    textTables,
    tokenList,
    otherPrograms,
    renames,
    tableStatements,
    descriptions,
    // Last: it has the time of the newest file before it.
    metrics,
  ],
})
