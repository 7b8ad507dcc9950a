import type * as z from 'zod'
import { isRowSized } from './source.ts'
import type { ContractSighting, Currency } from './source.ts'
import { SourceError } from './source-error.ts'

/** Least share of the rows of a list that must be readable. */
const READABLE_SHARE = 0.5

/** What a venue's list says of one currency: names and addresses as they stand there. */
interface CurrencyRow {
  readonly symbol: string
  readonly name: string | null
  readonly contracts: readonly { readonly platform: string; readonly address: string | null | undefined }[]
}

/**
 * Reads a venue's list of currencies, each row by itself. Rows that `translate` returns null for are left out, and so
 * are symbols that two rows have: the list does not tell them apart.
 *
 * @throws SourceError `source_invalid` if most rows are unreadable
 */
export function currenciesOf<Row extends z.ZodType>(
  source: string,
  schema: Row,
  items: readonly unknown[],
  translate: (row: z.infer<Row>) => CurrencyRow | null,
): Currency[] {
  let readable = 0
  const bySymbol = new Map<string, Currency | null>()
  for (const item of items) {
    const { data } = isRowSized(item) ? schema.safeParse(item) : { data: undefined }
    if (data === undefined) continue
    readable++
    const row = translate(data)
    if (row === null) continue
    const symbol = row.symbol.toUpperCase()
    bySymbol.set(symbol, bySymbol.has(symbol) ? null : { symbol, name: nameOf(row), contracts: contractsOf(row) })
  }
  if (readable < items.length * READABLE_SHARE || readable === 0)
    throw new SourceError('source_invalid', `${source}: ${readable} of ${items.length} currencies are readable`)
  return [...bySymbol.values()].filter((currency) => currency !== null)
}

/** "Tether USDT" is "Tether". */
export const withoutSymbol = (name: string | null, symbol: string): string | null =>
  name?.toUpperCase().endsWith(` ${symbol}`) ? name.slice(0, -symbol.length - 1) : name

/** A name that only repeats the symbol says nothing. */
const nameOf = ({ symbol, name }: CurrencyRow): string | null =>
  name === null || name.toUpperCase() === symbol.toUpperCase() ? null : name

const contractsOf = ({ contracts }: CurrencyRow): ContractSighting[] =>
  contracts.flatMap(({ platform, address }) => {
    const whole = addressOf(address ?? '')
    return whole === null ? [] : [{ platform, address: whole, decimals: null }]
  })

/** An address with the `0x` that some lists leave out; null for placeholders and names of native coins. */
function addressOf(text: string): string | null {
  const address = text.trim()
  if (/^[0-9a-f]{40}$/i.test(address)) return `0x${address}`
  return /^(invalid|aaaaa)/i.test(address) || !/\d/.test(address) ? null : address
}
