import type { ChangeEvent } from '../contract/changes.ts'
import { visible, visibleLines } from '../contract/visible.ts'
import type { Difference, Ticks } from './difference.ts'

type Event = Omit<ChangeEvent, 'at'>

/** One event as a sentence, without its subject's kind of name. */
export function sentence({ kind, subject, name, before, after }: Event): string {
  const who = name === null || name === subject ? subject : `${name} (${subject})`
  const SENTENCES: Readonly<Record<Event['kind'], string>> = {
    listed: `${who} is listed`,
    delisted: `${who} is delisted`,
    renamed: `${who} is now ${after}`,
    verification: `${who} was ${before} and is ${after}`,
    contract_added: `${who} has the contract ${after}`,
    contract_removed: `${who} has no longer the contract ${before}`,
    source_down: `${who} gives no usable answer: ${after}`,
    source_back: `${who} answers again`,
    method: `The method went from version ${before} to ${after}${name === null ? '' : `: ${name}`}`,
    request_decided: `The request ${who} is ${after}`,
  }
  return SENTENCES[kind]
}

/** More events of a kind than this are counted and not named. */
const NAMED = 50

const ticksText = ({ compared, moved, median_percent, largest, lost, gained }: Ticks): string =>
  `${moved} of ${compared} prices moved` +
  (largest ? `, by a median of ${median_percent} %, ${largest.slug} by ${largest.percent} % most` : '') +
  `; ${lost.length} lost, ${gained.length} gained`

/** For a terminal. */
export function differenceText({ verdict, events, ticks }: Difference): string {
  const rest = events.length - NAMED
  return visibleLines([
    `verdict: ${verdict}`,
    ...events.slice(0, NAMED).map((event) => `  ${sentence(event)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    ticksText(ticks),
  ])
}

/** For a job summary. Names come from outside, so what Markdown would read in them is escaped. */
export function differenceMarkdown({ verdict, events, ticks }: Difference): string {
  const rest = events.length - NAMED
  return [
    `**Data: ${verdict}**`,
    '',
    ...events.slice(0, NAMED).map((event) => `- ${escaped(sentence(event))}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    `- ${escaped(ticksText(ticks))}`,
    '',
  ].join('\n')
}

/** A text as one line of which Markdown makes nothing. */
export const escaped = (text: string): string => visible(text).replaceAll(/[\\`*_{}[\]<>()#|!~@&]/g, String.raw`\$&`)

/** More sources than this are counted and not named. */
const SOURCES = 3

/** The events as the subject of a commit: `+2 listings, 1 delisted, kraken down`. `''` where there is none. */
export function sentenceOfNews(events: readonly Event[]): string {
  const of = (kind: Event['kind']) => events.filter((event) => event.kind === kind)
  const count = (kind: Event['kind'], one: string, many: string): string[] => {
    const { length } = of(kind)
    return length === 0 ? [] : [`${length} ${length === 1 ? one : many}`]
  }
  const sources = (kind: 'source_down' | 'source_back', word: string): string[] => {
    const ids = [...new Set(of(kind).map(({ subject }) => subject))]
    return ids.length === 0 ? [] : [`${ids.length > SOURCES ? `${ids.length} sources` : ids.join(' and ')} ${word}`]
  }
  return [
    ...count('listed', 'listing', 'listings').map((text) => `+${text}`),
    ...count('delisted', 'delisted', 'delisted'),
    ...count('renamed', 'renamed', 'renamed'),
    ...sources('source_down', 'down'),
    ...sources('source_back', 'back'),
    ...count('verification', 'verification changed', 'verifications changed'),
    ...(of('method').length > 0 ? ['new method'] : []),
    ...count('request_decided', 'request decided', 'requests decided'),
  ].join(', ')
}
