import { rollups } from 'd3-array'
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

/** Returns the events as a commit subject: `2 listed, 1 delisted, 1 source down`. `''` if there are none. */
export const sentenceOfNews = (events: readonly UndatedEvent[]): string =>
  rollups(
    events,
    ({ length }) => length,
    ({ kind }) => kind,
  )
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ')
