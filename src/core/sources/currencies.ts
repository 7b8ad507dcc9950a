import * as z from 'zod'
import type { Answer, AnswerForm, Fields, ListForm, Member } from './dialect.ts'
import { fieldsOf, outline, reasons } from './dialect.ts'
import type { ContractSighting, ReportedCurrency } from './source.ts'
import { SourceError } from './source-error.ts'
import { OptionalText, Text } from './wire.ts'

const READABLE_SHARE = 0.5

export interface CurrencyDialect extends ListForm {
  readonly row: { readonly symbol: Member; readonly name?: Member; readonly chains?: Member }
  /** Whether a name ends in the symbol: "Tether USDT" is "Tether". */
  readonly hasSymbolInName?: true
  /** The list that has the names. */
  readonly names?: ListForm & { readonly row: { readonly symbol: Member; readonly name: Member } }
  readonly chain?: { readonly platform: Member; readonly address: Member }
  /** Whether a chain of a row makes the currency a chain's own coin: the contracts are then those of its wrapped forms. */
  readonly isNative?: (chain: Fields, row: Fields) => boolean
  readonly counts?: (chain: Fields, row: Fields) => boolean
  readonly isOfMarkets?: true
}

const Row = z.object({ symbol: Text(64), name: OptionalText(200) })
const RowOfChains = Row.extend({ chains: z.array(z.unknown()).nullable() })
const Chain = z.object({ platform: z.string().nullish(), address: z.string().nullish() })

export async function currencyList(
  source: string,
  dialect: CurrencyDialect,
  commonOf: (symbol: string) => string,
  ask: (path: string, envelope?: AnswerForm) => Promise<Answer>,
): Promise<ReportedCurrency[]> {
  const { names, row: members, isOfMarkets, without } = dialect
  const take = outline(members)
  const schema = members.chains === undefined ? Row : RowOfChains
  const contractsOf = contractReader(dialect)
  const reasonOf = reasons(without)
  const [{ rows }, named] = await Promise.all([
    ask(dialect.path, dialect.envelope),
    // The names alone are worth less than the contracts alone.
    names ? ask(names.path, names.envelope).catch(() => null) : null,
  ])
  const nameOf = nameReader(dialect, named?.rows ?? [])
  const readable = rows.flatMap((row) => {
    const { data } = schema.safeParse(take(row))
    return data ? [{ chains: [], ...data, row }] : []
  })
  if (readable.length < rows.length * READABLE_SHARE || readable.length === 0)
    throw new SourceError('source_invalid', `${source}: ${readable.length} of ${rows.length} currencies are readable`)
  const bySymbol = new Map<string, ReportedCurrency | null>()
  for (const { symbol: written, name, chains, row } of readable) {
    if (chains === null || reasonOf(row) !== null) continue
    const own = written.toUpperCase()
    const symbol = commonOf(own)
    if (isOfMarkets && bySymbol.has(symbol)) continue
    const currency = { symbol, name: nameOf(name, own, symbol), contracts: contractsOf(chains, row) }
    bySymbol.set(symbol, bySymbol.has(symbol) ? null : currency)
  }
  return [...bySymbol.values()].filter((currency) => currency !== null)
}

function nameReader({ names, hasSymbolInName }: CurrencyDialect, rows: readonly unknown[]) {
  const take = outline(names?.row ?? {})
  const named = new Map(
    rows.flatMap((row) => {
      const { data } = Row.safeParse(take(row))
      return data ? [[data.symbol.toUpperCase(), data.name] as const] : []
    }),
  )
  return (own: string | null, symbol: string, common: string): string | null => {
    const given = own ?? named.get(symbol) ?? null
    const isLonger = hasSymbolInName && given?.toUpperCase().endsWith(` ${symbol}`)
    const name = isLonger ? (given?.slice(0, -symbol.length - 1) ?? null) : given
    // A name that only repeats the symbol says nothing.
    return name?.toUpperCase() === common ? null : name
  }
}

function contractReader({ chain: members = { platform: '', address: '' }, isNative, counts }: CurrencyDialect) {
  const take = outline(members)
  return (chains: readonly unknown[], item: unknown): ContractSighting[] => {
    const row = fieldsOf(item)
    if (chains.some((chain) => isNative?.(fieldsOf(chain), row))) return []
    return chains.flatMap((chain) => {
      const { platform, address } = Chain.safeParse(take(chain)).data ?? {}
      const whole = counts?.(fieldsOf(chain), row) === false ? null : addressOf(address ?? '')
      return !platform || whole === null ? [] : [{ platform, address: whole, decimals: null }]
    })
  }
}

/** An address with the `0x` that some lists leave out; null for placeholders and names of native coins. */
function addressOf(text: string): string | null {
  const address = text.trim()
  if (/^[0-9a-f]{40}$/i.test(address)) return `0x${address}`
  return /^(invalid|aaaaa)/i.test(address) || !/\d/.test(address) ? null : address
}
