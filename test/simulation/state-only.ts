import type { Composition } from '../../src/core/endpoints/compose.ts'
import { published } from '../../src/core/endpoints/table.ts'

/** What every run reads again, without lists in a hundred lengths, exports and descriptions. */
export const STATE_ONLY: Composition = {
  endpoints: published.filter((endpoint) => !('limit' in endpoint.parameters)),
  attachments: [],
  tables: () => [],
}
