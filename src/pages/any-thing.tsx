import type { AnswerOf } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { readIfThere } from './browser.ts'
import { Category } from './categories-view.tsx'
import { Exchange } from './exchanges-view.tsx'
import { price } from './format.ts'
import { showThing } from './shown.tsx'
import { Token } from './token-view.tsx'

const readThing = <Answer,>(path: string) => readIfThere<Answer>(`${API_FOLDER}/${path}.json`)

/** Shows any listing. */
export async function showToken(id: string): Promise<void> {
  const [markets, history] = await Promise.all([
    readThing<AnswerOf<'assetMarkets'>>(`assets/${id}/markets`).catch(() => null),
    readThing<AnswerOf<'history'>>(`history/${id}/days=7`).catch(() => null),
  ])
  await showThing(
    'token',
    id,
    (slug) => readThing<AnswerOf<'asset'>>(`assets/${slug}`),
    ({ asset }) => {
      document.title = `${asset.name} (${asset.symbol}) ${price(asset.price_usd)}`
      return (
        <Token
          asset={asset}
          markets={markets?.rows ?? []}
          week={history?.rows.map(({ price_usd }) => price_usd) ?? []}
          past={{ month: null, year: null }}
          hasDaily
          hasCandles
          isWhole
        />
      )
    },
  )
}

/** Shows any exchange with all of its markets. */
export const showExchange = (id: string): Promise<void> =>
  showThing(
    'exchange',
    id,
    (one) => readThing<AnswerOf<'exchange'>>(`exchanges/${one}`),
    (answer) => <Exchange {...answer} isWhole />,
  )

/** Shows any category with all of its listings. */
export const showCategory = (id: string): Promise<void> =>
  showThing(
    'category',
    id,
    (one) => readThing<AnswerOf<'category'>>(`categories/${one}`),
    (answer) => <Category {...answer} isWhole />,
  )
