import { distance } from 'fastest-levenshtein'
import type { Asset } from '../core/contract/asset.ts'
import { byKey } from '../core/contract/order.ts'
import { SEARCH_INDEX } from '../core/contract/site-files.ts'
import type { Attachment, PublicationData } from '../core/endpoints/endpoint.ts'
import { titled } from './format.ts'

/** What the search of the site finds: tokens, the largest first, and the rest by id and name. */
export type SearchIndex = ReturnType<typeof indexOf>

export interface Hit {
  readonly kind: 'token' | 'category' | 'exchange'
  readonly id: string
  readonly name: string
  readonly symbol: string
  readonly rank?: number | null
  readonly price_usd?: number | null
}

const FORMER_SYMBOLS: Readonly<Record<string, string>> = { xbt: 'btc', xdg: 'doge', matic: 'pol', mkr: 'sky', ftm: 's' }

/** Letters of a word from which on it may have one slip, and two. */
const [LEAST_SLIP, LEAST_TWO_SLIPS] = [4, 7]
/** Letters of an id at another service from which on its beginning finds it. Some are short numbers. */
const LEAST_OF_ID = 4

const NOT_AT_ALL = Infinity

/** How well a name fits a word: 0 as a whole, 1 from its beginning, 2 in part. */
function fitOf(name: string, word: string): number {
  if (name === word) return 0
  if (name.startsWith(word)) return 1
  return word.length > 2 && name.includes(word) ? 2 : NOT_AT_ALL
}

const ADDRESS_START = 10

function fitOfId(id: string, word: string): number {
  if (id === word) return 0
  const isAddress = id.length === ADDRESS_START && word.startsWith(id)
  return isAddress || (word.length >= LEAST_OF_ID && id.startsWith(word)) ? 2 : NOT_AT_ALL
}

function fitWithSlips(name: string, word: string): number {
  const most = word.length >= LEAST_TWO_SLIPS ? 2 : word.length >= LEAST_SLIP ? 1 : 0
  if (most === 0 || Math.abs(name.length - word.length) > most) return NOT_AT_ALL
  const found = distance(name, word)
  return found <= most ? found + 2 : NOT_AT_ALL
}

const FEW = 3

/**
 * Returns what fits a text, best first: names, symbols, slugs, ids at other services, categories and exchanges, with slips;
 * the base of a pair, such as `BTC/USDT`; a symbol with a dollar sign, or a former one; contracts; words in any order.
 */
export function search({ tokens, categories, exchanges }: SearchIndex, text: string): readonly Hit[] {
  const [base = ''] = text.trim().toLowerCase().replace(/^\$/, '').split('/')
  const word = base.trim().replace(/^([a-z0-9]{2,8})-(usd[tc]?|eur|btc|eth)$/, '$1')
  if (word === '') return []
  const parts = word.split(/\s+/)
  const former = FORMER_SYMBOLS[word]
  const things: readonly (readonly [names: readonly string[], hit: Hit, ids?: readonly string[]])[] = [
    ...tokens.map(
      ([id, symbol, name, rank, price_usd, ...ids]) =>
        [[symbol, name, id], { kind: 'token', id, name, symbol, rank, price_usd }, ids] as const,
    ),
    ...exchanges.map(([id, name]) => [[name, id], { kind: 'exchange', id, name, symbol: '' }] as const),
    ...categories.map(([id, name]) => [[name, id], { kind: 'category', id, name: titled(name), symbol: '' }] as const),
  ]
  const fitting = (fit: typeof fitOf, fitId: typeof fitOf) => {
    const fits = things.map(([names, hit, ids = []]) => {
      const fitOfNames = (part: string) => Math.min(...names.map((name) => fit(name.toLowerCase(), part)))
      const hasParts = parts.length > 1 && parts.every((part) => fitOfNames(part) < NOT_AT_ALL)
      const isFormer = former !== undefined && hit.symbol.toLowerCase() === former
      const others = [hasParts ? 2 : NOT_AT_ALL, isFormer ? 0 : NOT_AT_ALL, ...ids.map((id) => fitId(id, word))]
      return { hit, fit: Math.min(fitOfNames(word), ...others) }
    })
    return fits.filter((one) => one.fit < NOT_AT_ALL)
  }
  const direct = fitting(fitOf, fitOfId)
  const known = new Set(direct.map(({ hit }) => hit))
  const slips = direct.length >= FEW ? [] : fitting(fitWithSlips, () => NOT_AT_ALL)
  const found = [...direct, ...slips.filter(({ hit }) => !known.has(hit))]
  return found.toSorted((a, b) => a.fit - b.fit).map(({ hit }) => hit)
}

/** Returns the ids of an asset at its sources that its slug, symbol and name do not find, and how its contracts begin. */
export function otherIds({ slug, symbol, name, external_ids, contracts }: Asset): string[] {
  const found = new Set([symbol.toLowerCase(), name.toLowerCase()])
  const ids = Object.values(external_ids).map((id) => id.toLowerCase())
  const addresses = contracts.map(({ address }) => address.slice(0, ADDRESS_START).toLowerCase())
  return [...new Set([...ids.filter((id) => !slug.includes(id) && !found.has(id)), ...addresses])].toSorted()
}

const indexOf = ({ listed, categories, venues }: PublicationData) => ({
  tokens: listed.map(({ asset }) => {
    const { slug, symbol, name, market_cap_rank, price_usd } = asset
    return [slug, symbol, name, market_cap_rank, price_usd, ...otherIds(asset)] as const
  }),
  categories: [...categories.values()].map(({ row }) => [row.category_id, row.name] as const).toSorted(byKey),
  exchanges: [...venues.values()].map(({ row }) => [row.exchange_id, row.exchange_name] as const).toSorted(byKey),
})

export const searchIndex = (world: PublicationData): Attachment => ({
  path: SEARCH_INDEX,
  text: `${JSON.stringify(indexOf(world))}\n`,
})
