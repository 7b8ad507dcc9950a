import * as z from 'zod'
import { Attribution } from './rights.ts'
import { Allowed, Count, StateVersion, Timestamp } from './words.ts'

export const EndpointEntry = z
  .object({
    endpoint: z.string(),
    method: z.enum(['GET', 'POST']),
    path: z.string(),
    parameters: z.array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query']),
        type: z.enum(['string', 'integer']),
        default: z.union([z.string(), z.number()]).nullable().describe('Default value; null: none.'),
        allowed: Allowed.describe('Allowed values, or a description of them.'),
      }),
    ),
    description: z.string(),
    example: z.string().describe('A working request, relative to the root of the host.'),
  })
  .meta({ id: 'EndpointEntry' })
export type EndpointEntry = z.infer<typeof EndpointEntry>

export const IndexMembers = {
  version: z.string().describe('Version of the contract. Within a version, a name never changes its meaning.'),
  stateVersion: StateVersion,
  label: z.string().describe('Kind of data, such as sample data.'),
  listings: Count.describe('Listings in the whole feed.'),
  snapshotId: z.string().describe('Id of the snapshot. Equal data has equal ids.'),
  generatedAt: Timestamp.describe('When this snapshot was built.'),
  nextBuildAt: Timestamp.describe('When the next snapshot is due.'),
  attributions: z.array(Attribution).describe('What sources of this data require to be shown beside it.'),
  staleAfter: Timestamp.describe('When the whole snapshot becomes stale.'),
  sha256: z
    .object({ manifest: z.string(), collector: z.string(), tables: z.string() })
    .describe(
      'SHA-256 of the manifest, of the collector document and of `state/tables.json`. The manifest has that of every other file.',
    ),
  endpoints: z.array(EndpointEntry),
  links: z
    .object({
      openapi: z.string().nullable(),
      manifest: z.string().nullable(),
      changes: z.string().nullable(),
      docs: z.string().nullable(),
    })
    .describe('Paths relative to the root of the site; null: not available.'),
} as const
