import type * as z from 'zod'
import type { SourceRights } from '../contract/rights.ts'
import type { SourceType } from '../contract/words.ts'
import type { Interval } from '../contract/history.ts'
import { isRowSized } from './row-size.ts'

/** A token contract as a source spells it: `platform` is the source's own name of the chain. */
export interface ContractSighting {
  readonly platform: string
  readonly address: string
  readonly decimals: number | null
}

/** One asset as a source lists it. Money in US dollars, changes in percent, times in ms since 1970. */
export interface Sighting {
  readonly kind: 'sighting'
  /** The source's own stable id of the asset. */
  readonly id: string
  /** Texts to make a slug of, best first; the id when empty. */
  readonly slugs: readonly string[]
  readonly symbol: string
  readonly name: string
  readonly rank: number | null
  readonly contracts: readonly ContractSighting[]
  readonly price_usd: number | null
  readonly percent_change_1h: number | null
  readonly percent_change_24h: number | null
  readonly percent_change_7d: number | null
  readonly high_24h_usd: number | null
  readonly low_24h_usd: number | null
  readonly market_cap_usd: number | null
  readonly fully_diluted_valuation_usd: number | null
  readonly volume_24h_usd: number | null
  readonly circulating_supply: number | null
  readonly total_supply: number | null
  readonly max_supply: number | null
  readonly ath_usd: number | null
  readonly ath_at: number | null
  readonly logo_url: string | null
  readonly at: number | null
}

/** What a source says of an asset beyond its numbers. */
export interface Profile {
  readonly kind: 'profile'
  readonly id: string
  readonly asset_type: 'coin' | 'token' | null
  readonly description: string | null
  readonly tags: readonly string[]
  readonly links: {
    readonly website: string | null
    readonly whitepaper: string | null
    readonly source_code: string | null
    readonly twitter: string | null
    readonly telegram: string | null
    readonly discord: string | null
  }
  readonly explorers: readonly string[]
  readonly contracts: readonly ContractSighting[]
}

/** One pair of one venue, in the pair's own currencies. */
export interface Quote {
  readonly kind: 'quote'
  /** The venue's own name of the pair; candles are asked for by it. */
  readonly market: string
  /** Symbols in common spelling, upper case: BTC where the venue writes XBT. */
  readonly base: string
  readonly quote: string
  readonly last: number | null
  readonly bid: number | null
  readonly ask: number | null
  readonly volume_24h_base: number | null
  readonly volume_24h_quote: number | null
  readonly percent_change_24h: number | null
  /** When the venue says that the row was true. */
  readonly at: number | null
  /** When the last trade was, where the venue gives that; in ms since 1970. */
  readonly traded_at?: number
  readonly trade_url: string | null
}

/** One pool of a decentralized exchange. */
export interface Pool {
  readonly kind: 'pool'
  readonly dex_id: string
  readonly dex_name: string
  readonly platform: string
  readonly pool_address: string
  readonly base: { readonly address: string; readonly symbol: string }
  readonly quote: { readonly address: string; readonly symbol: string }
  readonly price_native: number | null
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
  readonly volume_24h_usd: number | null
  readonly liquidity_usd: number | null
  readonly transactions_24h: number | null
  readonly created_at: number | null
  readonly url: string | null
}

/** A row that is well formed and none of ours: a future, a leveraged token, a test pair. Counted, not an error. */
export interface Skipped {
  readonly kind: 'skipped'
  readonly reason: string
}

/** A row that could not be read. It is counted and left out by itself. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly row: string
  readonly reason: string
}

export type Observation = Sighting | Profile | Quote | Pool | Skipped | Rejected

/** One closed or open bar of a market. `at` is its start in ms since 1970. */
export interface Candle {
  readonly at: number
  readonly close: number
  /** In the base currency; null where the venue gives none. */
  readonly volume_base: number | null
  /** In the quote currency; null where the venue gives none. */
  readonly volume_quote: number | null
}

/** Which bars to ask for: `from` and `to` in ms since 1970, both inclusive bar starts. */
export interface CandleAsk {
  /** The venue's own name of the pair, or an aggregator's id of the asset. */
  readonly market: string
  readonly interval: Interval
  readonly from: number
  readonly to: number
}

/** How a source gives past prices. */
export interface Candles {
  /** Bar sizes it has, of those we publish. */
  readonly intervals: readonly Interval[]
  /** Most bars in one answer. */
  readonly most: number
  /** Set where `close` is a price in US dollars of an asset, not the price of a pair; `volume_quote` is then the rolling 24h figure in dollars. */
  readonly rolling?: true
  /** The bars of one request, in any order, each read by itself. Throws SourceError as `fetch` does. */
  ask(http: Http, ask: CandleAsk): Promise<readonly Candle[]>
}

/** A currency as a venue's own list has it. */
export interface Currency {
  /** As the venue's quotes spell it, in upper case. */
  readonly symbol: string
  /** The full name; null where the list has none, or only the symbol again. */
  readonly name: string | null
  /** Empty for the own coin of a chain, and where the list has none. */
  readonly contracts: readonly ContractSighting[]
}

/** What the run would like of a source beyond its main list. A source that has nothing of the kind ignores it. */
export interface Wants {
  /** Most listings to ask for; null: all it gives. */
  readonly listings: number | null
  /** Of these ids, in the source's order of rank: those whose profile is due, within the budget, most urgent first. */
  profiles(ids: readonly string[]): readonly string[]
  /** Tokens whose pools are of interest, most urgent first, chains in the source's own spelling. */
  readonly tokens: readonly { readonly platform: string; readonly address: string }[]
}

/** The way to one source's host. Paces itself, retries, gives up in time; every failure is a SourceError. */
export interface Http {
  /** GET of a JSON body; `path` begins with `/` and may hold a query. The body must fit `schema`. */
  json<Body extends z.ZodType>(path: string, schema: Body): Promise<z.infer<Body>>
}

/** How much may be read of one source in one run, over all its answers. */
export interface Volume {
  /** After decoding. */
  readonly bytes: number
  /** Members and elements of the JSON. A value of two bytes takes some 60 of memory, so bytes alone are no bound. */
  readonly values: number
}

/** Several times what the largest list of a venue comes to: 1.3 MB and 60,000 values (MEXC, 2,400 pairs, 2024). */
export const VOLUME: Volume = { bytes: 16 * 2 ** 20, values: 500_000 }

/** Facts about an upstream. */
export interface Facts {
  readonly id: string
  readonly label: string
  readonly type: SourceType
  readonly host: string
  /** At most so many requests in so many seconds. */
  readonly pace: { readonly requests: number; readonly perSeconds: number }
  /** Requests under way at once; 4 unless told. */
  readonly concurrency?: number
  /** The most that one run reads of it; {@link VOLUME} unless told. */
  readonly volume?: Volume
  readonly rights: SourceRights
  /**
   * Countries (ISO 3166-1) whose addresses the source is known to refuse, and where that is documented. Absent: none is
   * known.
   */
  readonly unavailableFrom?: { readonly countries: readonly string[]; readonly evidence: string }
  /** Header to send a key in and the key, from the environment. Never logged. */
  readonly key?: { readonly header: string; readonly value: string }
}

export interface Source extends Facts {
  /** Asks the upstream and reads its rows. Throws SourceError when the answer as a whole is no answer. */
  observe(http: Http, wants: Wants): Promise<Iterable<Observation>>
  readonly candles?: Candles
  /** The venue's own list of currencies, for sources that have one. Throws SourceError as `observe` does. */
  readonly currencies?: (http: Http) => Promise<readonly Currency[]>
}

/**
 * Declares a source. `fetch` asks and hands back raw rows; `parse` is pure and turns rows into observations, each row by
 * itself. Neither sees a clock, a file or another source.
 */
export function source<Raw>(
  declared: Facts & {
    fetch(this: void, http: Http, wants: Wants): Promise<Raw>
    parse(this: void, raw: Raw): Iterable<Observation>
    readonly candles?: Candles
    readonly currencies?: (http: Http) => Promise<readonly Currency[]>
  },
): Source {
  const { fetch, parse, ...facts } = declared
  return { ...facts, observe: async (http, wants) => parse(await fetch(http, wants)) }
}

/**
 * Reads rows one at a time: one that breaks `schema` becomes a Rejected with its reason, the others are not touched.
 * So does one that is too large or too deep to be a row, and one that `translate` cannot read.
 */
export function* rows<Row extends z.ZodType>(
  schema: Row,
  items: Iterable<unknown>,
  translate: (row: z.infer<Row>) => Observation,
): Generator<Observation> {
  for (const item of items) yield observed(schema, item, translate)
}

function observed<Row extends z.ZodType>(
  schema: Row,
  item: unknown,
  translate: (row: z.infer<Row>) => Observation,
): Observation {
  if (!isRowSized(item)) return rejectedFor(item, 'row: too large or too deep')
  const result = schema.safeParse(item)
  if (!result.success) return rejected(item, result.error)
  try {
    return translate(result.data)
  } catch (bug) {
    return rejectedFor(item, `row: could not be read (${bug instanceof Error ? bug.name : typeof bug})`)
  }
}

/** A row that broke its schema, with the reason and the beginning of the row. */
export const rejected = (item: unknown, error: z.ZodError): Rejected =>
  rejectedFor(item, error.issues.map((issue) => `${issue.path.join('.') || 'row'}: ${issue.message}`).join('; '))

const rejectedFor = (item: unknown, reason: string): Rejected => ({
  kind: 'rejected',
  row: isRowSized(item) ? beginning(JSON.stringify(item) ?? String(item)) : '',
  reason: beginning(reason),
})

/** The first 200 characters, as a text of their own: a slice would keep the whole text in memory. */
const beginning = (text: string): string => Buffer.from(text.slice(0, 200)).toString()

/** The change in percent from an earlier price to a later one; null when either is unknown. */
export const changeOf = (open: number | null, last: number | null): number | null =>
  open === null || last === null || open === 0 ? null : (last / open - 1) * 100
