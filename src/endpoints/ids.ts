import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { IdSourcesMembers, SourceIdRow, SourceMembers, pickedFrom } from '../contract/identity.ts'
import { byKey } from '../contract/order.ts'
import { type Parameter, printable, source } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const id = {
  ...printable,
  description: 'Id of the asset at the source.',
  picks: 'id',
} as const satisfies Parameter<string>

export const sourceIds = endpoint({
  name: 'source-ids',
  group: 'One asset',
  path: '/ids/:source',
  description: 'The listing of each id of one source, by id.',
  example: '/ids/coingecko',
  parameters: { source },
  members: SourceMembers,
  keys: ({ directory }) => [...directory.sources.keys()].map((source) => ({ source })),
  body: ({ directory }, { source }) => {
    const rows = directory.sources.get(source) ?? []
    return { source_id: source, count: rows.length, rows }
  },
})

export const idSources = endpoint({
  name: 'id-sources',
  group: 'One asset',
  path: '/ids',
  description: 'The sources whose ids lead to listings.',
  example: '/ids',
  parameters: {},
  members: IdSourcesMembers,
  body: ({ directory, sources }) => {
    const labels = new Map(sources.map(({ source_id, source_label }) => [source_id, source_label]))
    const rows = [...directory.sources].toSorted(byKey).map(([source_id, ids]) => ({
      source_id,
      source_label: labels.get(source_id) ?? source_id,
      id_count: ids.length,
    }))
    return { count: rows.length, rows }
  },
})

/** Selected from the source's document: one file per id would exceed the file limits of hosts. */
export const sourceIdListing = {
  name: 'source-id',
  group: 'One asset',
  method: 'GET',
  path: '/ids/:source/:id',
  description: 'The listing of an id at a source. Static hosts only serve the document of the source.',
  example: '/ids/coingecko/bitcoin',
  parameters: { source, id },
  members: pickedFrom(SourceIdRow),
} as const satisfies EndpointSpec
