import { tokens } from '@web3icons/common/metadata'
import type { TokenContract } from '../contract/asset.ts'
import { groupBy } from '../contract/order.ts'
import { line } from '../contract/words.ts'
import type { Registry } from './registry.ts'

export interface KnownAsset {
  readonly symbol: string
  readonly name: string
  readonly coingecko: string | null
  readonly contracts: readonly TokenContract[]
}

/** By symbol in capitals. */
export type KnownAssets = ReadonlyMap<string, readonly KnownAsset[]>

const Name = line(200)
/** A contract that was replaced; the symbol is its successor’s. */
const IS_OLD = /\[old\]|\(old\)/i

/** Money that venues quote in and that is no listing. */
const FIAT = new Set(
  'AED ARS AUD BRL CAD CHF COP CZK EUR GBP HKD IDR INR JPY KRW KZT MXN NGN PLN RON RUB SGD THB TRY UAH USD VND ZAR'.split(
    ' ',
  ),
)

export const isFiat = (symbol: string): boolean => FIAT.has(symbol)

export function knownAssets({ contractsSeen }: Pick<Registry, 'contractsSeen'>): KnownAssets {
  const assets = tokens.flatMap(({ id: coingecko, symbol: written, name, addresses }): KnownAsset[] => {
    const symbol = written.toUpperCase()
    if (isFiat(symbol) || IS_OLD.test(name) || !Name.safeParse(name).success) return []
    const contracts = Object.entries(addresses).flatMap(([platform, address]) =>
      address === undefined ? [] : [{ platform, address, decimals: null }],
    )
    return [{ symbol, name, coingecko, contracts: contractsSeen('coingecko', contracts) }]
  })
  return groupBy(assets, ({ symbol }) => symbol)
}
