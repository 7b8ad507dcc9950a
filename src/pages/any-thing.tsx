import { type ComponentChildren, render } from 'preact'
import { ROOT, answerIfThere, part } from './browser.ts'
import { price } from './format.ts'
import { CategoryPage, Exchange } from './lists-view.tsx'
import { knownSite } from './search-form.ts'
import { type Folder, SiteContext } from './site.tsx'
import { enhance } from './start.ts'
import { Token } from './token-view.tsx'

/** What was last asked for in each place: an answer that comes later than that of another question is not shown. */
const latest = new WeakMap<HTMLElement, object>()

export function clear(place: HTMLElement): void {
  latest.delete(place)
  render(null, place)
}

export async function show<Data>(
  place: HTMLElement,
  load: () => Promise<Data>,
  view: (data: Data) => ComponentChildren,
): Promise<void> {
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

const THINGS: Readonly<Record<Folder, (id: string) => Promise<ComponentChildren>>> = {
  async token(id) {
    const [answer, markets, history] = await Promise.all([
      answerIfThere<'asset'>(`assets/${id}`),
      answerIfThere<'assetMarkets'>(`assets/${id}/markets`).catch(() => null),
      answerIfThere<'history'>(`history/${id}/days=7`).catch(() => null),
    ])
    if (answer === null) return null
    const { asset } = answer
    document.title = `${asset.name} (${asset.symbol}) ${price(asset.price_usd)}`
    const week = history?.rows.map(({ price_usd }) => price_usd) ?? []
    const past = { month: null, year: null }
    return <Token asset={asset} markets={markets?.rows ?? []} week={week} past={past} hasDaily hasCandles isWhole />
  },
  async exchanges(id) {
    const answer = await answerIfThere<'exchange'>(`exchanges/${id}`)
    return answer && <Exchange {...answer} isWhole />
  },
  async categories(id) {
    const answer = await answerIfThere<'category'>(`categories/${id}`)
    return answer && <CategoryPage {...answer} isWhole />
  },
}

const KINDS = { token: 'token', exchanges: 'exchange', categories: 'category' } as const

/** Shows a thing that has no document of its own, or all rows of one that has. */
export function showThing(id: string): Promise<void> {
  const folder = (['exchanges', 'categories'] as const).find((one) => location.pathname.includes(`/${one}/`)) ?? 'token'
  return show(
    part('page'),
    async () => (id === '' ? null : THINGS[folder](id)),
    (thing) => thing ?? <Unknown kind={KINDS[folder]} id={id} />,
  )
}
