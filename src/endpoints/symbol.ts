import { SymbolKey, SymbolMembers } from '../contract/identity.ts'
import { symbolKey } from '../contract/names.ts'
import { type Parameter, printable } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const symbol = {
  description: 'Symbol in any case; signs do not count. Hosts of files alone have it in capitals.',
  schema: printable.schema.transform(symbolKey).pipe(SymbolKey),
  type: 'string',
  allowed: 'Latin letters and digits, at most 64: USDC.e is USDCE',
} as const satisfies Parameter<string>

export const symbolListings = endpoint({
  name: 'symbol',
  path: '/symbols/:symbol',
  description:
    'Every listing of a symbol, by rank. A symbol belongs to nobody: `ambiguous` tells when it is not enough.',
  example: '/symbols/BTC',
  parameters: { symbol },
  members: SymbolMembers,
  keys: ({ directory }) => [...directory.symbols.keys()].map((symbol) => ({ symbol })),
  body: ({ directory }, { symbol }) => {
    const rows = directory.symbols.get(symbol) ?? []
    return { key: symbol, ambiguous: rows.length > 1, count: rows.length, rows }
  },
})
