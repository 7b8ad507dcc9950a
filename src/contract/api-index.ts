import * as z from 'zod'
import { Count, Timestamp } from './words.ts'

/** One endpoint as the index lists it. */
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
        default: z.union([z.string(), z.number()]).nullable().describe('What is meant without it; null: nothing.'),
        allowed: z
          .union([z.string(), z.array(z.union([z.string(), z.number()]))])
          .describe('The values, or a text that says which.'),
      }),
    ),
    description: z.string(),
    example: z.string().describe('A request that works, below the root of the host.'),
  })
  .meta({ id: 'EndpointEntry' })
export type EndpointEntry = z.infer<typeof EndpointEntry>

export const IndexMembers = {
  version: z.string().describe('Version of the contract: a name never changes its meaning within one.'),
  label: z.string().describe('What kind of data this is.'),
  listings: Count.describe('Listings in the whole feed.'),
  snapshotId: z.string().describe('Name of the snapshot: the same for equal data.'),
  generatedAt: Timestamp.describe('When this publication was made.'),
  nextBuildAt: Timestamp.describe('When the next one is due.'),
  staleAfter: Timestamp.describe('From then on the whole publication is to be taken as stale.'),
  sha256: z
    .object({ manifest: z.string(), collector: z.string() })
    .describe('SHA-256 of the manifest, which holds that of every other file, and of the collector document.'),
  endpoints: z.array(EndpointEntry),
  links: z
    .object({
      openapi: z.string().nullable(),
      manifest: z.string().nullable(),
      changes: z.string().nullable(),
      docs: z.string().nullable(),
    })
    .describe('Paths below the root of the site; null: there is none.'),
} as const
