import type { ChangeEvent } from '../core/contract/changes.ts'
import { visibleLines } from '../core/contract/visible.ts'
import type { Difference } from './difference.ts'

type UndatedEvent = Omit<ChangeEvent, 'at'>

export function sentence({ kind, subject, name, before, after }: UndatedEvent): string {
  const who = name === null || name === subject ? subject : `${name} (${subject})`
  const SENTENCES: Readonly<Record<UndatedEvent['kind'], string>> = {
    listed: `${who} is listed`,
    delisted: `${who} is delisted`,
    renamed: `${who} is now ${after}`,
    verification: `${who} was ${before} and is ${after}`,
    symbol: `${who} has the symbol ${after} in place of ${before}`,
    identity: `${who} was known as ${before} and is known as ${after}`,
    contract_added: `${who} has the contract ${after}`,
    contract_removed: `${who} no longer has the contract ${before}`,
    held: `${who}: ${after} is held back, and ${before} stays published`,
    released: `${who}: ${before} is no longer held back`,
    peg_left: `${who} is ${after}`,
    peg_returned: `${who} is back: ${after}`,
    source_down: `${who} is down: ${after}`,
    source_back: `${who} is back`,
    source_added: `${who} is a source from now on`,
    source_removed: `${who} is no longer a source: its figures are removed${after === null ? '' : ` (${after})`}`,
    gap: `No run was published between ${before} and ${after}`,
    past_held: `${who}: bars before ${before} are held back: ${after}`,
    source_distrusted:
      after === null ? `The prices of ${who} are used again` : `The prices of ${who} are not used: ${after}`,
    market_moved: `The market ${after}`,
    method: `The method changed from version ${before} to ${after}${name === null ? '' : `: ${name}`}`,
    request_decided: `The request ${who} is ${after}`,
  }
  return SENTENCES[kind]
}

const NAMED = 50

const ticksText = ({ compared, moved, median_percent, largest, lost, gained }: Difference['ticks']): string =>
  `${moved} of ${compared} prices moved` +
  (largest ? `, by a median of ${median_percent} %, ${largest.slug} by ${largest.percent} % at most` : '') +
  `; ${lost.length} lost, ${gained.length} gained`

export const differenceText = ({ different_data: labels, verdict, events, ticks }: Difference): string =>
  visibleLines([
    ...(labels
      ? [`These trees hold different data, "${labels[0]}" and "${labels[1]}": differences are no changes.`]
      : []),
    `verdict: ${verdict}`,
    ...events.slice(0, NAMED).map((event) => `  ${sentence(event)}`),
    ...(events.length > NAMED ? [`  and ${events.length - NAMED} more`] : []),
    ticksText(ticks),
  ])

const SOURCES = 3

/** The events of a commit subject in order: how many there are, as one and as several, or which sources. */
const NEWS = [
  ['listed', '+%s listing', '+%s listings'],
  ['delisted', '%s delisted', '%s delisted'],
  ['renamed', '%s renamed', '%s renamed'],
  ['source_down', 'down'],
  ['source_back', 'back'],
  ['source_added', 'added'],
  ['source_removed', 'removed'],
  ['gap', 'after a gap', 'after a gap'],
  ['symbol', '%s symbol changed', '%s symbols changed'],
  ['verification', '%s verification changed', '%s verifications changed'],
  ['held', '%s figure held back', '%s figures held back'],
  ['released', '%s figure released', '%s figures released'],
  ['peg_left', '%s stablecoin off its peg', '%s stablecoins off their peg'],
  ['peg_returned', '%s stablecoin back', '%s stablecoins back'],
  ['method', 'new method', 'new method'],
  ['request_decided', '%s request decided', '%s requests decided'],
] as const satisfies readonly (readonly [UndatedEvent['kind'], string, string?])[]

/** Returns the events as a commit subject: `+2 listings, 1 delisted, kraken down`. `''` if there are none. */
export const sentenceOfNews = (events: readonly UndatedEvent[]): string =>
  NEWS.flatMap(([kind, one, many]) => {
    const subjects = events.flatMap((event) => (event.kind === kind ? [event.subject] : []))
    if (subjects.length === 0) return []
    if (many !== undefined) return [(subjects.length === 1 ? one : many).replace('%s', String(subjects.length))]
    const ids = [...new Set(subjects)]
    return [`${ids.length > SOURCES ? `${ids.length} sources` : ids.join(' and ')} ${one}`]
  }).join(', ')
