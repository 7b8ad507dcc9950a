import type { Asset } from '../client/answers.ts'
import { recompute } from '../feed/price.ts'
import { type Child, el } from './dom.ts'
import { price, share, words } from './format.ts'
import { type Column, table } from './tables.ts'

const METHODS: Readonly<Record<Asset['price_basis']['method'], string>> = {
  exchanges:
    'The mean of the middle fifth of the weight of the venues below. No venue has more than a fifth or an equal share.',
  aggregators: 'Too few venues quote it directly. The price is the mean of the aggregators that agree.',
  exchanges_below_quorum:
    'Too few venues for a reliable price, and no aggregator. The price is the mean of the available venues.',
  dex: 'No venue and no aggregator quotes it. The price is from the deepest pool.',
  carried: 'No source reported a price in the last run. This is the last known price.',
  none: 'No source quotes it, so there is no price.',
}

type Source = Asset['price_basis']['sources'][number]

const COLUMNS: readonly Column<Source>[] = [
  { name: 'Source', of: ({ source_id }) => source_id },
  { name: 'Pair', of: ({ pair }) => pair },
  { name: 'Price', of: (source) => price(source.price_usd), number: true },
  { name: 'Weight', of: ({ weight }) => share(weight), number: true },
]

/** Maximum number of excluded venues shown by name. */
const MOST_EXCLUDED = 12

/** Shows how the price of an asset was computed, with all inputs needed to recompute it. */
export function basis({ price_basis: { method, sources, excluded }, price_usd, price_confidence }: Asset): Child {
  const recomputed = recompute({ sources })
  return [
    el('p', {}, METHODS[method]),
    sources.length === 0 ? null : table('Venues in the price', COLUMNS, sources),
    recomputed === null
      ? null
      : el(
          'p',
          { class: 'sum' },
          `The mean of the middle fifth of the weight: ${price(recomputed)}. Published: ${price(price_usd)}. `,
          `Confidence ${price_confidence === null ? 'unknown' : share(price_confidence)}.`,
        ),
    excluded.length === 0
      ? null
      : el(
          'details',
          {},
          el('summary', {}, `${excluded.length} left out`),
          el(
            'ul',
            {},
            ...excluded
              .slice(0, MOST_EXCLUDED)
              .map(({ source_id, pair, reason }) => el('li', {}, `${source_id} ${pair}: ${words(reason)}`)),
            excluded.length > MOST_EXCLUDED ? el('li', {}, `and ${excluded.length - MOST_EXCLUDED} more`) : null,
          ),
        ),
  ]
}
