import type { ComponentChildren } from 'preact'
import { renameFile } from '../core/contract/paths.ts'
import { ROOT, answerIfThere, part, readIfThere } from './browser.ts'
import { price } from './format.ts'
import { CategoryPage, Exchange } from './lists-view.tsx'
import { show } from './show.tsx'
import { FOLDERS } from './site.tsx'
import { Token } from './token-view.tsx'

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

const THINGS: Readonly<Record<keyof typeof FOLDERS, (id: string) => Promise<ComponentChildren>>> = {
  async token(id) {
    const [answer, markets, history] = await Promise.all([
      answerIfThere<'asset'>(`assets/${id}`),
      answerIfThere<'assetMarkets'>(`assets/${id}/markets`).catch(() => null),
      answerIfThere<'history'>(`history/${id}/days=7`).catch(() => null),
    ])
    if (answer === null) {
      const alias = await readIfThere<{ readonly replaced_by: string }>(renameFile(id).slice(1))
      return alias && THINGS.token(alias.replaced_by)
    }
    const { asset } = answer
    document.title = `${asset.name} (${asset.symbol}) ${price(asset.price_usd)}`
    const week = history?.rows.map(({ price_usd }) => price_usd) ?? []
    const past = { month: null, year: null }
    return <Token asset={asset} markets={markets?.rows ?? []} week={week} past={past} hasDaily hasCandles />
  },
  exchange: (id) => answerIfThere<'exchange'>(`exchanges/${id}`).then((one) => one && <Exchange {...one} />),
  category: (id) => answerIfThere<'category'>(`categories/${id}`).then((one) => one && <CategoryPage {...one} />),
}

/** Shows a thing that has no document of its own, or all rows of one that has. */
export function showThing(id: string): Promise<void> {
  const kinds = ['exchange', 'category'] as const
  const kind = kinds.find((one) => location.pathname.includes(`/${FOLDERS[one]}/`)) ?? 'token'
  return show(
    part('page'),
    async () => (id === '' ? null : THINGS[kind](id)),
    (thing) => thing ?? <Unknown kind={kind} id={id} />,
  )
}
