import * as z from 'zod'
import { Price, Slug, Timestamp } from './words.ts'

export const QuarantineRow = z
  .object({
    slug: Slug,
    field: z.enum(['price_usd']),
    held_value: Price.describe('What is published meanwhile.'),
    offered_value: Price.describe('What was offered first.'),
    rule: z.enum(['price_jump']),
    since: Timestamp.describe('When it was first offered.'),
    releases_at: Timestamp.describe(
      'When the offered value is published, if it is still offered and nothing confirmed it.',
    ),
  })
  .meta({
    id: 'QuarantineRow',
    description: 'A value that was offered and is not believed yet; the one before stands.',
  })
export type QuarantineRow = z.infer<typeof QuarantineRow>
