import * as z from 'zod'
import { ChangeEvent } from '../contract/changes.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { type EndpointSpec, fileOf } from '../contract/endpoint-spec.ts'
import { listOf, ownListOf, HEALTHY } from '../contract/envelope.ts'
import { ListingRequestBody, Receipt, RequestRow, RequestsMembers } from '../contract/listing-request.ts'
import { ManifestPartRow, ManifestRow, TableRow } from '../contract/manifest.ts'
import { textParameter } from '../contract/parameters.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { RightsClass, RightsRow, narrowestOf } from '../contract/rights.ts'
import { Count, Day, STATE_VERSION, StateVersion } from '../contract/words.ts'
import { CHANGES } from '../history/past.ts'
import { type PublicationData, endpoint, oneDocument } from './endpoint.ts'

export const collector = oneDocument('Operations', {
  name: 'collector',
  path: '/collector',
  description:
    'Health of every source, coverage, freshness, runs by day, reference rates, and the method with all its numbers.',
  members: { ...CollectorMembers, ...listOf(SourceRow) },
  health: ({ health }) => health,
  stamped: true,
  body: ({ coverage, freshness, run, rates, runDays, sources, withHistory }) => ({
    coverage: { ...coverage, with_history: withHistory() },
    freshness,
    runs: [...runDays],
    referenceRates: rates,
    methodology: run.methodology,
    rows: sources,
  }),
})

export const quarantine = oneDocument('Operations', {
  name: 'quarantine',
  path: '/quarantine',
  description:
    'Figures held back until they are confirmed: the value published in the meantime, why, since when, and what releases them.',
  members: ownListOf(QuarantineRow),
  health: ({ health }) => health,
  body: ({ quarantine }) => ({ rows: quarantine }),
})

const RULE =
  'A value has the narrowest class among its sources: for a price those in price_basis.sources, for a market of an ' +
  'exchange its exchange_id, for a pool and a price of one the source in its source_label, for a rate those in inputs ' +
  'and cross_check, for a figure the source in told_by, for every other value of a listing the source in source_label. ' +
  'A value computed from several values has the narrowest class of them.'

export const rights = oneDocument('Operations', {
  name: 'rights',
  path: '/rights',
  description: 'What the terms of each source allow, with the required attribution. Information, not legal advice.',
  members: {
    narrowest: RightsClass.describe('Class of the whole feed: the narrowest of its sources.'),
    rule: z.string().describe('How the rights of a value follow from its sources.'),
    ...ownListOf(RightsRow),
  },
  body: ({ sources }) => ({
    narrowest: narrowestOf(sources.map(({ rights }) => rights.class)),
    rule: RULE,
    rows: sources.map(({ source_id, source_label, rights }) => ({ source_id, source_label, ...rights })),
  }),
})

export const tables = oneDocument('Lists', {
  name: 'tables',
  path: '/tables',
  description: 'All days of all listings, rates and listings as Parquet files, with digests and columns.',
  members: ownListOf(TableRow),
  health: () => HEALTHY,
  body: (_world, _key, { tables: views, row }) => ({
    rows: views.flatMap((view) => {
      const file = row(view.path)
      return file ? [{ ...view, ...file }] : []
    }),
  }),
})

const part = textParameter(
  'A part of the manifest: the name of its folder.',
  z.string().regex(/^[a-z0-9_-]{1,64}$/),
  'a part that /manifest lists',
  'history',
)

export const manifestPart = endpoint('Operations', {
  name: 'manifest-part',
  path: '/manifest/:part',
  description: 'The files of a folder of the tree by path, each with its size, SHA-256 and time.',
  parameters: { part },
  covers: true,
  members: { part: z.string(), count: Count, rows: z.array(ManifestRow) },
  keys: (_world, { parts }) => [...parts().keys()].map((name) => ({ part: name })),
  body: (_world, { part: name }, { parts }) => ({ part: name, rows: parts().get(name) ?? [] }),
})

/** It lacks what changes with every run, so that a run without changes does not rewrite it. The index covers that. */
export const manifest = oneDocument('Operations', {
  name: 'manifest',
  path: '/manifest',
  description:
    'The parts of the manifest, which list every file but the rows and what changes with every run: the index has their digests.',
  covers: true,
  members: {
    stateVersion: StateVersion,
    rowsDigest: z.string().describe('Digest of all parts. Equal data has equal digests.'),
    count: Count,
    rows: z.array(ManifestPartRow),
  },
  body(_world, _key, { parts: files, row, digest }) {
    const parts = [...files()].flatMap(([name, { length }]) => {
      const own = row(fileOf(manifestPart, { part: name }))
      return own ? [{ ...own, part: name, files: length }] : []
    })
    return { stateVersion: STATE_VERSION, rowsDigest: digest(parts), rows: parts }
  },
})

const LATEST = 100

export const latestEvents = ({ events }: Pick<PublicationData, 'events'>) =>
  [...events.values()].flat().slice(0, LATEST)

export const changes = oneDocument('Operations', {
  name: 'changes',
  path: '/changes',
  description: 'Recent changes of listings, verification, contracts, sources, the method and listing requests.',
  members: {
    days: z.array(Day).describe('Days that have their own document, newest first.'),
    ...ownListOf(ChangeEvent),
  },
  body: (world) => ({ days: [...world.events.keys()], rows: latestEvents(world) }),
})

export const changesOfDay = endpoint('Operations', {
  name: 'changes-of-day',
  path: '/changes/:day',
  description: 'Changes of one day. /changes lists the days.',
  parameters: { day: textParameter('Calendar day in UTC.', Day, 'a day listed by /changes') },
  members: { day: Day, ...ownListOf(ChangeEvent) },
  keys: ({ events }) => [...events.keys()].map((day) => ({ day })),
  reads: (_world, { day }) => [CHANGES.events(day)],
  body: ({ events }, { day }) => ({ day, rows: events.get(day) ?? [] }),
})

export const listingRequests = oneDocument('Operations', {
  name: 'listing-requests',
  path: '/listing-requests',
  description: 'State of the listing requests. Names appear once a reviewer has opened the request.',
  members: RequestsMembers,
  body: ({ requests }) => requests,
})

export const submitListingRequest = {
  name: 'listing-requests',
  group: 'Operations',
  operation: 'submit-listing-request',
  method: 'POST',
  path: '/listing-requests',
  description:
    'Requests a new listing, an update or a delisting. It is held for review; the answer has its `request_id`.',
  parameters: {},
  members: { request: Receipt },
  takes: {
    schema: ListingRequestBody,
    example: { name: 'Grove Coin', symbol: 'GROVE', website: 'https://grove.example' },
  },
} as const satisfies EndpointSpec

/** Only a host with a queue can answer this, so it has no document and no entry in the index. */
export const oneListingRequest = {
  name: 'listing-requests',
  group: 'Operations',
  operation: 'listing-request',
  method: 'GET',
  path: '/listing-requests/:request_id',
  description: 'State of one listing request.',
  parameters: {
    request_id: textParameter(
      'Id of the request, from the answer to the POST.',
      z.string().regex(/^[0-9a-z-]{8,64}$/),
      'the request_id of a request',
    ),
  },
  members: { request: RequestRow },
} as const satisfies EndpointSpec
