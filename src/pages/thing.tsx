import type { ComponentChildren } from 'preact'
import { NotFoundError } from '../client/errors.ts'
import { useSite } from './site.tsx'
import { type Optional, start } from './start.tsx'

/** Returns the id of the thing that the address names: `/token/bitcoin`, `/token/bitcoin.html` or `/token/?id=bitcoin`; `''`: none. */
export function idHere(): string {
  const [, name = ''] = /\/(?:token|exchanges|categories)\/([^/]+?)(?:\.html)?$/.exec(location.pathname) ?? []
  return new URLSearchParams(location.search).get('id') ?? (name === 'index' ? '' : decodeURIComponent(name))
}

interface Named {
  /** What it is called in a sentence. */
  readonly kind: string
  readonly id: string
  /** Text of the link to all of its kind; absent: the market shows them. */
  readonly all?: string
}

/** Shown where an address names nothing. */
function Unknown({ kind, id, all }: Named) {
  const { root } = useSite()
  return (
    <div class="empty">
      <h1>No such {kind}</h1>
      <p>{id === '' ? `The URL contains no ${kind}.` : `There is no ${kind} “${id}” in the feed.`}</p>
      {all !== undefined && (
        <p>
          <a href="./">{all}</a>
        </p>
      )}
      <p>
        <a href={`${root}?q=${encodeURIComponent(id)}`}>Search the market</a>
      </p>
    </div>
  )
}

interface ThingProgram<Thing> extends Named {
  readonly load: (signal: AbortSignal, optional: Optional) => Promise<Thing>
  readonly view: (thing: Thing) => ComponentChildren
}

/** Takes over the document of one thing, or the page that shows any. */
export const startThing = <Thing extends object>({ load, view, ...named }: ThingProgram<Thing>): Promise<void> =>
  start({
    load: async (signal, optional) => {
      try {
        return named.id === '' ? null : await load(signal, optional)
      } catch (error) {
        // A document of its own shows that the thing exists, so only a part of the site is here.
        if (error instanceof NotFoundError && document.querySelector('meta[name=figures]') === null) return null
        throw error
      }
    },
    view: (thing) => (thing === null ? <Unknown {...named} /> : view(thing)),
  })
