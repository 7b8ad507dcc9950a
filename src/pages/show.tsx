import { type ComponentChildren, render } from 'preact'
import { knownSite } from './search-form.ts'
import { SiteContext } from './site.tsx'
import { enhance } from './start.ts'

/** What was last asked for in each place: an answer that comes later than that of another question is not shown. */
const latest = new WeakMap<HTMLElement, object>()

/** Loads data and draws it in a place, or says that it could not be loaded, with a button to try again. */
export async function show<T>(place: HTMLElement, load: () => Promise<T>, view: (data: T) => ComponentChildren) {
  const question = {}
  latest.set(place, question)
  const draw = (content: ComponentChildren) => {
    if (latest.get(place) !== question) return
    render(null, place)
    place.replaceChildren()
    render(content, place)
  }
  place.ariaBusy = 'true'
  try {
    const [data, site] = await Promise.all([load(), knownSite()])
    draw(<SiteContext.Provider value={site}>{view(data)}</SiteContext.Provider>)
  } catch {
    draw(
      <div class="empty" role="alert">
        <p>The data could not be loaded. The site may be unreachable or in the middle of an update.</p>
        <button type="button" class="button" onClick={() => void show(place, load, view)}>
          Try again
        </button>
      </div>,
    )
  }
  if (latest.get(place) !== question) return
  delete document.documentElement.dataset['asked']
  place.ariaBusy = null
  enhance(place)
}
