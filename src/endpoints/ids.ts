import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { SourceIdRow, SourceMembers, pickedFrom } from '../contract/identity.ts'
import { type Parameter, printable, source } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const id = {
  ...printable,
  description: 'Id of the asset at the source.',
  picks: 'id',
} as const satisfies Parameter<string>

export const sourceIds = endpoint({
  name: 'source-ids',
  path: '/ids/:source',
  description: 'Which listing each id of a source is, by id.',
  example: '/ids/coingecko',
  parameters: { source },
  members: SourceMembers,
  keys: ({ directory }) => [...directory.sources.keys()].map((source) => ({ source })),
  body: ({ directory }, { source }) => {
    const rows = directory.sources.get(source) ?? []
    return { source_id: source, count: rows.length, rows }
  },
})

/** Picked out of the source's document: one file each would be more than hosts take. */
export const sourceIdListing: EndpointSpec = {
  name: 'source-id',
  method: 'GET',
  path: '/ids/:source/:id',
  description: 'The listing of an id at a source. Hosts of files alone have the document of the source.',
  example: '/ids/coingecko/bitcoin',
  parameters: { source, id },
  members: pickedFrom(SourceIdRow),
}
