import { TABLES_FILE, TablesMembers, tablesIn } from '../contract/tables.ts'
import { endpoint } from './endpoint.ts'
import { HEALTHY } from '../contract/envelope.ts'

/** Tables are written from a published tree, so a run carries the list, and `npm run publish -- --tables` publishes the new one. */
export const tables = endpoint({
  name: 'tables',
  group: 'Lists',
  path: '/tables',
  description:
    'The listings, the markets of each day and every daily close as Parquet files, with digests and columns.',
  example: '/tables',
  parameters: {},
  members: TablesMembers,
  health: () => HEALTHY,
  body: ({ last }) => tablesIn(last(TABLES_FILE)),
})
