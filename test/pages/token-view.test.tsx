import { parseHTML } from 'linkedom'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, it } from 'vitest'
import { HeldFigures, heldText } from '../../src/pages/figures.tsx'
import { AssetFigures } from '../../src/pages/token-view.tsx'
import { AT, assetOf } from '../feed/world.ts'

const rendered = (content: VNode) => parseHTML(`<main>${renderToString(content)}</main>`).document

/** The text of a figure of an asset. */
const figureOf = (name: string, given: Parameters<typeof assetOf>[1]): string | undefined =>
  [...rendered(<AssetFigures asset={assetOf('acme', given)} />).querySelectorAll('dl > div')]
    .find((figure) => figure.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent

describe('the figures of a token', () => {
  it('say that no market is known', () => {
    expect(figureOf('Markets', { market_count: 0, exchange_count: 0 })).toBe('none known')
    expect(figureOf('Markets', { market_count: 3, exchange_count: 1 })).toBe('3 on 1 exchange')
  })
})

it('the page says of a figure that is held back why, since when, and what releases it', () => {
  const asset = assetOf('acme', {
    held: [
      {
        slug: 'acme',
        field: 'circulating_supply',
        held_value: 1.2e9,
        offered_value: 1.2e12,
        rule: 'lone_supply',
        source_ids: ['coingecko'],
        reason: 'One source reports it.',
        since: AT,
        releases_at: null,
        release: 'A second source.',
      },
    ],
  })
  const page = rendered(<HeldFigures held={asset.held} />)
  expect(page.querySelector('.notice')?.textContent).toBe(
    `Held back since ${AT.slice(0, 10)}: the circulating supply of 1.20T. 1.20B is published instead. One source reports ` +
      'it. Released by: A second source.',
  )
})

it('shortens the address of a contract that is held back', () => {
  expect(heldText('contracts', 'ethereum 0xdac17f958d2ee523a2206206994597c13d831ec7')).toBe(
    'ethereum 0xdac17f95…831ec7',
  )
})
