import * as z from 'zod'
import { bars, type BarDialect } from './bars.ts'
import { type CurrencyDialect, currencyList } from './currencies.ts'
import type { Answer, AnswerForm, Fields, ListForm, Member, TimeMember } from './dialect.ts'
import { answer, fieldsOf, namesRead, outline, reader, reasons, template, timeIn } from './dialect.ts'
import { type Pair, isLeveraged, pairSplitter } from './market-pairs.ts'
import type { SourceRights } from '../contract/rights.ts'
import type { Facts, Http, Observation, Skipped, Source } from './source.ts'
import { changeOf, optional, partsOf, rejected, rows, skipped, unread } from './source.ts'
import { Fraction, Id, Milliseconds, NonNegative, ReportedPercent, Positive, Text } from './wire.ts'

interface TickerDialect extends ListForm {
  readonly inParts?: { readonly of: string; readonly key: Member; readonly most: number }
  /** The venue's name of the market, `0` for that of a member of a map, its price and its volumes of 24 hours. */
  readonly row: Readonly<Record<'name' | 'last', Member>> &
    Readonly<Partial<Record<'pair' | 'bid' | 'ask' | 'base' | 'quote', Member>>>
  /** The change of 24 hours, or the price 24 hours ago. That of a day that began at midnight is none of them. */
  readonly change?: { readonly percent: Member } | { readonly fraction: Member } | { readonly open: Member }
  readonly at?: TimeMember
  readonly traded_at?: TimeMember
}

/** A list that explains the rows of the tickers, which are read without it too. */
export interface ExplainingList extends ListForm {
  readonly hours?: number
  /** The venue's name or names of the market, or of the currency, and the symbols that a market trades. */
  readonly row: { readonly name: Member | readonly Member[]; readonly base?: Member; readonly quote?: Member }
}

/** How a market is split: at a separator, base first by default; at one of these quotes; or by a function. */
type PairDialect =
  | string
  | { readonly quoteFirst: string }
  | { readonly glued: string }
  | ((market: string, row: Fields) => Pair | Skipped | null)

interface VenueDialect extends Omit<Facts, 'type' | 'rights' | 'slow'> {
  /** What its terms allow, or the address of terms that were not read; null: it is not known either. */
  readonly terms: SourceRights | string | null
  readonly envelope?: AnswerForm
  readonly tickers: TickerDialect
  /** Its list of markets. Where it has every market that trades, tickers of others are skipped while it is there. */
  readonly markets?: ExplainingList & { readonly isComplete?: true }
  /** Its list of currencies, which explains every market of a base. */
  readonly bases?: ExplainingList
  readonly pair: PairDialect
  /** The currency that settles a market, if it is not the quote of its name. */
  readonly quoteOf?: (pair: Pair, row: Fields) => string
  /** Common symbols of currencies that the venue calls differently: `XBT=BTC XDG=DOGE`. */
  readonly common?: string | ((currencies: readonly unknown[]) => (symbol: string) => string)
  readonly bars?: BarDialect
  readonly currencies?: CurrencyDialect
  /** Page of a market, with `{BASE}`, `{QUOTE}`, `{base}`, `{quote}`, and `{market}` as the venue names it. */
  readonly page: string
  readonly marketAs?: string
}

/** The rows of the lists that were answered. */
type Lists = Readonly<Partial<Record<'markets' | 'currencies', readonly unknown[]>>>

export function venue(dialect: VenueDialect): Source {
  const { tickers, markets, bases, terms, common, bars: barDialect, currencies, envelope = {}, ...facts } = dialect
  const lists = Object.entries({ markets, currencies: bases }).flatMap(([what, list]) =>
    list ? { what, envelope, ...list } : [],
  )
  const ask = (http: Http, path: string, own: AnswerForm = envelope) => http.json(path, answer(own, facts.host))
  const explain = async (http: Http) => {
    const { answers, missing } = await optional(
      lists,
      ({ what }) => what,
      async ({ what, path, envelope: own }) => [what, (await ask(http, path, own)).rows] as const,
    )
    const known: Lists = Object.fromEntries(answers)
    return { known, missing }
  }
  const members = [...lists, ...(currencies ? [currencies] : [])].flatMap(namesRead)
  return {
    ...facts,
    type: 'exchange',
    rights: typeof terms === 'object' && terms !== null ? terms : unread(terms),
    // The members of a map have any names.
    slow: lists.map(({ path, hours = 24, envelope: { isMap } }) => ({ path, hours, ...(!isMap && { members }) })),
    ...(barDialect ? { candles: bars(barDialect, facts.host, envelope) } : {}),
    ...(currencies && {
      async currencies(http: Http) {
        const commonOf = commonSymbols(common, typeof common === 'function' ? (await explain(http)).known : {})
        return currencyList(facts.id, currencies, commonOf, (path, own) => ask(http, path, own))
      },
    }),

    async observe(http) {
      const asking = (path: string, own?: AnswerForm) => ask(http, path, own)
      const [answered, { known, missing }] = await Promise.all([tickersIn(tickers, asking), explain(http)])
      return [...quotesIn(dialect, answered, known), ...missing]
    },
  }
}

async function tickersIn(tickers: TickerDialect, ask: (path: string, own?: AnswerForm) => Promise<Answer>) {
  const { path, envelope, inParts } = tickers
  if (!inParts) return ask(path, envelope)
  const { rows: markets } = await ask(inParts.of)
  const nameIn = reader(inParts.key)
  const names = markets.flatMap((row) => Id.safeParse(nameIn(row)).data ?? [])
  const parts = partsOf(names.map(encodeURIComponent), inParts.most)
  const answers = await Promise.all(parts.map((part) => ask(`${path}?markets=${part.join(',')}`, envelope)))
  return { body: null, rows: answers.flatMap(({ rows: some }) => some), time: null }
}

function commonSymbols(common: VenueDialect['common'] = '', known: Lists): (symbol: string) => string {
  if (typeof common === 'function') return common(known.currencies ?? [])
  const symbols = renamed(common)
  return (symbol) => symbols.get(symbol) ?? symbol
}

export const renamed = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/(\S+)=(\S+)/g)].map(([, own = '', common = '']) => [own, common]))

function rowOf({ row: { name, base, quote, ...row }, change, at, traded_at }: TickerDialect) {
  const members = {
    market: name,
    ...row,
    volume_24h_base: base,
    volume_24h_quote: quote,
    percent_change_24h: change && Object.values(change)[0],
    at: at && timeIn(at).member,
    traded_at: traded_at && timeIn(traded_at).member,
  }
  const schema = z.object({
    market: Text(64),
    pair: Text(64).optional(),
    last: Positive,
    bid: Positive,
    ask: Positive,
    volume_24h_base: NonNegative,
    volume_24h_quote: NonNegative,
    percent_change_24h: !change || 'percent' in change ? ReportedPercent : 'open' in change ? Positive : Fraction,
    at: at ? timeIn(at).unit : Milliseconds,
    traded_at: traded_at ? timeIn(traded_at).unit : Milliseconds,
  })
  return { members, schema }
}

type Row = z.infer<ReturnType<typeof rowOf>['schema']>

function quotesIn(dialect: VenueDialect, { rows: items, time }: Answer, known: Lists) {
  const { row: places, change: changed, without } = dialect.tickers
  const { members, schema } = rowOf(dialect.tickers)
  const lastIn = reader(places.last)
  const pageOf = naming(dialect.page)
  const nameOf = dialect.marketAs === undefined ? null : naming(dialect.marketAs)
  const pairOf = pairReader(dialect, items, known)
  const commonOf = commonSymbols(dialect.common, known)
  const quoteIn = (row: Row, item: unknown): Observation => {
    const found = pairOf(row)
    if (found === null) return rejected(`${places.pair ?? places.name}: not a pair`)
    if ('kind' in found) return found
    // A price that is missing is no price that is unknown: the venue has renamed it.
    if (lastIn(item) === undefined) return rejected(`${places.last}: missing`)
    const { pair, settledIn, isStock } = found
    const { market, pair: _, percent_change_24h: change, at, traded_at, ...figures } = row
    const names = { ...pair, market }
    return {
      kind: 'quote',
      market: nameOf?.(names) ?? market,
      base: commonOf(pair.base),
      quote: commonOf(settledIn),
      ...figures,
      percent_change_24h: changed && 'open' in changed ? changeOf(change, row.last) : change,
      at: at ?? time,
      ...(traded_at === null ? {} : { traded_at }),
      trade_url: pageOf(names),
      ...(isStock ? { stock: true } : {}),
    }
  }
  return rows(schema, items, quoteIn, { members, without })
}

function pairReader(dialect: VenueDialect, items: Answer['rows'], known: Lists) {
  const { name, pair: named = name } = dialect.tickers.row
  const markets = explained(dialect.markets, known.markets, Name)
  const bases = explained(dialect.bases, known.currencies, Upper)
  const split = splitter(dialect.pair, markets)
  const isComplete = dialect.markets?.isComplete && known.markets?.length
  const [nameIn, pairIn] = [reader(name), reader(named)]
  const basesIn = () =>
    items.flatMap((item) => {
      const name = pairIn(item) ?? nameIn(item)
      const pair = typeof name === 'string' ? split(name) : null
      return pair && !('kind' in pair) ? [pair.base] : []
    })
  let traded: ReadonlySet<string> | undefined
  const isTraded = { has: (base: string) => (traded ??= new Set(basesIn())).has(base) }

  const reasonOf = (market: ReturnType<Explained['get']>, pair: Pair | Skipped): string | null => {
    if (isComplete && !market) return 'not listed'
    return market?.reason ?? ('kind' in pair ? null : (bases.get(pair.base)?.reason ?? null))
  }

  return (row: Row) => {
    const pair = split(row.pair ?? row.market)
    if (pair === null) return null
    const market = markets.get(row.market)
    const reason = reasonOf(market, pair)
    const isStock = reason === STOCK
    if (reason !== null && !isStock) return skipped(reason)
    if ('kind' in pair) return pair
    if (!isStock && isLeveraged(pair.base, isTraded)) return skipped('leveraged token')
    return { pair, settledIn: dialect.quoteOf?.(pair, fieldsOf(market?.row)) ?? pair.quote, isStock }
  }
}

/** The reason by which a list of a venue marks the token of a company's share: it is read, and is no listing. */
export const STOCK = 'tokenized stock'

type Explained = ReturnType<typeof explained>

function explained(list: ExplainingList | undefined, rows: readonly unknown[] = [], Key: typeof Name | typeof Upper) {
  const { name, base, quote } = list?.row ?? { name: [] }
  const reasonOf = reasons(list?.without)
  const names = [name].flat().map(reader)
  const symbols = base === undefined || quote === undefined ? null : outline({ base, quote })
  const known = rows.flatMap((row) => {
    const { data: pair } = symbols ? ListedPair.safeParse(symbols(row)) : { data: null }
    // A row without the members that it must have explains nothing.
    if (pair === undefined) return []
    const reason = reasonOf(row)
    return names
      .flatMap((read) => Key.safeParse(read(row)).data ?? [])
      .map((name) => [name, { pair, row, reason }] as const)
  })
  return new Map(known)
}

const Name = Text(64)
const Upper = Name.transform((symbol) => symbol.toUpperCase())
const ListedPair = z.object({ base: Upper, quote: Upper })

function splitter(dialect: PairDialect, markets: Explained) {
  const listed = (market: string) => markets.get(market)?.pair
  if (typeof dialect === 'function') return (market: string) => dialect(market, fieldsOf(markets.get(market)?.row))
  if (typeof dialect === 'object' && 'glued' in dialect) {
    const split = pairSplitter([
      ...dialect.glued.split(' '),
      ...[...markets.values()].flatMap(({ pair }) => pair?.quote ?? []),
    ])
    return (market: string) => listed(market) ?? split(market) ?? skipped('unknown quote currency')
  }
  const by = typeof dialect === 'string' ? dialect : dialect.quoteFirst
  return (market: string): Pair | Skipped | null => {
    const known = listed(market)
    if (known) return known
    const [first = '', second = '', more] = market.toUpperCase().split(by)
    if (first === '' || second === '') return null
    if (more !== undefined) return skipped('not a spot pair')
    return typeof dialect === 'string' ? { base: first, quote: second } : { base: second, quote: first }
  }
}

function naming(text: string): (names: Pair & { readonly market: string }) => string {
  const fill = template(text)
  const of = encodeURIComponent
  return ({ base, quote, market }) => {
    const lower = { base: of(base.toLowerCase()), quote: of(quote.toLowerCase()) }
    return fill({ BASE: of(base), QUOTE: of(quote), ...lower, market: of(market) })
  }
}
