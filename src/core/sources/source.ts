import type * as z from 'zod'
import type {
  ContractSighting,
  ReportedCurrency,
  DayRatesRow,
  Pool,
  Profile,
  Quote,
  Reference,
  Sighting,
} from '../contract/observations.ts'
import type { SourceRights } from '../contract/rights.ts'
import type { SourceType } from '../contract/words.ts'
import type { Interval } from '../contract/history.ts'
import { type Members, type Without, outline, reasons } from './dialect.ts'
import { SourceError } from './source-error.ts'

export type { ContractSighting, ReportedCurrency, Pool, Profile, Quote, Reference, Sighting }

/** A valid row that is out of scope: a future, a leveraged token, a test pair. It is counted and not an error. */
export const skipped = (reason: string) => ({ kind: 'skipped', reason }) as const
export type Skipped = ReturnType<typeof skipped>

/** A row that could not be read. It is counted. A slice of a row would keep its whole text in memory. */
export const rejected = (reason: string) =>
  ({ kind: 'rejected', reason: Buffer.from(reason.slice(0, 200)).toString() }) as const

export type Observation = Sighting | Profile | Quote | Pool | Reference | Skipped | ReturnType<typeof rejected>

/** One bar of a market, which may still be open. `at` is its start in ms since 1970. */
export interface Candle {
  readonly at: number
  /** First, highest and lowest price; null if the source reports only one price a bar. */
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number
  readonly volume_base: number | null
  readonly volume_quote: number | null
}

export const ONE_PRICE = { open: null, high: null, low: null } as const

export interface CandleRequest {
  readonly market: string
  readonly interval: Interval
  readonly from: number
  readonly to: number
}

export interface Candles {
  readonly intervals: readonly Interval[]
  readonly most: number
  /** Set if `close` is the price of an asset in US dollars; `volume_quote` is then its rolling 24 h volume. */
  readonly rolling?: true
  ask(http: Http, request: CandleRequest): Promise<readonly Candle[]>
}

/** What to request from a source besides its main list. A source that has none of it ignores it. */
export interface Wants {
  readonly listings: number | null
  /** Ids of the source that suffice; null by default: all that it lists. One that cannot be asked for some lists all. */
  readonly ids?: readonly string[] | null
  /** Returns the ids whose profile is due, within the budget and most urgent first. `ids` are in order of rank. */
  profiles(ids: readonly string[]): readonly string[]
  /** Tokens whose pools or prices are wanted, most urgent first. `platform` is the source's name of the chain. */
  readonly tokens: readonly { readonly platform: string; readonly address: string }[]
}

/** HTTP access to the host of one source, with its rate limit, retries and time limits. Every failure is a SourceError. */
export type Http = { json<Body extends z.ZodType>(path: string, schema: Body): Promise<z.infer<Body>> }

export interface Volume {
  readonly bytes: number
  /** Members and elements of the JSON. A value of two bytes takes about 60 bytes of memory, so bytes alone are no limit. */
  readonly values: number
}

/** Several times the largest list of a venue: 1.3 MB and 60,000 values (MEXC, 2,400 pairs, 2024). */
export const VOLUME: Volume = { bytes: 16 * 2 ** 20, values: 500_000 }

/** How many requests a source allows in a calendar day or month, UTC, and where it says so. */
export interface Quota {
  readonly requests: number
  readonly per: 'day' | 'month'
  readonly evidence: string
  /** Requests that its list takes in each run, for a number of listings; null: all it gives. */
  readonly list: (listings: number | null) => number
  readonly daily?: number
}

export interface Facts {
  readonly id: string
  readonly label: string
  readonly type: SourceType
  readonly host: string
  readonly pace: { readonly requests: number; readonly perSeconds: number }
  readonly quota?: Quota
  /** Answers that change seldom: kept for some hours, with the members of these names alone. */
  readonly slow?: readonly { readonly path: string; readonly hours: number; readonly members?: readonly string[] }[]
  readonly concurrency?: number
  readonly volume?: Volume
  readonly rights: SourceRights
  /** Countries (ISO 3166-1) whose addresses the host refuses; `fallbackHost` answers the same requests there. */
  readonly unavailableFrom?: {
    readonly countries: readonly string[]
    readonly evidence: string
    readonly fallbackHost?: string
  }
  /** API key, from the environment, and the header that carries it. Never logged. */
  readonly key?: { readonly header: string; readonly value: string }
}

export type DayRates = Readonly<Pick<DayRatesRow, 'day' | 'rates_usd'>>

export interface PastRates {
  readonly first: string
  ask(http: Http, range: { readonly from: string; readonly to: string }): Promise<readonly DayRates[]>
}

/** A source of market data. It uses no clock, no file and no other source. */
export interface Source extends Facts {
  observe(http: Http, wants: Wants): Promise<Iterable<Observation>>
  readonly candles?: Candles
  readonly pastRates?: PastRates
  readonly currencies?: (http: Http) => Promise<readonly ReportedCurrency[]>
}

/**
 * Parses rows one by one: of `members`, the places where a row has those of the schema, or the row itself. One that does
 * not match, or makes `translate` throw, becomes a Rejected.
 */
export function* rows<Row extends z.ZodType>(
  schema: Row,
  items: Iterable<unknown>,
  translate: (row: z.infer<Row>, item: unknown) => Observation,
  { members, without }: { readonly members?: Members; readonly without?: Without | undefined } = {},
): Generator<Observation> {
  const take = members ? outline(members) : (item: unknown) => item
  const reasonOf = reasons(without)
  const observed = (item: unknown): Observation => {
    const reason = reasonOf(item)
    if (reason !== null) return skipped(reason)
    const result = schema.safeParse(take(item))
    if (!result.success) return rejected(faultsOf(result.error, members))
    try {
      return translate(result.data, item)
    } catch (bug) {
      return rejected(`row: could not be read (${bug instanceof Error ? bug.name : typeof bug})`)
    }
  }
  for (const item of items) yield observed(item)
}

const faultsOf = ({ issues }: z.ZodError, members: Members = {}): string =>
  issues.map(({ path, message }) => `${members[path.join('.')] ?? (path.join('.') || 'row')}: ${message}`).join('; ')

/** Makes several requests that are all optional: one that fails is a skipped row, with what it was for and why. */
export async function optional<Item, Answer>(
  items: readonly Item[],
  whatOf: (item: Item, index: number) => string,
  ask: (item: Item) => Promise<Answer>,
): Promise<{ answers: Answer[]; missing: Skipped[]; firstError: SourceError | null }> {
  const answers: Answer[] = []
  const missing: Skipped[] = []
  let firstError: SourceError | null = null
  const settled = await Promise.allSettled(items.map(ask))
  for (const [index, item] of items.entries()) {
    const result = settled[index]
    if (result?.status === 'fulfilled') answers.push(result.value)
    else if (!(result?.reason instanceof SourceError)) throw result?.reason
    else {
      firstError ??= result.reason
      missing.push(skipped(`no ${whatOf(item, index)}: ${result.reason.message}`))
    }
  }
  return { answers, missing, firstError }
}

/** As {@link optional}, but if all of them fail, the source fails with the first error. */
export async function someOf<Item, Answer>(...asked: Parameters<typeof optional<Item, Answer>>) {
  const some = await optional(...asked)
  if (some.answers.length === 0 && some.firstError) throw some.firstError
  return some
}

export const partsOf = <Row>(list: readonly Row[], most: number): (readonly Row[])[] =>
  Array.from({ length: Math.ceil(list.length / most) }, (_, part) => list.slice(part * most, (part + 1) * most))

export const changeOf = (open: number | null, last: number | null): number | null =>
  open === null || last === null || open === 0 ? null : (last / open - 1) * 100

/** Rights of a source whose terms could not be read; null: their address is not known either. */
export const unread = (terms_url: string | null): SourceRights => ({
  class: 'unknown',
  terms_url,
  read_on: null,
  attribution: null,
})

export const OWN_DATA: SourceRights = { class: 'open', terms_url: null, read_on: null, attribution: null }
