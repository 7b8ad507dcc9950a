import * as z from 'zod'
import { HttpsUrl } from './words.ts'

/** Rights classes from widest to narrowest. Unread terms count as narrower than any known permission. */
export const RIGHTS = ['open', 'attribution', 'non_commercial', 'unknown', 'no_redistribution'] as const

export const RightsClass = z.enum(RIGHTS).meta({
  id: 'RightsClass',
  description:
    'What the terms of a source allow. `open`: any use. `attribution`: any use that names the source. `non_commercial`: ' +
    'no commercial use. `no_redistribution`: no republication. `unknown`: the terms could not be read, so nothing is ' +
    'permitted.',
})
export type RightsClass = z.infer<typeof RightsClass>

export const Attribution = z.object({ text: z.string(), url: HttpsUrl })

export const SourceRights = z
  .object({
    class: RightsClass,
    terms_url: HttpsUrl.nullable().describe('URL of the terms; null for our own data.'),
    read_on: z.iso.date().nullable().describe('Day the terms were read; null: not read.'),
    attribution: Attribution.nullable().describe('Text and link that the source requires; null: none.'),
  })
  .meta({ id: 'SourceRights', description: 'What the terms of one source allow.' })
export type SourceRights = z.infer<typeof SourceRights>

export const RightsRow = z
  .object({ source_id: z.string(), source_label: z.string(), ...SourceRights.shape })
  .meta({ id: 'RightsRow', description: 'What one source allows. Information, not legal advice.' })

export const narrowestOf = (classes: readonly RightsClass[]): RightsClass =>
  RIGHTS.findLast((one) => classes.includes(one)) ?? 'open'
