import * as z from 'zod'
import { Count, Timestamp } from './words.ts'

export const ChangeKind = z.enum([
  'listed',
  'delisted',
  'renamed',
  'verification',
  'contract_added',
  'contract_removed',
  'source_down',
  'source_back',
  'method',
  'request_decided',
])
export type ChangeKind = z.infer<typeof ChangeKind>

export const ChangeEvent = z
  .object({
    at: Timestamp.describe('The run that saw it.'),
    kind: ChangeKind,
    subject: z.string().describe('Slug of a listing, `source_id`, `request_id`, or `methodology`.'),
    name: z.string().nullable().describe('What people call the subject.'),
    before: z.string().nullable().describe('What it was; null: nothing.'),
    after: z.string().nullable().describe('What it is now; null: nothing.'),
  })
  .meta({
    id: 'ChangeEvent',
    description: 'Something that happened between two publications, and is no mere move of a number.',
  })
export type ChangeEvent = z.infer<typeof ChangeEvent>

/** A day of the calendar, UTC. */
export const Day = z.iso.date()

export const ChangesMembers = {
  days: z.array(Day).describe('Days with a document of their own, newest first.'),
  count: Count,
  rows: z.array(ChangeEvent).describe('Newest first.'),
} as const

export const ChangesOfDayMembers = { day: Day, count: Count, rows: z.array(ChangeEvent) } as const
