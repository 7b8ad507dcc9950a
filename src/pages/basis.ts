import type { Asset } from '../client/answers.ts'
import { recompute } from '../feed/price.ts'
import { type Child, el } from './dom.ts'
import { price, share, words } from './format.ts'
import { type Column, table } from './tables.ts'

const METHODS: Readonly<Record<Asset['price_basis']['method'], string>> = {
  exchanges:
    'The venues below: the mean of the middle fifth of their weight, none with more than a fifth or an equal share.',
  aggregators: 'Too few venues quote it directly: the mean of the aggregators that agree.',
  exchanges_below_quorum: 'Too few venues for a sure price, and no aggregator: the mean of those there are.',
  dex: 'No venue and no aggregator quotes it: the deepest pool.',
  carried: 'Nobody told a price in the last run: this is the last one known.',
  none: 'Nobody quotes it: there is no price.',
}

type Source = Asset['price_basis']['sources'][number]

const COLUMNS: readonly Column<Source>[] = [
  { name: 'Source', of: ({ source_id }) => source_id },
  { name: 'Pair', of: ({ pair }) => pair },
  { name: 'Price', of: (source) => price(source.price_usd), number: true },
  { name: 'Weight', of: ({ weight }) => share(weight), number: true },
]

/** Excluded venues that are named; the rest is counted. */
const MOST_EXCLUDED = 12

/** How the price of an asset was made, with all that is needed to compute it again. */
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
