import type { ChangeEvent } from '../core/contract/changes.ts'
import type { Attachments } from '../core/endpoints/endpoint.ts'
import { latestEvents } from '../core/endpoints/operations.ts'
import { sentence } from './print.ts'

const idOf = ({ at, kind, subject, after, before }: ChangeEvent): string =>
  `urn:quotetree:change:${at}:${kind}:${encodeURIComponent(subject)}:${encodeURIComponent(after ?? before ?? '')}`

/** Pages of events that are about no listing. */
const PAGES: Readonly<Partial<Record<ChangeEvent['kind'], string>>> = {
  source_down: 'status/',
  source_back: 'status/',
  source_added: 'status/',
  source_removed: 'status/',
  source_distrusted: 'status/',
  method: 'method/',
  gap: 'status/#runs',
  market_moved: './',
  request_decided: 'list/',
}

/** Returns the page of an event, relative to the site's root: a build does not know the site's URL. */
const pageOf = ({ kind, subject, after }: ChangeEvent): string =>
  PAGES[kind] ?? `token/?id=${kind === 'renamed' ? after : subject}`

/** Characters that XML 1.0 cannot represent (section 2.2, Char): controls, surrogates, U+FFFE and U+FFFF. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu

/** Escapes a text for XML. Unrepresentable characters become U+FFFD, the replacement character. */
const xml = (text: string): string =>
  text
    .replaceAll(NOT_IN_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** Returns the events, newest first, as an Atom feed (RFC 4287). */
function atom(title: string, events: readonly ChangeEvent[]): string {
  const entries = events.map(
    (event) => `  <entry>
    <id>${xml(idOf(event))}</id>
    <title>${xml(sentence(event))}</title>
    <updated>${event.at}</updated>
    <category term="${event.kind}"/>
    <link href="${xml(pageOf(event))}"/>
    <content type="text">${xml(sentence(event))}</content>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:quotetree:changes</id>
  <title>${xml(title)}</title>
  <updated>${events[0]?.at ?? '1970-01-01T00:00:00Z'}</updated>
  <author><name>${xml(title)}</name></author>
  <link rel="self" href="feed.xml"/>
${entries.join('\n')}
</feed>
`
}

/** Returns the events as a JSON Feed 1.1, https://www.jsonfeed.org/version/1.1/. */
function jsonFeed(title: string, events: readonly ChangeEvent[]): string {
  const items = events.map((event) => ({
    id: idOf(event),
    url: pageOf(event),
    title: sentence(event),
    content_text: sentence(event),
    date_published: event.at,
    tags: [event.kind],
  }))
  return `${JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title, items }, null, 1)}\n`
}

/** Writes the latest changes as feeds at the root of the site. */
export const changeFeeds: Attachments = (world) =>
  Object.entries({ 'feed.xml': atom, 'feed.json': jsonFeed }).map(([path, feed]) => ({
    path,
    text: feed(world.site.product, latestEvents(world)),
  }))
