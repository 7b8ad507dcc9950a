import type * as z from 'zod'
import type { Envelope as EnvelopeMembers, ErrorAnswer as Refusal } from '../core/contract/envelope.ts'
import type { ListingRequestBody as Body } from '../core/contract/listing-request.ts'
import type { Frozen } from '../core/contract/observations.ts'
import type { RateOfDay } from '../core/contract/rates.ts'
import type { EndpointsByMethod } from '../core/endpoints/table.ts'

type Published<Members extends Readonly<Record<string, z.ZodType>>> = Frozen<z.infer<z.ZodObject<Members>>>
export type Method = keyof EndpointsByMethod
type MembersOf<Name extends Method> = EndpointsByMethod[Name]['members']
type MissingOf<Name extends Method> = 'ids' extends keyof EndpointsByMethod[Name]['parameters']
  ? { readonly missing?: readonly string[] | undefined }
  : unknown

/** Members of every answer, including errors. */
export type Envelope = Published<typeof EnvelopeMembers>
type Answered<Name extends Method> = Envelope & {
  readonly ok: true
  readonly endpoint: EndpointsByMethod[Name]['name']
}
/** A row, which with `vs` has its dollar amounts in that currency too. */
type InCurrency<Row> = Row & {
  readonly [Name in keyof Row as Name extends `${infer Amount}_usd` ? Amount : never]?: Row[Name] | undefined
}
type WithAmounts<Members> = {
  readonly [Name in keyof Members]: Members[Name] extends readonly (infer Row)[]
    ? readonly InCurrency<Row>[]
    : Members[Name]
}
type ConvertedMembers<Name extends Method> = 'vs' extends keyof EndpointsByMethod[Name]['parameters']
  ? {
      readonly vs?: string | undefined
      readonly rate?: (Name extends 'closesOfDay' ? Frozen<z.infer<typeof RateOfDay>> : RowOf<'rates'>) | undefined
    } & WithAmounts<Published<MembersOf<Name>>>
  : Published<MembersOf<Name>>
export type AnswerOf<Name extends Method> = Answered<Name> & MissingOf<Name> & ConvertedMembers<Name>

type RowOf<Name extends Method> = AnswerOf<Name> extends { readonly rows: readonly (infer Row)[] } ? Row : never

export type ErrorAnswer = Frozen<Refusal>
export type Problem = ErrorAnswer['error']
export type ListingRequestBody = Frozen<z.input<typeof Body>>

export type AssetAnswer = AnswerOf<'asset'>
export type ClosesOfDayAnswer = AnswerOf<'closesOfDay'>
export type DailyAnswer = AnswerOf<'daily'>
export type HistoryAnswer = AnswerOf<'history'>
export type RatesAnswer = AnswerOf<'rates'>
export type TotalsAnswer = AnswerOf<'totals'>

export type Asset = AnswerOf<'asset'>['asset']
export type AssetRow = RowOf<'assets'>
export type CategoryRow = RowOf<'categories'>
export type DexPair = RowOf<'dexPairs'>
export type EcosystemRow = RowOf<'tnk'>
export type ExchangeMarket = RowOf<'exchange'>
export type ExchangeRow = RowOf<'exchanges'>
export type Global = AnswerOf<'global'>['global']
export type Market = RowOf<'assetMarkets'>
export type MarketsRow = RowOf<'markets'>
export type QuarantineRow = RowOf<'quarantine'>
export type RequestRow = RowOf<'listingRequests'>
export type RunDay = AnswerOf<'collector'>['runs'][number]
export type SourceRow = RowOf<'collector'>
