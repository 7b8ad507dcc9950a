import * as z from 'zod'
import { Timestamp } from './words.ts'

const ChangeKind = z.enum([
  'listed',
  'delisted',
  'renamed',
  'verification',
  'symbol',
  'identity',
  'contract_added',
  'contract_removed',
  'held',
  'released',
  'peg_left',
  'peg_returned',
  'source_down',
  'source_back',
  'source_added',
  'source_removed',
  'source_distrusted',
  'gap',
  'past_held',
  'market_moved',
  'method',
  'request_decided',
])

export const ChangeEvent = z
  .object({
    at: Timestamp.describe('When the change was detected.'),
    kind: ChangeKind,
    subject: z.string().describe('Slug of a listing, `source_id`, `request_id`, `methodology`, `runs` or `market`.'),
    name: z.string().nullable().describe('Display name of the subject.'),
    before: z.string().nullable().describe('Previous value; null: none.'),
    after: z.string().nullable().describe('New value; null: none.'),
  })
  .meta({ id: 'ChangeEvent', description: 'A change between two snapshots, other than in single prices and volumes.' })
export type ChangeEvent = z.infer<typeof ChangeEvent>
