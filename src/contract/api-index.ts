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
        default: z.union([z.string(), z.number()]).nullable(),
        allowed: z.union([z.string(), z.array(z.union([z.string(), z.number()]))]),
      }),
    ),
    description: z.string(),
    example: z.string(),
  })
  .meta({ id: 'EndpointEntry' })
export type EndpointEntry = z.infer<typeof EndpointEntry>

export const IndexMembers = {
  version: z.string(),
  label: z.string(),
  listings: Count,
  snapshotId: z.string().describe('The same for equal data.'),
  generatedAt: Timestamp,
  nextBuildAt: Timestamp,
  staleAfter: Timestamp,
  sha256: z
    .object({ manifest: z.string(), collector: z.string() })
    .describe('SHA-256 of the manifest, which holds that of every other file, and of the collector document.'),
  endpoints: z.array(EndpointEntry),
  links: z.object({
    openapi: z.string().nullable(),
    manifest: z.string().nullable(),
    changes: z.string().nullable(),
    docs: z.string().nullable(),
  }),
} as const
