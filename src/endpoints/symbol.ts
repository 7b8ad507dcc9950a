import { SymbolKey, SymbolMembers } from '../contract/identity.ts'
import { symbolKey } from '../contract/names.ts'
import { type Parameter, printable } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const symbol = {
  description: 'Symbol in any case; punctuation is ignored. Static hosts require capitals.',
  schema: printable.schema.transform(symbolKey).pipe(SymbolKey),
  type: 'string',
  allowed: 'Latin letters and digits, at most 64: USDC.e is USDCE',
} as const satisfies Parameter<string>

export const symbolListings = endpoint({
  name: 'symbol',
  group: 'One asset',
  path: '/symbols/:symbol',
  description:
    'All listings with a symbol, by rank. Symbols are not unique: `ambiguous` is true if there is more than one.',
  example: '/symbols/BTC',
  parameters: { symbol },
  members: SymbolMembers,
  keys: ({ directory }) => [...directory.symbols.keys()].map((symbol) => ({ symbol })),
  body: ({ directory }, { symbol }) => {
    const rows = directory.symbols.get(symbol) ?? []
    return { key: symbol, ambiguous: rows.length > 1, count: rows.length, rows }
  },
})
