import * as z from 'zod'
import { Price, Slug, Timestamp } from './words.ts'

export const QuarantineRow = z
  .object({
    slug: Slug,
    field: z.enum(['price_usd']),
    held_value: Price.describe('Value published in the meantime.'),
    offered_value: Price.describe('First value that was held back.'),
    rule: z.enum(['price_jump']),
    since: Timestamp.describe('When it was first held back.'),
    releases_at: Timestamp.describe('When the new value is published at the latest, if the sources still report it.'),
  })
  .meta({
    id: 'QuarantineRow',
    description: 'A value held back until it is confirmed. The previous value is published in the meantime.',
  })
export type QuarantineRow = z.infer<typeof QuarantineRow>
