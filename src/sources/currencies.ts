import * as z from 'zod'
import {
  type Answer,
  type Envelope,
  type Member,
  type Without,
  membersIn,
  outline,
  reader,
  reasons,
} from './dialect.ts'
import { isRowSized, type ContractSighting, type Currency } from './source.ts'
import { SourceError } from './source-error.ts'
import { OptionalText, Text } from './wire.ts'

/** Least share of the rows of a list that must be readable. */
const READABLE_SHARE = 0.5

/** A venue's list of its currencies, in the words of its API. */
export interface CurrencyDialect {
  readonly path: string
  readonly envelope?: Envelope
  readonly symbol: Member
  readonly name?: Member
  /** Whether a name ends in the symbol: "Tether USDT" is "Tether". */
  readonly hasSymbolInName?: true
  /** A second list, with the names by symbol, which may be missing. */
  readonly names?: {
    readonly path: string
    readonly envelope?: Envelope
    readonly symbol: Member
    readonly name: Member
  }
  /** Where a row has its chains, and what a chain says. */
  readonly chains?: Member
  readonly platform?: Member
  readonly address?: Member
  /** Whether a chain of a row makes the currency a chain's own coin: the contracts are then those of its wrapped forms. */
  readonly isNative?: (chain: unknown, row: unknown) => boolean
  /** Whether the contract of a chain counts. */
  readonly counts?: (chain: unknown, row: unknown) => boolean
  readonly without?: Without
  /** Other members that are read. */
  readonly also?: readonly Member[]
  /** Whether the rows are of markets, so that a currency has several. */
  readonly isOfMarkets?: true
}

/** Returns the members of a row that are read. */
export const membersOf = ({ symbol, name, chains, without = {}, also = [] }: CurrencyDialect): Member[] => [
  symbol,
  ...[name ?? [], chains ?? [], also].flat(),
  ...membersIn(without),
]

const Row = z.object({ symbol: Text(64), name: OptionalText(200) })
const Chain = z.object({ platform: z.string().nullish(), address: z.string().nullish() })

/**
 * Reads a venue's list of currencies, each row by itself. Rows to leave out are, and so are symbols that two rows have: the
 * list does not tell them apart.
 *
 * @throws SourceError `source_invalid` if most rows are unreadable
 */
export async function currencyList(
  source: string,
  dialect: CurrencyDialect,
  commonOf: (symbol: string) => string,
  ask: (path: string, envelope?: Envelope) => Promise<Answer>,
): Promise<Currency[]> {
  const { names, chains, isNative = () => false, counts = () => true, isOfMarkets, without = {} } = dialect
  const take = outline({ symbol: dialect.symbol, name: dialect.name })
  const chainsIn = reader(chains ?? '')
  const chainOf = outline({ platform: dialect.platform, address: dialect.address })
  const reasonOf = reasons(without)
  const [{ rows }, named] = await Promise.all([
    ask(dialect.path, dialect.envelope),
    // The names alone are worth less than the contracts alone.
    names ? ask(names.path, names.envelope).catch(() => null) : null,
  ])
  const nameOf = new Map(
    (named?.rows ?? []).flatMap((row) => {
      const { data } = Row.safeParse(outline({ symbol: names?.symbol, name: names?.name })(row))
      return data ? [[data.symbol.toUpperCase(), data.name] as const] : []
    }),
  )
  let readable = 0
  const bySymbol = new Map<string, Currency | null>()
  for (const row of rows) {
    const { data } = isRowSized(row) ? Row.safeParse(take(row)) : { data: undefined }
    const all = chains === undefined ? [] : chainsIn(row)
    if (data === undefined || !(all === null || Array.isArray(all))) continue
    readable++
    if (all === null || reasonOf(row) !== null) continue
    const own = data.symbol.toUpperCase()
    const symbol = commonOf(own)
    if (isOfMarkets && bySymbol.has(symbol)) continue
    const contracts = all.some((chain) => isNative(chain, row))
      ? []
      : all.filter((chain) => counts(chain, row)).flatMap((chain) => contractIn(chainOf(chain)))
    const given = data.name ?? nameOf.get(own) ?? null
    const full = dialect.hasSymbolInName ? withoutSymbol(given, own) : given
    // A name that only repeats the symbol says nothing.
    const name = full?.toUpperCase() === symbol ? null : full
    bySymbol.set(symbol, bySymbol.has(symbol) ? null : { symbol, name, contracts })
  }
  if (readable < rows.length * READABLE_SHARE || readable === 0)
    throw new SourceError('source_invalid', `${source}: ${readable} of ${rows.length} currencies are readable`)
  return [...bySymbol.values()].filter((currency) => currency !== null)
}

/** "Tether USDT" is "Tether". */
const withoutSymbol = (name: string | null, symbol: string): string | null =>
  name?.toUpperCase().endsWith(` ${symbol}`) ? name.slice(0, -symbol.length - 1) : name

function contractIn(chain: unknown): ContractSighting[] {
  const { platform, address } = Chain.safeParse(chain).data ?? {}
  const whole = addressOf(address ?? '')
  return !platform || whole === null ? [] : [{ platform, address: whole, decimals: null }]
}

/** An address with the `0x` that some lists leave out; null for placeholders and names of native coins. */
function addressOf(text: string): string | null {
  const address = text.trim()
  if (/^[0-9a-f]{40}$/i.test(address)) return `0x${address}`
  return /^(invalid|aaaaa)/i.test(address) || !/\d/.test(address) ? null : address
}
