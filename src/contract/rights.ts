import * as z from 'zod'
import { Count, HttpsUrl } from './words.ts'

/** From the widest right to the narrowest; what nobody could read is treated as narrower than what is known. */
export const RIGHTS = ['open', 'attribution', 'non_commercial', 'unknown', 'no_redistribution'] as const

export const RightsClass = z.enum(RIGHTS).meta({
  id: 'RightsClass',
  description:
    'What the terms of a source allow to be done with what it says. `open`: anything. `attribution`: anything, if the ' +
    'source is named. `non_commercial`: no commercial use. `no_redistribution`: no republication. `unknown`: the terms ' +
    'could not be read, which is no permission.',
})
export type RightsClass = z.infer<typeof RightsClass>

export const Attribution = z.object({ text: z.string(), url: HttpsUrl })

export const SourceRights = z
  .object({
    class: RightsClass,
    terms_url: HttpsUrl.nullable().describe('Where the terms stand; null for data of our own.'),
    read_on: z.iso.date().nullable().describe('Day on which the terms were read; null: not read.'),
    attribution: Attribution.nullable().describe('The line and link that the source asks for; null: none.'),
  })
  .meta({ id: 'SourceRights', description: 'What the terms of one source allow, as far as they could be read.' })
export type SourceRights = z.infer<typeof SourceRights>

export const RightsRow = z
  .object({
    source_id: z.string(),
    source_label: z.string(),
    ...SourceRights.shape,
  })
  .meta({ id: 'RightsRow', description: 'What one source allows. Information, not legal advice.' })
export type RightsRow = z.infer<typeof RightsRow>

export const RightsMembers = {
  narrowest: RightsClass.describe('Class of the feed as a whole: the narrowest of its sources.'),
  rule: z.string().describe('How the rights of a value follow from its sources.'),
  count: Count,
  rows: z.array(RightsRow),
} as const

/** The narrowest of some classes; `open` of none. */
export const narrowestOf = (classes: readonly RightsClass[]): RightsClass =>
  RIGHTS.findLast((one) => classes.includes(one)) ?? 'open'
