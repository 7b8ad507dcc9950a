import { shardOf } from '../contract/blocks.ts'
import { sha256Of } from '../contract/digest.ts'
import { TOKEN_PAGES } from '../contract/site-files.ts'

const HALF_HOUR_MS = 1_800_000
const HOUR_MS = 2 * HALF_HOUR_MS

/** `<meta name="figures" content="2026-06-01T00:10:00Z 1f0c…">`: when a page took over its figures, and what it is made of. */
const MARK = /(<meta name="figures" content="[^" ]+) ([0-9a-f]{16})("\/?>)/

/** Returns the turn of a page: it takes over new figures in the first run of each, and each page has its own begin of them. */
function turnOf(slug: string, at: string): number {
  const phase = shardOf(slug, (TOKEN_PAGES.hours * HOUR_MS) / HALF_HOUR_MS) * HALF_HOUR_MS
  return Math.floor((Date.parse(at) + phase) / (TOKEN_PAGES.hours * HOUR_MS))
}

/** Returns a page whose head states the time of its figures with the digest of its text and of what it shows besides figures. */
export const marked = (text: string, lasting: string): string =>
  text.replace(/(<meta name="figures" content="[^" ]+)("\/?>)/, `$1 ${digestOf(text, lasting)}$2`)

const digestOf = (text: string, lasting: string): string => sha256Of(`${lasting}\n${text}`).slice(0, 16)

/**
 * Returns the published page of a token if it stays: its turn is not over, it was not edited, and besides figures it shows
 * what a new one would show. Null if it is composed again.
 *
 * @param last the published page
 * @param lasting what the page shows besides figures
 * @param at time of the run
 */
export function keptPage(
  last: string | null,
  { slug, lasting, at }: { readonly slug: string; readonly lasting: string; readonly at: string },
): string | null {
  const [, head = '', digest = ''] = MARK.exec(last ?? '') ?? []
  if (last === null || digest === '') return null
  const takenAt = head.slice(head.lastIndexOf('"') + 1)
  if (!(turnOf(slug, takenAt) === turnOf(slug, at) && takenAt <= at)) return null
  return digestOf(last.replace(MARK, '$1$3'), lasting) === digest ? last : null
}
