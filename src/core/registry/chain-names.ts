import { slugOf } from '../contract/names.ts'
import chains from './chains.json' with { type: 'json' }

const NAMES = new Map(
  chains.map(({ chain, label, chain_id, spellings }) => {
    // CoinPaprika names a chain by the id of its coin.
    const { coinpaprika: _, ...short } = spellings
    const names = [label, ...Object.values(short).flatMap((spelling) => spelling ?? [])].map(slugOf)
    const aliases = [...new Set(names)].filter((name) => name !== chain).toSorted()
    return [chain, { name: label, chain_id, aliases }] as const
  }),
)

export const namesOfChain = (chain: string) => NAMES.get(chain) ?? { name: chain, chain_id: null, aliases: [] }
