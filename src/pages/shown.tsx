import { type ComponentChildren, render } from 'preact'
import type { AnswerOf } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { ROOT, read } from './browser.ts'
import { part } from './dom.ts'
import { knownSite } from './search-form.ts'
import { SiteContext } from './site.tsx'
import { enhance } from './start.ts'

/** Names of sources by their ids; none where they cannot be read. */
const sourceNames = (): Promise<ReadonlyMap<string, string>> =>
  read<AnswerOf<'rights'>>(`${API_FOLDER}/rights.json`).then(
    ({ rows }) => new Map(rows.map(({ source_id, source_label }) => [source_id, source_label])),
    () => new Map(),
  )

const FAILED = 'The data could not be loaded. The site may be unreachable or in the middle of an update.'

/** Content that is loaded, and drawn by the same components as the documents. */
interface Program<Data> {
  readonly load: () => Promise<Data> | Data
  readonly view: (data: Data) => ComponentChildren
  /** Whether the content names sources. */
  readonly hasSources?: boolean
}

/** What was last asked for in each place: an answer that comes later than that of another question is not shown. */
const latest = new WeakMap<HTMLElement, object>()

/** Takes out what was drawn into a place. */
export function clear(place: HTMLElement): void {
  latest.delete(place)
  render(null, place)
}

/** Draws into a place what was loaded, or that it could not be, with a button to try again. */
export async function show<Data>(place: HTMLElement, program: Program<Data>): Promise<void> {
  const { load, view, hasSources = false } = program
  latest.set(place, program)
  place.ariaBusy = 'true'
  try {
    const [data, site, sources] = await Promise.all([
      load(),
      knownSite(),
      hasSources ? sourceNames() : new Map<string, string>(),
    ])
    if (latest.get(place) !== program) return
    render(null, place)
    place.replaceChildren()
    render(
      <SiteContext.Provider value={{ ...site, address: ROOT.href, sources }}>{view(data)}</SiteContext.Provider>,
      place,
    )
  } catch {
    if (latest.get(place) !== program) return
    render(null, place)
    place.replaceChildren()
    render(
      <div class="empty" role="alert">
        <p>{FAILED}</p>
        <button type="button" class="button" onClick={() => void show(place, program)}>
          Try again
        </button>
      </div>,
      place,
    )
  }
  delete document.documentElement.dataset['asked']
  place.ariaBusy = null
  enhance(place)
}

/** Shown where an address names nothing. */
const Unknown = ({ kind, id }: { readonly kind: string; readonly id: string }) => (
  <div class="empty">
    <h1>No such {kind}</h1>
    <p>{id === '' ? `The address contains no ${kind}.` : `There is no ${kind} “${id}” in the feed.`}</p>
    <p>
      <a href={kind === 'token' ? ROOT.href : './'}>All of them</a>, or{' '}
      <a href={`${ROOT.href}?q=${encodeURIComponent(id)}`}>search the market</a>
    </p>
  </div>
)

/** Shows a thing that has no document of its own, or all rows of one that has. */
export const showThing = <Thing,>(
  kind: string,
  id: string,
  load: (id: string) => Promise<Thing | null>,
  view: (thing: Thing) => ComponentChildren,
): Promise<void> =>
  show(part('page'), {
    load: () => (id === '' ? null : load(id)),
    view: (thing: Thing | null) => (thing === null ? <Unknown kind={kind} id={id} /> : view(thing)),
    hasSources: true,
  })
