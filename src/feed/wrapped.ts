import type { Asset } from '../contract/asset.ts'
import { slugOf } from './slug.ts'

/** The numbers of the rule. */
export const WRAPPED = {
  rule:
    'A wrapped, staked or bridged form of another asset repeats its market cap: it has the `market_flag` `wrapped`, no rank, ' +
    'and no part in a total or a list of movers. The registry names such assets, and so do the categories of the sources ' +
    'that match `categories`. Where no source reports any categories, a name with one of the words of `names` does.',
  categories:
    '^(wrapped|bridged)(-|$)|^liquid-(re)?staked-|^liquid-(re)?staking-tokens?$|^tokenized-(btc|bitcoin|eth)|^rehypothecated',
  names: 'wrapped|staked|restaked|bridged|binance-peg',
} as const

const CATEGORIES = new RegExp(WRAPPED.categories)
const NAMES = new RegExp(`(^|[^a-z])(${WRAPPED.names})([^a-z]|$)`, 'i')

/** Returns whether an asset is a form of another one, whose market cap it repeats. */
export function isWrapped({ name, tags }: Pick<Asset, 'name' | 'tags'>): boolean {
  return tags.length > 0 ? tags.some((tag) => CATEGORIES.test(slugOf(tag))) : NAMES.test(name)
}
