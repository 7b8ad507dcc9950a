import * as z from 'zod'
import { WATCHES } from './alarm.ts'
import { DeliveryError } from './delivery-error.ts'
import { type GitHub, github } from './github.ts'

/** One thing that a repository needs to publish a feed. */
interface Need {
  readonly what: string
  /** Whether it is there, was made now, or waits for a person. */
  readonly state: 'there' | 'made' | 'switch'
  /** What to press, and where; null unless it waits for a person. */
  readonly next: { readonly words: string; readonly address: string } | null
}

const Pages = z.object({ build_type: z.string().nullish() })
const Labels = z.array(z.object({ name: z.string() }))

/** Colours of the labels, as GitHub takes them. */
const LABEL_COLOUR = 'd4740c'

/**
 * Makes what a repository needs and the job's token may make, and says what a person must switch on. Nothing here needs a
 * secret. The data branch and the release are made by the steps that write them.
 *
 * @param site address of the repository for people, such as `https://github.com/someone/feed`
 */
export async function setUp(at: GitHub, site: string): Promise<readonly Need[]> {
  const [pages, labels] = await Promise.all([pagesNeed(at, site), labelNeeds(at)])
  return [pages, ...labels]
}

/** Whether Pages takes what the workflow publishes. */
async function pagesNeed(at: GitHub, site: string): Promise<Need> {
  const what = 'GitHub Pages'
  const now = Pages.safeParse(await orNull(github(at, 'GET', 'pages')))
  if (now.success && now.data.build_type === 'workflow') return { what, state: 'there', next: null }
  // The token of a job may do so only where the owner allows it.
  const made = await orNull(github(at, now.success ? 'PUT' : 'POST', 'pages', { build_type: 'workflow' }))
  if (made !== null) return { what, state: 'made', next: null }
  return {
    what,
    state: 'switch',
    next: {
      words: 'Under "Build and deployment", choose "GitHub Actions" as the source.',
      address: `${site}/settings/pages`,
    },
  }
}

/** Makes the labels of the alarms that the repository does not have. */
async function labelNeeds(at: GitHub): Promise<readonly Need[]> {
  const known = Labels.safeParse(await orNull(github(at, 'GET', 'labels?per_page=100')))
  const names = new Set(known.success ? known.data.map(({ name }) => name) : [])
  return Promise.all(
    Object.values(WATCHES).map(async ({ label }): Promise<Need> => {
      const what = `label ${label}`
      if (names.has(label)) return { what, state: 'there', next: null }
      const made = await orNull(github(at, 'POST', 'labels', { name: label, color: LABEL_COLOUR }))
      // An issue with a label that does not exist makes it, so nobody has to.
      return { what, state: made === null ? 'there' : 'made', next: null }
    }),
  )
}

const orNull = async (answer: Promise<unknown>): Promise<unknown> => {
  try {
    return (await answer) ?? {}
  } catch (error) {
    if (error instanceof DeliveryError) return null
    throw error
  }
}

/** Returns what a person must do as Markdown for a run's summary; empty if there is nothing. */
export function needsMarkdown(needs: readonly Need[]): string {
  const open = needs.flatMap(({ what, next }) => (next === null ? [] : [{ what, ...next }]))
  if (open.length === 0) return ''
  return [
    '### One switch to press',
    '',
    ...open.map(({ what, words, address }) => `- **${what}**: ${words} [Open the settings](${address})`),
    '',
    'Then start the workflow again. Everything else is ready.',
    '',
  ].join('\n')
}
